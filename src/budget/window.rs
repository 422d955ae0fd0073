//! A sliding window of two counts, in ten slots.

use core::mem::swap;

use crate::number::{MAX_SAFE_MS, elapsed_ms, finite_time, floor_ms};
use crate::stored::{COUNT, Range};

/// The slots of a sliding window, ten as in Finagle and tower.
///
/// An event leaves the window with its slot: between 9/10 of the window and the whole of it after it happened. A count is
/// thus at least the exact count of the last 9/10 of the window and at most that of the whole.
pub const SLOTS: usize = 10;

/// The shortest window, a millisecond a slot.
pub(super) const MIN_WINDOW_MS: f64 = SLOTS as f64;

pub(super) const ALLOWED_WINDOW: &str = "from 10 ms to 2^53 - 1 ms";

pub(super) fn allowed_window(window_ms: f64) -> bool {
    (MIN_WINDOW_MS..=MAX_SAFE_MS).contains(&window_ms)
}

pub(super) type Counts = [f64; SLOTS];

/// What the slots may hold.
pub(super) const COUNTS: Range = COUNT.in_words("10 whole numbers from 0 to 2^53 - 1");

/// The newest slot first; it began at `start`.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) start: f64,
    pub(super) first: Counts,
    pub(super) second: Counts,
}

impl Window {
    pub(super) fn new(now: f64) -> Self {
        Self { start: finite_time(now), first: [0.0; SLOTS], second: [0.0; SLOTS] }
    }

    /// The window at `now`, every field in range.
    pub(super) fn at(self, now: f64, window_ms: f64) -> Self {
        let start = finite_time(self.start);
        let now = if now.is_nan() { start } else { finite_time(now) };
        // Clocks of several machines differ a little, so a small step back must not move the window: the steps forward
        // that follow would empty it. A step of a whole window is a clock set anew; waiting for it to catch up could take
        // for ever.
        let start = if start - now >= window_ms { now } else { start };
        let slot_ms = window_ms / SLOTS as f64;
        let passed = floor_ms(elapsed_ms(now, start) / slot_ms);
        if passed >= SLOTS as f64 {
            return Self::new(now);
        }
        let mut window = Self {
            start: start + passed * slot_ms,
            first: self.first.map(floor_ms),
            second: self.second.map(floor_ms),
        };
        for _ in 0..passed as usize {
            push_empty(&mut window.first);
            push_empty(&mut window.second);
        }
        window
    }

    pub(super) fn count_first(&mut self) {
        count(&mut self.first);
    }

    pub(super) fn count_second(&mut self) {
        count(&mut self.second);
    }
}

pub(super) fn sum(counts: &Counts) -> f64 {
    counts.iter().fold(0.0, |sum, count| sum + count)
}

fn count(counts: &mut Counts) {
    counts[0] = (counts[0] + 1.0).min(MAX_SAFE_MS);
}

/// Swaps, not slices: nothing here can be out of bounds.
fn push_empty(counts: &mut Counts) {
    let mut carry = 0.0;
    for count in counts {
        swap(count, &mut carry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_at(now: f64) -> Window {
        let mut window = Window::new(now);
        window.count_first();
        window
    }

    fn counted(window: Window, now: f64) -> f64 {
        sum(&window.at(now, 10_000.0).first)
    }

    #[test]
    fn an_event_stays_nine_to_ten_slots() {
        let window = one_at(0.0);
        assert_eq!(counted(window, 9_999.0), 1.0);
        assert_eq!(counted(window, 10_000.0), 0.0);

        let mut late = Window::new(0.0).at(999.0, 10_000.0);
        late.count_first();
        assert_eq!(counted(late, 999.0 + 9_000.0), 1.0);
        assert_eq!(counted(late, 999.0 + 9_001.0), 0.0);
    }

    #[test]
    fn slots_move_one_by_one() {
        let mut window = one_at(0.0).at(1_000.0, 10_000.0);
        window.count_first();
        window.count_first();
        let window = window.at(3_500.0, 10_000.0);
        assert_eq!(window.start, 3_000.0);
        assert_eq!(window.first, [0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_year_ahead_empties_it_and_starts_there() {
        let year = 365.0 * 86_400e3;
        let window = one_at(0.5).at(year, 10_000.0);
        assert_eq!((window.start, sum(&window.first)), (year, 0.0));
    }

    #[test]
    fn a_clock_a_little_behind_moves_nothing() {
        let window = one_at(20_000.0);
        let behind = window.at(10_001.0, 10_000.0);
        assert_eq!((behind.start, sum(&behind.first)), (20_000.0, 1.0));
    }

    #[test]
    fn a_clock_set_back_an_hour_keeps_the_counts_for_one_window() {
        let hour = 3_600e3;
        let window = one_at(hour).at(0.0, 10_000.0);
        assert_eq!((window.start, sum(&window.first)), (0.0, 1.0));
        assert_eq!(counted(window, 9_999.0), 1.0);
        assert_eq!(counted(window, 10_000.0), 0.0);
    }

    #[test]
    fn no_time_passes_on_nan() {
        let window = one_at(5_000.0).at(f64::NAN, 10_000.0);
        assert_eq!((window.start, sum(&window.first)), (5_000.0, 1.0));
    }

    #[test]
    fn counts_saturate() {
        let mut window = Window { first: [MAX_SAFE_MS; SLOTS], ..Window::new(0.0) };
        window.count_first();
        assert_eq!(window.first, [MAX_SAFE_MS; SLOTS]);
    }
}
