//! From a response to an [`Outcome`].

use super::hints::{Hints, milliseconds, reset, should_retry};
use super::is_idempotent_method;
use super::retry_after::{retry_after, some, trim};
use super::status::{is_failure, is_refusal};
use crate::Outcome;

/// What [`http_outcome`] should know of the request, and which hints it reads. The default: nothing, and none.
///
/// ```
/// use retry_primitives::classify::{Hints, HttpOptions};
///
/// let options = HttpOptions::new().method("POST").idempotent(true).hints(Hints::ALL);
/// assert_eq!(options.method, Some("POST"));
/// assert_eq!(options.idempotent, Some(true));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpOptions<'a> {
    /// The request's method, case ignored. Default `None`: no guard, the status alone decides.
    pub method: Option<&'a str>,
    /// Whether the request may be sent twice. Set `true` once it carries an idempotency key, `false` for a GET that has an
    /// effect. Default `None`: the method decides, by [`is_idempotent_method`].
    pub idempotent: Option<bool>,
    /// What is read beside `Retry-After`. Default [`Hints::NONE`].
    pub hints: Hints,
}

impl<'a> HttpOptions<'a> {
    /// The default.
    pub const fn new() -> Self {
        Self { method: None, idempotent: None, hints: Hints::NONE }
    }

    /// Sets [`method`](Self::method).
    #[must_use]
    pub const fn method(mut self, method: &'a str) -> Self {
        self.method = Some(method);
        self
    }

    /// Sets [`idempotent`](Self::idempotent).
    #[must_use]
    pub const fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = Some(idempotent);
        self
    }

    /// Sets [`hints`](Self::hints).
    #[must_use]
    pub const fn hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    fn may_repeat(&self) -> bool {
        match (self.idempotent, self.method) {
            (Some(idempotent), _) => idempotent,
            (None, Some(method)) => is_idempotent_method(method),
            (None, None) => true,
        }
    }
}

/// What a response that is not a success means: whether to repeat the request, and how soon at the earliest.
///
/// - `status`: retryable as [`is_retryable_status`](super::is_retryable_status) says.
/// - `header`: the response's field of that name, always asked for in lower case.
/// - `now`: epoch milliseconds, for dates.
/// - `options`: a request that is neither idempotent by its method nor marked so is repeated only when the status says
///   that the server did nothing: 429 and 503, 408 (the request did not arrive in full: RFC 9110, 15.5.9) and 425 (it was
///   not processed for fear of a replay: RFC 8470, 5.2). A POST that got a 500 may already have charged the card.
///   Without a method there is no guard.
///
/// `retry_after_ms` is what [`parse_retry_after`](super::parse_retry_after) reads from `Retry-After`, or else the first of the
/// [`Hints`] switched on that can be read; it is handed back even when the outcome is not retryable.
///
/// ```
/// use retry_primitives::classify::{HttpOptions, http_outcome};
///
/// let none = |_: &str| None::<&str>;
/// assert!(http_outcome(500, none, 0.0, &HttpOptions::new()).retryable);
/// let post = HttpOptions::new().method("POST");
/// assert!(!http_outcome(500, none, 0.0, &post).retryable);
/// assert!(http_outcome(500, none, 0.0, &post.idempotent(true)).retryable);
/// assert!(http_outcome(429, none, 0.0, &post).retryable);
/// ```
pub fn http_outcome<S: AsRef<str>>(
    status: u16,
    header: impl Fn(&str) -> Option<S>,
    now: f64,
    options: &HttpOptions<'_>,
) -> Outcome {
    let repeat = options.may_repeat();
    let (retryable, retry_after_ms) = outcome(status.into(), |field| header(FIELDS[field]), now, options.hints, repeat);
    Outcome { retryable, retry_after_ms: some(retry_after_ms) }
}

/// The response fields that may be asked for, in the order in which they are read.
const FIELDS: [&str; 6] =
    ["x-should-retry", "retry-after", "retry-after-ms", "x-ms-retry-after-ms", "ratelimit-reset", "x-ratelimit-reset"];
pub(super) const SHOULD_RETRY: usize = 0;
const RETRY_AFTER: usize = 1;
/// From here on the hints that say when, in the order of their bits.
pub(super) const FIRST_HINT: usize = 2;
/// From here on the hints that speak of a quota and so mean nothing unless the response is a 429.
pub(super) const FIRST_QUOTA: usize = 4;

/// Whether a response means that the request is to be repeated, and how soon; NaN is no word on that.
///
/// `header` is given the index of a field in [`FIELDS`].
#[inline]
pub(crate) fn outcome<S: AsRef<str>>(
    status: u32,
    header: impl Fn(usize) -> Option<S>,
    now: f64,
    hints: Hints,
    may_repeat: bool,
) -> (bool, f64) {
    let mut retryable = is_refusal(status) || (may_repeat && is_failure(status));
    let mut retry_after_ms = f64::NAN;
    let bits = u32::from(hints.bits());
    for field in 0..FIELDS.len() {
        let asked = match field {
            SHOULD_RETRY => bits & 16 != 0 && !matches!(status, 200..=299),
            RETRY_AFTER => true,
            _ => bits >> (field - FIRST_HINT) & 1 != 0 && (field < FIRST_QUOTA || status == 429),
        };
        if !asked || !retry_after_ms.is_nan() {
            continue;
        }
        if let Some(value) = header(field) {
            let answer = parse(field, value.as_ref().as_bytes(), now);
            if field > SHOULD_RETRY {
                retry_after_ms = answer;
            } else if answer > 0.0 {
                retryable = answer > 1.0;
            }
        }
    }
    (retryable, retry_after_ms)
}

/// What the value of a field says: the server's word, or milliseconds to wait.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(crate) fn parse(field: usize, value: &[u8], now: f64) -> f64 {
    let value = trim(value);
    match field {
        SHOULD_RETRY => f64::from(should_retry(value)),
        RETRY_AFTER => retry_after(value, now),
        FIRST_HINT..FIRST_QUOTA => milliseconds(value),
        _ => reset(value, now),
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    const NOW: f64 = 1_758_124_800_000.0; // Wed, 17 Sep 2025 16:00:00 GMT

    fn judge(status: u16, headers: &[(&str, &str)], options: HttpOptions) -> Outcome {
        let header = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        http_outcome(status, header, NOW, &options)
    }

    fn retryable(status: u16, options: HttpOptions) -> bool {
        judge(status, &[], options).retryable
    }

    #[test]
    fn without_a_method_the_status_decides() {
        for status in 0..=1000 {
            assert_eq!(retryable(status, HttpOptions::new()), crate::classify::is_retryable_status(status), "{status}");
        }
    }

    #[test]
    fn a_post_is_repeated_only_when_nothing_was_done() {
        let post = HttpOptions::new().method("POST");
        for status in [408, 425, 429, 503] {
            assert!(retryable(status, post), "{status}");
        }
        for status in [400, 404, 409, 500, 501, 502, 504, 505, 507, 599] {
            assert!(!retryable(status, post), "{status}");
        }
    }

    #[test]
    fn idempotent_overrules_the_method_both_ways() {
        assert!(retryable(500, HttpOptions::new().method("get")));
        assert!(retryable(500, HttpOptions::new().method("POST").idempotent(true)));
        assert!(!retryable(500, HttpOptions::new().method("GET").idempotent(false)));
        assert!(!retryable(500, HttpOptions::new().idempotent(false)));
        assert!(!retryable(404, HttpOptions::new().idempotent(true)));
        assert!(retryable(503, HttpOptions::new().idempotent(false)));
    }

    #[test]
    fn retry_after_is_handed_back_whatever_the_status() {
        for status in [200, 301, 404, 429, 501, 503] {
            let outcome = judge(status, &[("retry-after", "1800")], HttpOptions::new());
            assert_eq!(outcome.retry_after_ms, Some(1_800_000.0), "{status}");
        }
        let date = [("retry-after", "Wed, 17 Sep 2025 16:00:30 GMT")];
        assert_eq!(judge(503, &date, HttpOptions::new()).retry_after_ms, Some(30_000.0));
        assert_eq!(judge(503, &[("retry-after", "1.5")], HttpOptions::new()), Outcome::RETRYABLE);
    }

    #[test]
    fn hints_are_off_by_default() {
        let headers = [
            ("retry-after-ms", "5"),
            ("x-ms-retry-after-ms", "5"),
            ("ratelimit-reset", "5"),
            ("x-ratelimit-reset", "5"),
            ("x-should-retry", "false"),
        ];
        assert_eq!(judge(429, &headers, HttpOptions::new()), Outcome::RETRYABLE);
    }

    #[test]
    fn hints_in_order_of_precedence() {
        let headers = [
            ("retry-after", "5"),
            ("retry-after-ms", "4"),
            ("x-ms-retry-after-ms", "3"),
            ("ratelimit-reset", "2"),
            ("x-ratelimit-reset", "1758124801"),
        ];
        let expected = [5_000.0, 4.0, 3.0, 2_000.0, 1_000.0];
        let all = HttpOptions::new().hints(Hints::ALL);
        for (index, ms) in expected.into_iter().enumerate() {
            assert_eq!(judge(429, &headers[index..], all).retry_after_ms, Some(ms));
        }
        let mut unreadable = headers;
        unreadable[0].1 = "soon";
        unreadable[1].1 = "-1";
        assert_eq!(judge(429, &unreadable, all).retry_after_ms, Some(3.0));
    }

    #[test]
    fn each_hint_by_itself() {
        let headers = [
            ("retry-after-ms", "4"),
            ("x-ms-retry-after-ms", "3"),
            ("ratelimit-reset", "2"),
            ("x-ratelimit-reset", "1758124801"),
        ];
        for (hint, ms) in [
            (Hints::RETRY_AFTER_MS, Some(4.0)),
            (Hints::X_MS_RETRY_AFTER_MS, Some(3.0)),
            (Hints::RATE_LIMIT_RESET, Some(2_000.0)),
            (Hints::X_RATE_LIMIT_RESET, Some(1_000.0)),
            (Hints::X_SHOULD_RETRY, None),
            (Hints::NONE, None),
        ] {
            assert_eq!(judge(429, &headers, HttpOptions::new().hints(hint)).retry_after_ms, ms, "{hint:?}");
        }
    }

    #[test]
    fn a_quota_is_no_reason_to_wait_after_another_failure() {
        let headers = [("ratelimit-reset", "1800"), ("x-ratelimit-reset", "1800")];
        for status in [500, 503, 403] {
            assert_eq!(judge(status, &headers, HttpOptions::new().hints(Hints::ALL)).retry_after_ms, None, "{status}");
        }
    }

    #[test]
    fn the_servers_word_overrules_status_and_method() {
        let hints = HttpOptions::new().hints(Hints::X_SHOULD_RETRY);
        let word = |status, value, options| judge(status, &[("x-should-retry", value)], options).retryable;
        assert!(!word(429, "false", hints));
        assert!(!word(503, "false", hints.idempotent(true)));
        assert!(word(409, "true", hints));
        assert!(word(500, "true", hints.method("POST")));
        assert!(!word(200, "true", hints));
        assert!(word(500, "maybe", hints));
        assert!(!word(400, "maybe", hints));
        assert!(word(500, "false", HttpOptions::new()));
    }

    #[test]
    fn headers_may_be_owned() {
        let owned = |_: &str| Some(std::string::String::from("3"));
        assert_eq!(http_outcome(503, owned, NOW, &HttpOptions::new()).retry_after_ms, Some(3_000.0));
    }

    #[test]
    fn names_are_asked_for_in_lower_case() {
        let header = |name: &str| {
            assert_eq!(name, name.to_ascii_lowercase());
            None::<&str>
        };
        http_outcome(429, header, NOW, &HttpOptions::new().hints(Hints::ALL));
    }
}
