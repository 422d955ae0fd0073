//! Which statuses are worth repeating.

/// Whether a response with this status may succeed when the request is repeated: 408, 425, 429, and 5xx except 501 and 505.
///
/// 501 Not Implemented and 505 HTTP Version Not Supported describe what the server is, not the state it is in: they will
/// be the same next time. A 5xx is 500 to 599; anything outside is no HTTP status and not retryable.
/// Whether repeating is *safe* is another question, see [`http_outcome`](super::http_outcome).
///
/// ```
/// use retry_primitives::classify::is_retryable_status;
///
/// assert!(is_retryable_status(503));
/// assert!(!is_retryable_status(404));
/// ```
pub const fn is_retryable_status(status: u16) -> bool {
    is_refusal(status as u32) || is_failure(status as u32)
}

/// A 5xx that may be another answer next time.
pub(super) const fn is_failure(status: u32) -> bool {
    matches!(status, 500..=599) && status != 501 && status != 505
}

/// Whether the status itself says that the request was not acted on, so that even a POST may be repeated.
///
/// - 408: the server did not receive a complete request in time (RFC 9110, 15.5.9).
/// - 425: the server was unwilling to process a request that might be replayed (RFC 8470, 5.2).
/// - 429: refused by a rate limit (RFC 6585, 4).
/// - 503: unable to handle the request (RFC 9110, 15.6.4).
pub(super) const fn is_refusal(status: u32) -> bool {
    matches!(status, 408 | 425 | 429 | 503)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_by_the_rule() {
        for status in 0..=u16::MAX {
            let by_rule =
                [408, 425, 429].contains(&status) || ((500..600).contains(&status) && ![501, 505].contains(&status));
            assert_eq!(is_retryable_status(status), by_rule, "{status}");
        }
    }

    #[test]
    fn a_refusal_is_always_retryable() {
        for status in (0..=999).filter(|status| is_refusal(u32::from(*status))) {
            assert!(is_retryable_status(status), "{status}");
        }
    }
}
