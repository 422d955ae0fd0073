//! A deterministic generator: the same numbers on every target.

/// SplitMix64 (Steele, Lea, Flood 2014): any seed is a good one, so each case can have its own.
pub(crate) struct Random(u64);

impl Random {
    /// The generator of one case: reachable without running those before it, which is what bisecting needs.
    pub(crate) fn of_case(seed: u64, index: u64) -> Self {
        let mut start = Self(seed ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03));
        Self(start.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn pick(&mut self, values: &[f64]) -> f64 {
        values[self.below(values.len() as u64) as usize]
    }

    /// From 0 up to, not including, 1; the 53 bits of `Math.random`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Any bit pattern, with the troublesome ones more often than chance has them.
    pub(crate) fn any_f64(&mut self) -> f64 {
        const TROUBLE: [f64; 14] = [
            0.0,
            -0.0,
            0.5,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            9_007_199_254_740_991.0,
            9_007_199_254_740_992.0,
            18_446_744_073_709_551_616.0,
            2_147_483_648.0,
        ];
        if self.below(2) == 0 { self.pick(&TROUBLE) } else { f64::from_bits(self.next()) }
    }

    /// A length of time that an option may have: mostly seconds, at times nanoseconds or ages, whole or not.
    pub(crate) fn milliseconds(&mut self) -> f64 {
        match self.below(8) {
            0 => 0.0,
            1 => self.unit(),
            2 => self.unit() * 1e5,
            3 => self.below(1 << 53) as f64,
            4 => self.next() as f64,
            _ => self.below(60_000) as f64,
        }
    }

    /// A reading of some clock: the epoch's, a monotonic one's, or nonsense.
    pub(crate) fn moment(&mut self) -> f64 {
        match self.below(4) {
            0 => self.any_f64(),
            1 => self.unit() * 1e7,
            _ => 1_758_124_800_000.0 + self.below(1_000_000) as f64,
        }
    }
}
