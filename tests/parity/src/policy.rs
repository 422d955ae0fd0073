//! Every policy behind one type, from options as data. The integration tests include this file too.

use core::time::Duration;

use retry_primitives::{
    OptionError, Policy,
    backoff::{
        Builder, Constant, Curve, Custom, DecorrelatedJitter, Exponential, Fibonacci, Jitter, Linear, backoff,
        constant, decorrelated_jitter, exponential, fibonacci, linear,
    },
};

/// A curve of one's own, as a plain function.
pub(crate) type Delay = fn(u64, f64, &mut dyn FnMut() -> f64) -> f64;

/// The curves that `backoff` is tried with, by the names that `tests/vectors/README.md` defines.
pub(crate) const CURVES: [(&str, Delay); 7] = [
    ("squares", |attempt, _, _| 10.0 * attempt as f64 * attempt as f64),
    ("previous", |_, previous, _| 2.0 * previous + 25.0),
    ("drawn", |_, _, random| 400.0 * random()),
    ("nan", |_, _, _| f64::NAN),
    ("infinity", |_, _, _| f64::INFINITY),
    ("negative", |_, _, _| -5.0),
    ("minusInfinity", |_, _, _| f64::NEG_INFINITY),
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Exponential,
    DecorrelatedJitter,
    Fibonacci,
    Linear,
    Constant,
    /// An index into [`CURVES`].
    Custom(usize),
}

pub(crate) const KINDS: [Kind; 6] =
    [Kind::Exponential, Kind::DecorrelatedJitter, Kind::Fibonacci, Kind::Linear, Kind::Constant, Kind::Custom(0)];

#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit<T> {
    Omitted,
    Unlimited,
    At(T),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) kind: Kind,
    pub(crate) base: Duration,
    pub(crate) factor: Option<f64>,
    pub(crate) max_attempts: Limit<u64>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) max_delay: Limit<Duration>,
    pub(crate) jitter: Option<Jitter>,
}

#[derive(Clone, Copy)]
pub(crate) enum AnyPolicy {
    Exponential(Policy<Exponential>),
    DecorrelatedJitter(Policy<DecorrelatedJitter>),
    Fibonacci(Policy<Fibonacci>),
    Linear(Policy<Linear>),
    Constant(Policy<Constant>),
    Custom(Policy<Custom<Delay>>),
}

/// Runs an expression with the concrete policy inside an [`AnyPolicy`].
macro_rules! each {
    ($any:expr, $policy:ident => $body:expr) => {
        match $any {
            crate::policy::AnyPolicy::Exponential($policy) => $body,
            crate::policy::AnyPolicy::DecorrelatedJitter($policy) => $body,
            crate::policy::AnyPolicy::Fibonacci($policy) => $body,
            crate::policy::AnyPolicy::Linear($policy) => $body,
            crate::policy::AnyPolicy::Constant($policy) => $body,
            crate::policy::AnyPolicy::Custom($policy) => $body,
        }
    };
}

impl Options {
    /// Nothing but the base: not yet a policy, for it has no end.
    pub(crate) fn new(kind: Kind, base: Duration) -> Self {
        Self {
            kind,
            base,
            factor: None,
            max_attempts: Limit::Omitted,
            deadline: None,
            max_delay: Limit::Omitted,
            jitter: None,
        }
    }

    pub(crate) fn build(&self) -> Result<AnyPolicy, OptionError> {
        Ok(match self.kind {
            Kind::Exponential => {
                let curve = exponential(self.base);
                AnyPolicy::Exponential(self.limit(match self.factor {
                    Some(factor) => curve.factor(factor),
                    None => curve,
                })?)
            }
            Kind::DecorrelatedJitter => {
                let curve = decorrelated_jitter(self.base);
                AnyPolicy::DecorrelatedJitter(self.limit(match self.factor {
                    Some(factor) => curve.factor(factor),
                    None => curve,
                })?)
            }
            Kind::Fibonacci => AnyPolicy::Fibonacci(self.limit(fibonacci(self.base))?),
            Kind::Linear => AnyPolicy::Linear(self.limit(linear(self.base))?),
            Kind::Constant => AnyPolicy::Constant(self.limit(constant(self.base))?),
            Kind::Custom(curve) => AnyPolicy::Custom(self.limit(backoff(CURVES[curve].1))?),
        })
    }

    fn limit<C: Curve>(&self, mut builder: Builder<C>) -> Result<Policy<C>, OptionError> {
        builder = match self.max_attempts {
            Limit::Omitted => builder,
            Limit::Unlimited => builder.unlimited_attempts(),
            Limit::At(attempts) => builder.max_attempts(attempts),
        };
        builder = match self.max_delay {
            Limit::Omitted => builder,
            Limit::Unlimited => builder.unlimited_delay(),
            Limit::At(delay) => builder.max_delay(delay),
        };
        if let Some(deadline) = self.deadline {
            builder = builder.deadline(deadline);
        }
        if let Some(jitter) = self.jitter {
            builder = builder.jitter(jitter);
        }
        builder.build()
    }
}
