//! Tokens that failures take and successes earn: no retry while half of them are gone.

use super::{Budget, Failure};
use crate::OptionError;
use crate::number::{floor_ms, round_ms};
use crate::stored::{COUNT, stored};

/// A thousandth of a token is the unit, as in gRPC's own implementations: sums of tenths stay exact.
const MILLI: f64 = 1e3;

/// A [`GrpcThrottle`] to be configured.
///
/// ```
/// use retry_primitives::budget::{GrpcThrottle, grpc_throttle};
///
/// assert_eq!(grpc_throttle().build()?, GrpcThrottle::default());
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub const fn grpc_throttle() -> GrpcThrottleBuilder {
    GrpcThrottleBuilder { max_tokens: 10, token_ratio: 0.1 }
}

/// The options of a [`GrpcThrottle`]; made by [`grpc_throttle`].
///
/// ```
/// use retry_primitives::budget::grpc_throttle;
///
/// let error = grpc_throttle().max_tokens(1001).build().unwrap_err();
/// assert_eq!(error.to_string(), "max_tokens must be from 1 to 1000, got 1001");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "call build()"]
pub struct GrpcThrottleBuilder {
    max_tokens: u32,
    token_ratio: f64,
}

impl GrpcThrottleBuilder {
    /// The most tokens, from 1 to 1000; the throttle starts with them.
    ///
    /// # Default
    /// 10, the proposal's example: it names no default.
    pub const fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// The tokens that a success earns, from .001 to 1000. What is beyond three decimal places is ignored.
    ///
    /// # Default
    /// .1, the proposal's example: it names no default.
    pub const fn token_ratio(mut self, tokens: f64) -> Self {
        self.token_ratio = tokens;
        self
    }

    /// The throttle.
    ///
    /// # Errors
    /// The first option out of its range: `max_tokens` or `token_ratio`.
    pub fn build(self) -> Result<GrpcThrottle, OptionError> {
        let Self { max_tokens, token_ratio } = self;
        if !(1..=1000).contains(&max_tokens) {
            return Err(OptionError::new("max_tokens", "from 1 to 1000", f64::from(max_tokens)));
        }
        if !(0.001..=1000.0).contains(&token_ratio) {
            return Err(OptionError::new("token_ratio", "a number from 0.001 to 1000", token_ratio));
        }
        Ok(GrpcThrottle::of(f64::from(max_tokens), token_ratio))
    }
}

/// 1.001 is 1001, though 1.001 * 1000 is a little less in binary.
fn thousandths(ratio: f64) -> f64 {
    let nearest = round_ms(ratio * MILLI);
    if nearest / MILLI > ratio { nearest - 1.0 } else { nearest }
}

/// Allows a retry while `tokens > max / 2`: a failure takes a token, a success earns `ratio` of one.
///
/// It opens and shuts on the ratio of failures to successes: with a ratio of .1, more than one failure to ten successes
/// drains it. Only failures that could have been retried count, so a client's own mistakes do not shut it. First attempts
/// are never held back, and time changes nothing.
///
/// Source: [gRPC proposal A6](https://github.com/grpc/proposal/blob/master/A6-client-retries.md), "Throttling Retry
/// Attempts and Hedged RPCs". A server that says not to retry at all counts as a failure there: report it to
/// [`fail`](Budget::fail) as [`Failure::Throttling`] and do not ask for a retry.
///
/// ```
/// use retry_primitives::budget::{Budget, Failure, grpc_throttle};
///
/// let throttle = grpc_throttle().max_tokens(4).build()?;
/// let mut state = throttle.init(0.0);
/// state = throttle.fail(state, 0.0, Failure::Transient);
/// assert!(throttle.retry(state, 0.0, Failure::Transient, || 0.0).1); // 3 > 2
/// state = throttle.fail(state, 0.0, Failure::Transient);
/// assert!(!throttle.retry(state, 0.0, Failure::Transient, || 0.0).1); // 2 > 2 is false
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrpcThrottle {
    max: f64,
    success: f64,
}

/// What [`grpc_throttle`] builds: 10 tokens, ratio .1.
impl Default for GrpcThrottle {
    fn default() -> Self {
        Self { max: 10.0 * MILLI, success: 100.0 }
    }
}

impl GrpcThrottle {
    /// Of options that are in their ranges.
    pub(crate) fn of(max_tokens: f64, token_ratio: f64) -> Self {
        Self { max: max_tokens * MILLI, success: thousandths(token_ratio) }
    }

    fn tokens(&self, state: GrpcThrottleState) -> f64 {
        floor_ms(state.milli_tokens).min(self.max)
    }
}

impl Budget for GrpcThrottle {
    type State = GrpcThrottleState;

    fn init(&self, _: f64) -> GrpcThrottleState {
        GrpcThrottleState { milli_tokens: self.max }
    }

    fn request(&self, state: GrpcThrottleState, _: f64, _: impl FnOnce() -> f64) -> (GrpcThrottleState, bool) {
        (GrpcThrottleState { milli_tokens: self.tokens(state) }, true)
    }

    /// Takes nothing: the failure before it did.
    fn retry(
        &self,
        state: GrpcThrottleState,
        _: f64,
        failure: Failure,
        _: impl FnOnce() -> f64,
    ) -> (GrpcThrottleState, bool) {
        let milli_tokens = self.tokens(state);
        let allowed = failure != Failure::NonRetryable && milli_tokens > self.max / 2.0;
        (GrpcThrottleState { milli_tokens }, allowed)
    }

    fn succeed(&self, state: GrpcThrottleState, _: f64, _: Option<Failure>) -> GrpcThrottleState {
        GrpcThrottleState { milli_tokens: (self.tokens(state) + self.success).min(self.max) }
    }

    fn fail(&self, state: GrpcThrottleState, _: f64, failure: Failure) -> GrpcThrottleState {
        let taken = if failure == Failure::NonRetryable { 0.0 } else { MILLI };
        GrpcThrottleState { milli_tokens: (self.tokens(state) - taken).max(0.0) }
    }
}

/// What a [`GrpcThrottle`] remembers.
///
/// JSON (feature `serde`): `{"milliTokens":10000}`.
///
/// ```
/// use retry_primitives::budget::{Budget, GrpcThrottle, GrpcThrottleState};
///
/// assert_eq!(GrpcThrottle::default().init(0.0), GrpcThrottleState { milli_tokens: 10_000.0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrpcThrottleState {
    /// Thousandths of a token, a whole number; more than the maximum counts as the maximum.
    pub milli_tokens: f64,
}

stored!(GrpcThrottleState { milli_tokens: f64 = "milliTokens", COUNT; });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults() {
        let explicit = grpc_throttle().max_tokens(10).token_ratio(0.1).build();
        assert_eq!(grpc_throttle().build(), explicit);
        assert_eq!(Ok(GrpcThrottle::default()), explicit);
    }

    /// The count after each step by hand: four tokens at most, retries above two, a success earns 1.6.
    #[test]
    fn four_tokens_by_hand() {
        let throttle = grpc_throttle().max_tokens(4).token_ratio(1.6).build().unwrap();
        let mut state = throttle.init(0.0);
        for (failed, tokens, allowed) in [
            (true, 3.0, true),
            (false, 4.0, true),
            (true, 3.0, true),
            (true, 2.0, false),
            (true, 1.0, false),
            (true, 0.0, false),
            (true, 0.0, false),
            (false, 1.6, false),
            (false, 3.2, true),
            (false, 4.0, true),
        ] {
            state =
                if failed { throttle.fail(state, 0.0, Failure::Transient) } else { throttle.succeed(state, 0.0, None) };
            assert_eq!(state.milli_tokens, tokens * 1e3);
            assert_eq!(throttle.retry(state, 0.0, Failure::Transient, || 0.0), (state, allowed));
        }
    }

    #[test]
    fn tenths_add_up_exactly() {
        let throttle = GrpcThrottle::default();
        let mut state = GrpcThrottleState { milli_tokens: 4_000.0 };
        for _ in 0..10 {
            state = throttle.succeed(state, 0.0, None);
        }
        // In floating-point tokens ten times .1 on 4 is not 5.
        assert!(!throttle.retry(state, 0.0, Failure::Transient, || 0.0).1);
        assert!(throttle.retry(throttle.succeed(state, 0.0, None), 0.0, Failure::Transient, || 0.0).1);
    }

    #[test]
    fn three_decimal_places_count() {
        for (ratio, expected) in [(1.001, 1001.0), (0.6667, 666.0), (0.001, 1.0), (0.29, 290.0), (1000.0, 1e6)] {
            assert_eq!(thousandths(ratio), expected);
        }
        for thousand in 1..=1_000_000_u32 {
            assert_eq!(thousandths(f64::from(thousand) / 1e3), f64::from(thousand));
        }
    }

    #[test]
    fn a_malformed_request_is_no_sign_of_a_failing_server() {
        let throttle = GrpcThrottle::default();
        let state = throttle.init(0.0);
        assert_eq!(throttle.fail(state, 0.0, Failure::NonRetryable), state);
        assert!(!throttle.retry(state, 0.0, Failure::NonRetryable, || 0.0).1);
    }

    #[test]
    fn options_out_of_range_are_named() {
        for (builder, option) in [
            (grpc_throttle().max_tokens(0), "max_tokens"),
            (grpc_throttle().token_ratio(0.0), "token_ratio"),
            (grpc_throttle().token_ratio(f64::NAN), "token_ratio"),
        ] {
            assert_eq!(builder.build().unwrap_err().option(), option);
        }
    }
}
