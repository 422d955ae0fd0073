//! The loop.

use core::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    task::{self, Poll, ready},
    time::Duration,
};

use pin_project_lite::pin_project;

use super::{
    Budgeted, Classify, Context, EveryError, GiveUp, Hook, Limit, Notify, Retryable, Runtime, Shared, SharedBudget,
    Silent, Throttled, Unlimited, When,
    runtime::{DefaultRuntime, MaybeRuntime},
};
use crate::{
    Decision, Policy, RetryState,
    backoff::Curve,
    budget::Budget,
    number::{elapsed_ms, ms_duration},
};

pin_project! {
    /// A retry: a future of what the operation gives in the end, or of its last error, unchanged.
    ///
    /// Made by [`Retryable::retry`] or [`retry`](super::retry()). Nothing happens before it is first polled. Dropping
    /// it, at whatever moment, drops the attempt or the wait that is under way, and there is nothing else.
    ///
    /// Without a deadline and without a budget a call that succeeds at once reads no clock.
    ///
    /// It is fused: polled again after it has given its result, it is pending for ever and calls nothing. What needs a
    /// result has to keep the one that it was given.
    #[must_use = "a retry does nothing unless it is awaited"]
    pub struct Retry<
        O, Arguments, C, R = DefaultRuntime, K = EveryError, N = Silent, G = Silent, L = Unlimited,
    >
    where
        O: Retryable<Arguments>,
        R: MaybeRuntime,
    {
        operation: O,
        policy: Policy<C>,
        runtime: R,
        classify: K,
        on_retry: N,
        on_give_up: G,
        limit: L,
        state: RetryState,
        #[pin]
        step: Step<O::Attempt, R::Sleep>,
        arguments: PhantomData<fn(Arguments)>,
    }
}

pin_project! {
    #[project = StepProjection]
    enum Step<A, S> {
        Idle,
        Attempting { #[pin] attempt: A },
        Waiting { #[pin] sleep: S, left: Duration },
        Over,
    }
}

impl<O: Retryable<Arguments>, Arguments, C: Curve> Retry<O, Arguments, C> {
    pub(super) fn new(operation: O, policy: Policy<C>) -> Self {
        Self {
            operation,
            policy,
            runtime: DefaultRuntime::default(),
            classify: EveryError,
            on_retry: Silent,
            on_give_up: Silent,
            limit: Unlimited,
            state: RetryState::default(),
            step: Step::Idle,
            arguments: PhantomData,
        }
    }
}

/// One field replaced, and with it a type; to be used before the first poll only, since it begins anew.
macro_rules! replaced {
    ($retry:ident, $($field:ident),+; $name:ident = $value:expr) => {
        Retry {
            $($field: $retry.$field,)+
            $name: $value,
            state: RetryState::default(),
            step: Step::Idle,
            arguments: PhantomData,
        }
    };
}

impl<O, Arguments, C, R, K, N, G, L> Retry<O, Arguments, C, R, K, N, G, L>
where
    O: Retryable<Arguments>,
    R: MaybeRuntime,
{
    /// Where to take time from and to wait.
    ///
    /// # Default
    /// [`DefaultRuntime`].
    pub fn on<S: Runtime>(self, runtime: S) -> Retry<O, Arguments, C, S, K, N, G, L> {
        replaced!(self, operation, policy, classify, on_retry, on_give_up, limit; runtime = runtime)
    }

    /// Says of each error what it means: a function of the error and a [`Context`] that gives an
    /// [`Outcome`](crate::Outcome), which carries a `Retry-After` too, or anything else that makes a
    /// [`Meaning`](super::Meaning).
    ///
    /// # Default
    /// Every error may be repeated.
    pub fn classify<F, M>(self, classify: F) -> Retry<O, Arguments, C, R, F, N, G, L>
    where
        F: FnMut(&O::Error, Context) -> M,
        M: Into<super::Meaning>,
    {
        replaced!(self, operation, policy, runtime, on_retry, on_give_up, limit; classify = classify)
    }

    /// Repeats only after errors for which `retryable` is true: [`classify`](Self::classify) with a plain answer.
    pub fn when<F>(self, retryable: F) -> Retry<O, Arguments, C, R, When<F>, N, G, L>
    where
        F: FnMut(&O::Error) -> bool,
    {
        replaced!(self, operation, policy, runtime, on_retry, on_give_up, limit; classify = When(retryable))
    }

    /// Is told of each error that will be repeated, with the [`Decision`], before the wait, which what the hook takes is
    /// part of. If that is past the deadline, [`on_give_up`](Self::on_give_up) is told as well, and no attempt follows.
    pub fn on_retry<F>(self, hook: F) -> Retry<O, Arguments, C, R, K, F, G, L>
    where
        F: FnMut(&O::Error, Decision),
    {
        replaced!(self, operation, policy, runtime, classify, on_give_up, limit; on_retry = hook)
    }

    /// Is told of each error that will be repeated, with the wait that follows: [`on_retry`](Self::on_retry) with no
    /// more than that. The one set last counts.
    pub fn notify<F>(self, hook: F) -> Retry<O, Arguments, C, R, K, Notify<F>, G, L>
    where
        F: FnMut(&O::Error, Duration),
    {
        replaced!(self, operation, policy, runtime, classify, on_give_up, limit; on_retry = Notify(hook))
    }

    /// Is told of the error that ends it, with the reason: see [`GiveUp`].
    pub fn on_give_up<F>(self, hook: F) -> Retry<O, Arguments, C, R, K, N, F, L>
    where
        F: FnMut(&O::Error, GiveUp),
    {
        replaced!(self, operation, policy, runtime, classify, on_retry, limit; on_give_up = hook)
    }

    /// Bounds the retries of all calls that share `budget`: what the policy allows is also asked of it, and if it
    /// refuses, the last error is returned at once. First attempts always go, so recovery is noticed.
    ///
    /// A retry is paid for before its wait; one that is dropped while it waits has been paid for.
    pub fn budget<B: Budget, P: Shared<B::State>>(
        self,
        budget: &SharedBudget<B, P>,
    ) -> Retry<O, Arguments, C, R, K, N, G, Budgeted<'_, B, P>> {
        replaced!(self, operation, policy, runtime, classify, on_retry, on_give_up; limit = Budgeted::new(budget))
    }

    /// [`budget`](Self::budget) that holds back first attempts as well, for an
    /// [`adaptive_throttle`](crate::budget::adaptive_throttle). There is no error to return then but the one that
    /// `refused` makes.
    #[expect(clippy::type_complexity, reason = "each part that can be replaced is a parameter")]
    pub fn throttle<B: Budget, P: Shared<B::State>, F: FnMut() -> O::Error>(
        self,
        budget: &SharedBudget<B, P>,
        refused: F,
    ) -> Retry<O, Arguments, C, R, K, N, G, Throttled<'_, B, P, F>> {
        replaced!(self, operation, policy, runtime, classify, on_retry, on_give_up; limit = Throttled::new(budget, refused))
    }
}

impl<O, Arguments, C, R, K, N, G, L> Future for Retry<O, Arguments, C, R, K, N, G, L>
where
    O: Retryable<Arguments>,
    C: Curve,
    R: Runtime,
    K: Classify<O::Error>,
    N: Hook<O::Error, Decision>,
    G: Hook<O::Error, GiveUp>,
    L: Limit<O::Error>,
{
    type Output = Result<O::Output, O::Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            match this.step.as_mut().project() {
                StepProjection::Idle => {
                    // Reading a clock takes longer than all the rest.
                    let timed = L::TIMED || this.policy.deadline_ms < f64::INFINITY;
                    let now = if timed { this.runtime.now() } else { 0.0 };
                    *this.state = this.policy.init(now);
                    if let Err(refused) = this.limit.begin(this.runtime, now) {
                        this.step.set(Step::Over);
                        return Poll::Ready(Err(refused));
                    }
                    this.step.set(Step::Attempting { attempt: this.operation.attempt(1) });
                }
                StepProjection::Attempting { attempt } => {
                    let result = ready!(attempt.poll(context));
                    // What the attempt holds is let go of before anybody is told.
                    this.step.set(Step::Over);
                    let error = match result {
                        Ok(output) => {
                            this.limit.succeeded(this.runtime);
                            return Poll::Ready(Ok(output));
                        }
                        Err(error) => error,
                    };
                    let mut now = this.runtime.now();
                    let attempt = this.state.attempts + 1;
                    let meaning = this.classify.classify(&error, Context { attempt, now });
                    // A deadline does not wait for whoever is asked, or told.
                    if K::ASKED && this.policy.deadline_ms < f64::INFINITY {
                        now = this.runtime.now();
                    }
                    this.limit.failed(now, meaning.failure);
                    let random = || this.runtime.random();
                    let (next, decision) = this.policy.next(*this.state, now, meaning.outcome, random);
                    let Decision::Retry { delay_ms, remaining_ms, .. } = decision else {
                        this.on_give_up.call(&error, GiveUp::Policy(decision));
                        return Poll::Ready(Err(error));
                    };
                    if !this.limit.allows(this.runtime, now, meaning.failure) {
                        this.on_give_up.call(&error, GiveUp::Budget(decision));
                        return Poll::Ready(Err(error));
                    }
                    this.on_retry.call(&error, decision);
                    let mut took = 0.0;
                    if !N::SILENT {
                        let told = this.runtime.now();
                        took = elapsed_ms(told, now);
                        if took >= remaining_ms {
                            let (_, decision) = this.policy.next(*this.state, told, meaning.outcome, random);
                            this.on_give_up.call(&error, GiveUp::Policy(decision));
                            return Poll::Ready(Err(error));
                        }
                    }
                    *this.state = next;
                    this.step.set(wait(this.runtime, ms_duration(delay_ms - took)));
                }
                StepProjection::Waiting { sleep, left } => {
                    ready!(sleep.poll(context));
                    let left = *left;
                    this.step.set(if left.is_zero() {
                        Step::Attempting { attempt: this.operation.attempt(this.state.attempts + 1) }
                    } else {
                        wait(this.runtime, left)
                    });
                }
                StepProjection::Over => return Poll::Pending,
            }
        }
    }
}

impl<O, Arguments, C, R, K, N, G, L> fmt::Debug for Retry<O, Arguments, C, R, K, N, G, L>
where
    O: Retryable<Arguments>,
    C: fmt::Debug,
    R: MaybeRuntime,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("policy", &self.policy).field("state", &self.state).finish_non_exhaustive()
    }
}

/// The first piece of a wait, as long as this runtime's timer can be.
fn wait<A, R: Runtime>(runtime: &R, wait: Duration) -> Step<A, R::Sleep> {
    let piece = wait.min(R::LONGEST_SLEEP.max(Duration::from_millis(1)));
    Step::Waiting { sleep: runtime.sleep(piece), left: wait - piece }
}
