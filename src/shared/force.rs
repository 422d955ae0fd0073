//! A breaker changed by hand.

use super::Kind;
use crate::breaker::{BreakerState, force_close, force_open};

/// What an administrator can do to a shared breaker.
///
/// Each counts as a transition of its own at this moment, so that it wins over what other isolates have not seen yet;
/// see [`Breaker::merge`](crate::breaker::Breaker::merge).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum Force {
    /// Refuse calls for the open time; then a probe goes out as ever.
    Open,
    /// Let calls through. The failures counted so far still count.
    Close,
    /// Let calls through and forget what was counted.
    Reset,
}

impl Force {
    /// The name, as [`parse`](Self::parse) reads it: `open`, `close` or `reset`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Close => "close",
            Self::Reset => "reset",
        }
    }

    /// The action of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Open, Self::Close, Self::Reset].into_iter().find(|force| force.as_str() == name)
    }

    pub(crate) fn apply<S: BreakerState>(self, kind: &impl Kind<S>, state: S, now: f64) -> S {
        let opened = force_open(state, now);
        // `init` alone would lose every merge with an opening: a reset is a closing with an empty ledger.
        match self {
            Self::Open => opened,
            Self::Close => force_close(opened, now),
            Self::Reset => {
                let mut fresh = kind.fresh(now);
                fresh.set_recovery(force_close(opened, now).recovery());
                fresh
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::breaker::{Breaker, Status, consecutive_breaker};

    #[test]
    fn closing_by_hand_wins_over_an_opening_that_this_side_never_saw() {
        let breaker = consecutive_breaker(2).open(Duration::from_secs(30)).build().unwrap();
        let elsewhere = force_open(breaker.init(0.0), 1_000.0);
        for force in [Force::Close, Force::Reset] {
            let here = force.apply(&breaker, breaker.init(500.0), 2_000.0);
            assert_eq!(breaker.merge(here, elsewhere).status, Status::Closed, "{force:?}");
        }
        let opened = Force::Open.apply(&breaker, breaker.init(0.0), 2_000.0);
        assert_eq!(breaker.merge(opened, breaker.init(9_000.0)).status, Status::Open);
    }

    #[test]
    fn only_a_reset_forgets_the_failures() {
        let breaker = consecutive_breaker(3).open(Duration::from_secs(30)).build().unwrap();
        let two = breaker.fail(breaker.fail(breaker.init(0.0), 1.0), 2.0);
        assert_eq!(Force::Close.apply(&breaker, two, 3.0).failures, 2);
        assert_eq!(Force::Reset.apply(&breaker, two, 3.0).failures, 0);
    }

    #[test]
    fn names_are_read_back() {
        for force in [Force::Open, Force::Close, Force::Reset] {
            assert_eq!(Force::parse(force.as_str()), Some(force));
        }
        assert_eq!(Force::parse("Open"), None);
    }
}
