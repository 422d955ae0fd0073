//! What an error from `fetch` means, in any runtime.

use super::sign::{Sign, sign};
use crate::Outcome;

/// How many causes beneath an error are looked at, 16; the rest of a longer or circular chain is never asked for.
pub const MAX_CAUSES: usize = 16;

/// What is known of one error in a chain of causes: JavaScript's `name`, `code` and `message`, each empty when it is absent.
///
/// A `code` that is a number, as a `DOMException` has, may be left out or given in digits: it is not looked at.
///
/// ```
/// use retry_primitives::classify::ErrorFacts;
///
/// let refused = ErrorFacts::new("Error", "ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:8080");
/// let wrapper = ErrorFacts { name: "TypeError", message: "fetch failed", ..ErrorFacts::default() };
/// assert_eq!(wrapper.code, "");
/// # let _ = refused;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorFacts<'a> {
    /// `error.name`, such as `TypeError` or `AbortError`.
    pub name: &'a str,
    /// `error.code`, such as `ECONNRESET`.
    pub code: &'a str,
    /// `error.message`, such as `fetch failed`.
    pub message: &'a str,
}

impl<'a> ErrorFacts<'a> {
    /// All three, in the order of the fields.
    pub const fn new(name: &'a str, code: &'a str, message: &'a str) -> Self {
        Self { name, code, message }
    }
}

/// What kind of failure an error is.
///
/// ```
/// use retry_primitives::classify::{ErrorFacts, ErrorKind, error_kind};
///
/// assert_eq!(error_kind([ErrorFacts::new("TimeoutError", "", "")]), ErrorKind::Timeout);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The transport failed: no route, no name, refused, reset, cut off.
    Network,
    /// The transport itself timed out, while it connected or waited for data (`ETIMEDOUT`, `UND_ERR_HEADERS_TIMEOUT`): a
    /// failure of the network and a timeout at once.
    NetworkTimeout,
    /// A deadline set by the caller passed, such as `AbortSignal.timeout()`.
    Timeout,
    /// A deliberate cancellation: never to be repeated.
    Abort,
    /// Anything else, and everything unknown: a bug, a bad URL, a certificate that is not trusted.
    Other,
}

impl ErrorKind {
    /// [`Network`](Self::Network) or [`NetworkTimeout`](Self::NetworkTimeout).
    ///
    /// ```
    /// use retry_primitives::classify::ErrorKind;
    ///
    /// assert!(ErrorKind::NetworkTimeout.is_network());
    /// assert!(!ErrorKind::Timeout.is_network());
    /// ```
    pub const fn is_network(self) -> bool {
        matches!(self, Self::Network | Self::NetworkTimeout)
    }

    /// [`Timeout`](Self::Timeout) or [`NetworkTimeout`](Self::NetworkTimeout).
    ///
    /// ```
    /// use retry_primitives::classify::ErrorKind;
    ///
    /// assert!(ErrorKind::NetworkTimeout.is_timeout());
    /// assert!(!ErrorKind::Network.is_timeout());
    /// ```
    pub const fn is_timeout(self) -> bool {
        matches!(self, Self::Timeout | Self::NetworkTimeout)
    }

    /// Whether [`error_outcome`] repeats it: a failure of the network or a timeout.
    ///
    /// ```
    /// use retry_primitives::classify::ErrorKind;
    ///
    /// assert!(ErrorKind::Network.is_retryable());
    /// assert!(!ErrorKind::Abort.is_retryable());
    /// ```
    pub const fn is_retryable(self) -> bool {
        self.is_network() || self.is_timeout()
    }
}

/// What kind of failure an error is, judged by itself and the causes beneath it.
///
/// `chain` yields the error, then its `cause`, then that one's, and so on; at most [`MAX_CAUSES`] causes are asked for, so
/// a chain that runs in a circle ends. A single error is a chain of one.
///
/// - Codes and the names `AbortError`, `TimeoutError` are certain, at any depth.
/// - An abort anywhere makes it an abort, unless a timeout stands above or beneath it: whoever aborts at a deadline means
///   the deadline, and Node's `AbortError` carries the signal's `TimeoutError` as its cause.
/// - The exact messages of `fetch` in each runtime count in a `TypeError`, and those of Workers in any error. A cause with a
///   code that is not of the network, such as `CERT_HAS_EXPIRED`, belies them.
/// - Deno's `error sending request` counts in any error, unless it goes on about a certificate.
/// - Node's `fetch failed` and `terminated`, and axios' `ERR_NETWORK`, count only without a cause, or with one that is of the network: with
///   `unknown scheme` beneath it, it will fail the same way next time.
///
/// In a browser, a request that CORS forbids is told in the same words as one that the network lost; there is no telling
/// them apart.
///
/// ```
/// use retry_primitives::classify::{ErrorFacts, ErrorKind, error_kind};
///
/// let wrapper = ErrorFacts::new("TypeError", "", "fetch failed");
/// let refused = ErrorFacts::new("Error", "ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:8080");
/// let scheme = ErrorFacts::new("Error", "", "unknown scheme");
/// assert_eq!(error_kind([wrapper, refused]), ErrorKind::Network);
/// assert_eq!(error_kind([wrapper, scheme]), ErrorKind::Other);
/// ```
pub fn error_kind<'a>(chain: impl IntoIterator<Item = ErrorFacts<'a>>) -> ErrorKind {
    let mut kind = ErrorKind::Other;
    let mut said = Sign::Nothing;
    for error in chain.into_iter().take(MAX_CAUSES + 1) {
        match (sign(&error), &said) {
            (Sign::Certain(timeout @ (ErrorKind::Timeout | ErrorKind::NetworkTimeout)), _) => return timeout,
            (Sign::Certain(certain), _) => {
                if kind != ErrorKind::Abort {
                    kind = certain;
                }
            }
            (Sign::Message, _) => said = Sign::Message,
            (Sign::Wrapper, Sign::Nothing) => said = Sign::Wrapper,
            (Sign::UnknownCode, _) | (Sign::Nothing, Sign::Wrapper) => said = Sign::Nothing,
            (Sign::Wrapper | Sign::Nothing, _) => {}
        }
    }
    match (kind, said) {
        (ErrorKind::Other, Sign::Message | Sign::Wrapper) => ErrorKind::Network,
        _ => kind,
    }
}

/// Whether the transport failed, its own timeouts included; see [`error_kind`].
///
/// ```
/// use retry_primitives::classify::{ErrorFacts, is_network_error};
///
/// assert!(is_network_error([ErrorFacts::new("Error", "", "Network connection lost.")]));
/// assert!(!is_network_error([ErrorFacts::new("TypeError", "", "x is not a function")]));
/// ```
pub fn is_network_error<'a>(chain: impl IntoIterator<Item = ErrorFacts<'a>>) -> bool {
    error_kind(chain).is_network()
}

/// Whether it is a deliberate cancellation, never to be repeated; see [`error_kind`].
///
/// ```
/// use retry_primitives::classify::{ErrorFacts, is_abort_error};
///
/// assert!(is_abort_error([ErrorFacts::new("AbortError", "20", "This operation was aborted")]));
/// ```
pub fn is_abort_error<'a>(chain: impl IntoIterator<Item = ErrorFacts<'a>>) -> bool {
    error_kind(chain) == ErrorKind::Abort
}

/// Whether a deadline passed, the caller's or the transport's: usually worth repeating; see [`error_kind`].
///
/// ```
/// use retry_primitives::classify::{ErrorFacts, is_timeout_error};
///
/// assert!(is_timeout_error([ErrorFacts::new("TimeoutError", "23", "The operation was aborted due to timeout")]));
/// ```
pub fn is_timeout_error<'a>(chain: impl IntoIterator<Item = ErrorFacts<'a>>) -> bool {
    error_kind(chain).is_timeout()
}

/// The conservative default: failures of the transport and timeouts are retryable, nothing else is; see [`error_kind`].
///
/// It knows nothing of the request. A connection that was reset may have carried a POST that was acted on: ask
/// [`is_idempotent_method`](super::is_idempotent_method) too when that matters.
///
/// ```
/// use retry_primitives::Outcome;
/// use retry_primitives::classify::{ErrorFacts, error_outcome};
///
/// assert_eq!(error_outcome([ErrorFacts::new("TypeError", "", "Failed to fetch")]), Outcome::RETRYABLE);
/// assert_eq!(error_outcome([ErrorFacts::new("RangeError", "", "")]), Outcome::NON_RETRYABLE);
/// ```
pub fn error_outcome<'a>(chain: impl IntoIterator<Item = ErrorFacts<'a>>) -> Outcome {
    Outcome { retryable: error_kind(chain).is_retryable(), retry_after_ms: None }
}

#[cfg(test)]
mod tests {
    use super::ErrorKind::{Abort, Network, NetworkTimeout, Other, Timeout};
    use super::*;

    const FETCH_FAILED: ErrorFacts = ErrorFacts::new("TypeError", "", "fetch failed");

    fn one(name: &str, code: &str, message: &str) -> ErrorKind {
        error_kind([ErrorFacts::new(name, code, message)])
    }

    fn beneath_fetch_failed(name: &str, code: &str, message: &str) -> ErrorKind {
        error_kind([FETCH_FAILED, ErrorFacts::new(name, code, message)])
    }

    #[test]
    fn what_fetch_says_in_each_runtime() {
        for message in [
            "Failed to fetch",
            "Failed to fetch (api.example.com)",
            "network error",
            "NetworkError when attempting to fetch resource.",
            "Load failed",
            "The Internet connection appears to be offline.",
            "fetch failed",
            "terminated",
            "error reading a body from connection",
        ] {
            assert_eq!(one("TypeError", "", message), Network, "{message}");
            assert_eq!(one("Error", "", message), Other, "{message}");
        }
    }

    #[test]
    fn workers_say_it_in_a_plain_error() {
        assert_eq!(one("Error", "", "Network connection lost."), Network);
        assert_eq!(one("Error", "", "Network connection lost"), Network);
        assert_eq!(one("Error", "", "Network connection lost in space"), Other);
    }

    #[test]
    fn deno_says_it_in_its_error_or_in_the_cause() {
        // Of Deno 2.9: a refused connection, an unknown host, and a connection that was cut.
        for message in [
            "error sending request for url (http://127.0.0.1:5/): client error (Connect): tcp connect error",
            "error sending request for url (http://nowhere.invalid/): client error (Connect): dns error",
            "error sending request from 127.0.0.1:6 for http://127.0.0.1:5/ (127.0.0.1:5): client error (SendRequest)",
        ] {
            assert_eq!(one("TypeError", "", message), Network, "{message}");
            assert_eq!(beneath_fetch_failed("Error", "", message), Network, "{message}");
        }
        assert_eq!(one("TypeError", "", "Url scheme 'nothing' not supported"), Other);
        let certificate = "error sending request for url (https://expired.badssl.com/): client error (Connect): invalid \
                           peer certificate: Expired";
        assert_eq!(beneath_fetch_failed("Error", "", certificate), Other);
    }

    #[test]
    fn a_bug_is_no_network_error() {
        for message in ["", "x is not a function", "Invalid URL", "Failed to parse URL from /x", "fetch failed!"] {
            assert_eq!(one("TypeError", "", message), Other, "{message}");
        }
        assert_eq!(error_kind([]), Other);
    }

    #[test]
    fn codes_count_alone_and_beneath_a_wrapper() {
        for code in [
            "ECONNREFUSED",
            "ECONNRESET",
            "ENOTFOUND",
            "EAI_AGAIN",
            "EPIPE",
            "UND_ERR_SOCKET",
            "ConnectionRefused",
            "ConnectionClosed",
            "FailedToOpenSocket",
        ] {
            assert_eq!(one("Error", code, ""), Network, "{code}");
            assert_eq!(beneath_fetch_failed("Error", code, ""), Network, "{code}");
        }
        for code in ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"] {
            assert_eq!(one("Error", code, ""), NetworkTimeout, "{code}");
            assert_eq!(beneath_fetch_failed("Error", code, ""), NetworkTimeout, "{code}");
        }
    }

    #[test]
    fn fetch_failed_for_another_reason() {
        // The causes are Node 20's for `foo://x` and port 1, and undici's for its own arguments.
        for (name, code, message) in [
            ("Error", "", "unknown scheme"),
            ("Error", "", "bad port"),
            ("TypeError", "", "unknown scheme"),
            ("InvalidArgumentError", "UND_ERR_INVALID_ARG", "invalid onRequestStart method"),
            ("Error", "SOMETHING_NEW", ""),
        ] {
            assert_eq!(beneath_fetch_failed(name, code, message), Other, "{message}");
        }
    }

    #[test]
    fn a_certificate_does_not_heal() {
        for code in [
            "CERT_HAS_EXPIRED",
            "DEPTH_ZERO_SELF_SIGNED_CERT",
            "SELF_SIGNED_CERT_IN_CHAIN",
            "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
            "ERR_TLS_CERT_ALTNAME_INVALID",
        ] {
            assert_eq!(one("Error", code, ""), Other, "{code}");
            assert_eq!(one("TypeError", code, "Failed to fetch"), Other, "{code}");
            assert_eq!(beneath_fetch_failed("Error", code, ""), Other, "{code}");
            let cause = ErrorFacts::new("Error", code, "");
            assert_eq!(error_kind([ErrorFacts::new("TypeError", "", "Load failed"), cause]), Other, "{code}");
        }
        let deno = "error sending request for url (https://expired.badssl.com/): client error (Connect): \
                    invalid peer certificate: Expired";
        assert_eq!(one("TypeError", "", deno), Other);
        assert_eq!(beneath_fetch_failed("Error", "", deno), Other);
    }

    #[test]
    fn axios_wraps_as_node_does() {
        let axios = ErrorFacts::new("AxiosError", "ERR_NETWORK", "Network Error");
        assert_eq!(error_kind([axios]), Network);
        assert_eq!(error_kind([axios, ErrorFacts::new("Error", "ECONNREFUSED", "")]), Network);
        assert_eq!(error_kind([axios, ErrorFacts::new("Error", "CERT_HAS_EXPIRED", "")]), Other);
        assert_eq!(error_kind([axios, ErrorFacts::new("Error", "", "unknown scheme")]), Other);
        assert_eq!(one("CanceledError", "ERR_CANCELED", "canceled"), Abort);
    }

    #[test]
    fn a_cause_without_a_code_leaves_a_message_alone() {
        let deno = ErrorFacts::new("TypeError", "", "error sending request for url (https://example.com/)");
        let cause = ErrorFacts::new("Error", "", "Connection reset by peer (os error 104)");
        assert_eq!(error_kind([deno, cause]), Network);
    }

    #[test]
    fn wrappers_of_any_kind_are_looked_through() {
        let sdk = ErrorFacts::new("Error", "", "Connection error.");
        let refused = ErrorFacts::new("Error", "ECONNREFUSED", "");
        assert_eq!(error_kind([sdk, FETCH_FAILED, refused]), Network);
        assert_eq!(error_kind([sdk, FETCH_FAILED]), Network);
        assert_eq!(error_kind([FETCH_FAILED, sdk, refused]), Network);
        assert_eq!(error_kind([FETCH_FAILED, FETCH_FAILED]), Network);
        assert_eq!(error_kind([sdk]), Other);
    }

    #[test]
    fn an_abort_is_never_repeated() {
        let abort = ErrorFacts::new("AbortError", "20", "This operation was aborted");
        let reset = ErrorFacts::new("Error", "ECONNRESET", "");
        for kind in [
            error_kind([abort]),
            error_kind([FETCH_FAILED, abort]),
            error_kind([reset, abort]),
            error_kind([abort, reset]),
            one("Error", "ABORT_ERR", ""),
            one("AbortError", "UND_ERR_ABORTED", "Request aborted"),
        ] {
            assert_eq!(kind, Abort);
        }
        assert_eq!(error_outcome([abort]), Outcome::NON_RETRYABLE);
    }

    #[test]
    fn an_abort_at_a_deadline_is_a_timeout() {
        let timeout = ErrorFacts::new("TimeoutError", "23", "The operation was aborted due to timeout");
        // As Node 20's `timers/promises` throws it with `AbortSignal.timeout()`.
        let abort = ErrorFacts::new("AbortError", "ABORT_ERR", "The operation was aborted");
        assert_eq!(error_kind([timeout]), Timeout);
        assert_eq!(error_kind([abort, timeout]), Timeout);
        assert_eq!(error_kind([timeout, abort]), Timeout);
        assert_eq!(error_kind([FETCH_FAILED, timeout]), Timeout);
    }

    #[test]
    fn a_chain_without_end_ends() {
        let mut asked = 0;
        let circle = core::iter::repeat_with(|| {
            asked += 1;
            ErrorFacts::new("Error", "", "round")
        });
        assert_eq!(error_kind(circle), Other);
        assert!(asked <= MAX_CAUSES + 1);
        assert_eq!(error_kind(core::iter::repeat_n(FETCH_FAILED, 10_000)), Network);

        let refused = ErrorFacts::new("Error", "ECONNREFUSED", "");
        let deep = |causes| core::iter::repeat_n(ErrorFacts::default(), causes).chain([refused]);
        assert_eq!(error_kind(deep(MAX_CAUSES)), Network);
        assert_eq!(error_kind(deep(MAX_CAUSES + 1)), Other);
    }

    #[test]
    fn predicates_and_outcome_agree_with_the_kind() {
        for (code, network, timeout) in [
            ("ECONNRESET", true, false),
            ("ETIMEDOUT", true, true),
            ("ABORT_ERR", false, false),
            ("EACCES", false, false),
        ] {
            let chain = [ErrorFacts::new("Error", code, "")];
            assert_eq!(is_network_error(chain), network, "{code}");
            assert_eq!(is_timeout_error(chain), timeout, "{code}");
            assert_eq!(is_abort_error(chain), code == "ABORT_ERR", "{code}");
            assert_eq!(error_outcome(chain).retryable, network || timeout, "{code}");
            assert_eq!(error_outcome(chain).retry_after_ms, None);
        }
    }
}
