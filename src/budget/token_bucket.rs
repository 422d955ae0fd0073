//! A bucket of tokens that retries pay from and successes pay into.

use super::{Budget, Failure};
use crate::OptionError;
use crate::number::floor_ms;
use crate::stored::{COUNT, stored};

/// A [`TokenBucket`] to be configured.
///
/// ```
/// use retry_primitives::budget::{TokenBucket, token_bucket};
///
/// assert_eq!(token_bucket().build()?, TokenBucket::default());
/// # Ok::<(), retry_primitives::OptionError>(())
/// ```
pub const fn token_bucket() -> TokenBucketBuilder {
    TokenBucketBuilder {
        capacity: 500,
        retry_cost: 5,
        timeout_retry_cost: 10,
        throttling_retry_cost: 5,
        no_retry_increment: 1,
    }
}

/// The options of a [`TokenBucket`]; made by [`token_bucket`].
///
/// ```
/// use retry_primitives::budget::token_bucket;
///
/// let error = token_bucket().capacity(8).build().unwrap_err();
/// assert_eq!(error.to_string(), "timeout_retry_cost must be from 1 to the capacity, got 10");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "call build()"]
pub struct TokenBucketBuilder {
    capacity: u32,
    retry_cost: u32,
    timeout_retry_cost: u32,
    throttling_retry_cost: u32,
    no_retry_increment: u32,
}

impl TokenBucketBuilder {
    /// The tokens of a full bucket, at least 1; it starts full.
    ///
    /// # Default
    /// 500
    pub const fn capacity(mut self, tokens: u32) -> Self {
        self.capacity = tokens;
        self
    }

    /// What a retry after [`Failure::Transient`] takes, from 1 to the capacity.
    ///
    /// # Default
    /// 5
    pub const fn retry_cost(mut self, tokens: u32) -> Self {
        self.retry_cost = tokens;
        self
    }

    /// What a retry after [`Failure::Timeout`] takes, from 1 to the capacity.
    ///
    /// # Default
    /// 10
    pub const fn timeout_retry_cost(mut self, tokens: u32) -> Self {
        self.timeout_retry_cost = tokens;
        self
    }

    /// What a retry after [`Failure::Throttling`] takes, from 1 to the capacity.
    ///
    /// # Default
    /// 5
    pub const fn throttling_retry_cost(mut self, tokens: u32) -> Self {
        self.throttling_retry_cost = tokens;
        self
    }

    /// What a call that succeeds without a retry puts in, from 0 to the capacity.
    ///
    /// # Default
    /// 1
    pub const fn no_retry_increment(mut self, tokens: u32) -> Self {
        self.no_retry_increment = tokens;
        self
    }

    /// The bucket.
    ///
    /// # Errors
    /// The first option out of its range: `capacity`, `retry_cost`, `timeout_retry_cost`, `throttling_retry_cost` or
    /// `no_retry_increment`.
    pub fn build(self) -> Result<TokenBucket, OptionError> {
        let capacity = self.capacity;
        if capacity == 0 {
            return Err(OptionError::new("capacity", "at least 1", 0.0));
        }
        for (option, cost) in [
            ("retry_cost", self.retry_cost),
            ("timeout_retry_cost", self.timeout_retry_cost),
            ("throttling_retry_cost", self.throttling_retry_cost),
        ] {
            if cost == 0 || cost > capacity {
                return Err(OptionError::new(option, "from 1 to the capacity", f64::from(cost)));
            }
        }
        if self.no_retry_increment > capacity {
            let value = f64::from(self.no_retry_increment);
            return Err(OptionError::new("no_retry_increment", "from 0 to the capacity", value));
        }
        Ok(TokenBucket::of(self))
    }
}

/// Allows a retry while the bucket holds what it costs; a success gives tokens back, time does not.
///
/// A retry takes 5 tokens, 10 after a timeout. A call that succeeds at once puts in 1, one that succeeds after retries
/// puts back what its last retry took; a failure puts back nothing. So a dependency that is down drains the bucket of 500
/// in 100 retries, and full traffic refills it slowly. First attempts are never held back.
///
/// Source: the AWS SDKs' [standard retry mode](https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html),
/// as in [botocore](https://github.com/boto/botocore/blob/develop/botocore/retries/standard.py) version 2.0; its version
/// 2.1 charges 14, or 5 when throttled, and no more for a timeout.
///
/// ```
/// use retry_primitives::budget::{Budget, Failure, TokenBucket};
///
/// let bucket = TokenBucket::default();
/// let state = bucket.init(0.0);
/// let (state, allowed) = bucket.retry(state, 0.0, Failure::Timeout, || 0.0);
/// assert!(allowed);
/// assert_eq!(state.tokens, 490.0);
/// let state = bucket.succeed(state, 0.0, Some(Failure::Timeout));
/// assert_eq!(state.tokens, 500.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    options: TokenBucketBuilder,
}

/// What [`token_bucket`] builds: capacity 500, costs 5, 10 and 5, increment 1.
impl Default for TokenBucket {
    fn default() -> Self {
        Self { options: token_bucket() }
    }
}

impl TokenBucket {
    /// Of options that are in their ranges.
    pub(crate) const fn of(options: TokenBucketBuilder) -> Self {
        Self { options }
    }

    /// What a retry after `failure` takes; `None` after [`Failure::NonRetryable`], which has no price.
    pub fn cost(&self, failure: Failure) -> Option<f64> {
        match failure {
            Failure::Transient => Some(f64::from(self.options.retry_cost)),
            Failure::Timeout => Some(f64::from(self.options.timeout_retry_cost)),
            Failure::Throttling => Some(f64::from(self.options.throttling_retry_cost)),
            Failure::NonRetryable => None,
        }
    }

    fn tokens(&self, state: TokenBucketState) -> f64 {
        floor_ms(state.tokens).min(self.capacity())
    }

    fn capacity(&self) -> f64 {
        f64::from(self.options.capacity)
    }
}

impl Budget for TokenBucket {
    type State = TokenBucketState;

    fn init(&self, _: f64) -> TokenBucketState {
        TokenBucketState { tokens: self.capacity() }
    }

    fn request(&self, state: TokenBucketState, _: f64, _: impl FnOnce() -> f64) -> (TokenBucketState, bool) {
        (TokenBucketState { tokens: self.tokens(state) }, true)
    }

    fn retry(
        &self,
        state: TokenBucketState,
        _: f64,
        failure: Failure,
        _: impl FnOnce() -> f64,
    ) -> (TokenBucketState, bool) {
        let tokens = self.tokens(state);
        match self.cost(failure) {
            Some(cost) if cost <= tokens => (TokenBucketState { tokens: tokens - cost }, true),
            _ => (TokenBucketState { tokens }, false),
        }
    }

    fn succeed(&self, state: TokenBucketState, _: f64, retried: Option<Failure>) -> TokenBucketState {
        let returned =
            retried.and_then(|failure| self.cost(failure)).unwrap_or(f64::from(self.options.no_retry_increment));
        TokenBucketState { tokens: (self.tokens(state) + returned).min(self.capacity()) }
    }

    /// Changes nothing: the price is taken by [`retry`](Budget::retry).
    fn fail(&self, state: TokenBucketState, _: f64, _: Failure) -> TokenBucketState {
        TokenBucketState { tokens: self.tokens(state) }
    }
}

/// What a [`TokenBucket`] remembers.
///
/// JSON (feature `serde`): `{"tokens":500}`.
///
/// ```
/// use retry_primitives::budget::{Budget, TokenBucket, TokenBucketState};
///
/// assert_eq!(TokenBucket::default().init(0.0), TokenBucketState { tokens: 500.0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenBucketState {
    /// Tokens in the bucket, a whole number; more than the capacity counts as full.
    pub tokens: f64,
}

stored!(TokenBucketState { tokens: f64 = "tokens", COUNT; });

#[cfg(test)]
mod tests {
    use super::*;

    fn drained(bucket: &TokenBucket, failure: Failure) -> (f64, u32) {
        let mut state = bucket.init(0.0);
        for made in 0.. {
            let (next, allowed) = bucket.retry(state, 0.0, failure, || 0.0);
            state = next;
            if !allowed {
                return (state.tokens, made);
            }
        }
        unreachable!()
    }

    #[test]
    fn defaults() {
        let explicit = token_bucket()
            .capacity(500)
            .retry_cost(5)
            .timeout_retry_cost(10)
            .throttling_retry_cost(5)
            .no_retry_increment(1)
            .build();
        assert_eq!(token_bucket().build(), explicit);
        assert_eq!(Ok(TokenBucket::default()), explicit);
    }

    #[test]
    fn costs_by_kind_of_failure() {
        let bucket = TokenBucket::default();
        assert_eq!(drained(&bucket, Failure::Transient), (0.0, 100));
        assert_eq!(drained(&bucket, Failure::Throttling), (0.0, 100));
        assert_eq!(drained(&bucket, Failure::Timeout), (0.0, 50));
        assert_eq!(drained(&bucket, Failure::NonRetryable), (500.0, 0));
    }

    #[test]
    fn a_refusal_takes_nothing() {
        let bucket = TokenBucket::default();
        let state = TokenBucketState { tokens: 9.0 };
        assert_eq!(bucket.retry(state, 0.0, Failure::Timeout, || 0.0), (state, false));
        assert_eq!(bucket.retry(state, 0.0, Failure::Transient, || 0.0), (TokenBucketState { tokens: 4.0 }, true));
    }

    #[test]
    fn a_success_returns_one_or_the_last_cost() {
        let bucket = TokenBucket::default();
        let state = TokenBucketState { tokens: 100.0 };
        assert_eq!(bucket.succeed(state, 0.0, None).tokens, 101.0);
        assert_eq!(bucket.succeed(state, 0.0, Some(Failure::Transient)).tokens, 105.0);
        assert_eq!(bucket.succeed(state, 0.0, Some(Failure::Timeout)).tokens, 110.0);
        assert_eq!(bucket.succeed(bucket.init(0.0), 0.0, None).tokens, 500.0);
        assert_eq!(bucket.fail(state, 0.0, Failure::Timeout).tokens, 100.0);
    }

    #[test]
    fn botocore_2_1() {
        let bucket = token_bucket().retry_cost(14).timeout_retry_cost(14).throttling_retry_cost(5).build().unwrap();
        assert_eq!(drained(&bucket, Failure::Transient), (500.0 - 35.0 * 14.0, 35));
        assert_eq!(drained(&bucket, Failure::Throttling), (0.0, 100));
    }

    #[test]
    fn options_out_of_range_are_named() {
        for (builder, option) in [
            (token_bucket().capacity(0), "capacity"),
            (token_bucket().retry_cost(0), "retry_cost"),
            (token_bucket().timeout_retry_cost(501), "timeout_retry_cost"),
            (token_bucket().throttling_retry_cost(0), "throttling_retry_cost"),
            (token_bucket().no_retry_increment(501), "no_retry_increment"),
        ] {
            assert_eq!(builder.build().unwrap_err().option(), option);
        }
    }
}
