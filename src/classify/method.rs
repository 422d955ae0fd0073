//! Which methods may be repeated blindly.

use super::words::{CASE, groups};

const IDEMPOTENT: &str = "GET\nHEAD\nPUT\nDELETE\nOPTIONS\nTRACE\n";

/// Whether repeating a request with this method has the effect of sending it once: GET, HEAD, PUT, DELETE, OPTIONS, TRACE
/// (RFC 9110, 9.2.2).
///
/// ASCII case does not matter. Methods are case-sensitive on the wire, but `fetch` upper-cases `get` or `put` before it
/// sends them, so the spelling a caller holds need not be the one that was sent; no registered method differs from
/// another by case alone.
///
/// ```
/// use retry_primitives::classify::is_idempotent_method;
///
/// assert!(is_idempotent_method("put"));
/// assert!(!is_idempotent_method("POST"));
/// ```
pub fn is_idempotent_method(method: &str) -> bool {
    groups(IDEMPOTENT, method.as_bytes(), CASE, false) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idempotent_by_rfc_9110() {
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "Delete"] {
            assert!(is_idempotent_method(method), "{method}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for method in ["POST", "PATCH", "CONNECT", "post", "", "GET ", "GETS", "QUERY", "ＧＥＴ"] {
            assert!(!is_idempotent_method(method), "{method}");
        }
    }
}
