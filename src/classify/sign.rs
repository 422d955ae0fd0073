//! What one error in a chain says by itself: the names, codes and messages of every runtime.

use super::{ErrorFacts, ErrorKind};

const ABORT_NAMES: &[&str] = &["AbortError", "CanceledError"];

/// Node, axios, undici.
const ABORT_CODES: &[&str] = &["ABORT_ERR", "ERR_CANCELED", "UND_ERR_ABORTED", "UND_ERR_ABORT"];

/// libuv and Node, then undici.
const TIMEOUT_CODES: &[&str] = &[
    "ETIMEDOUT",
    "ESOCKETTIMEDOUT",
    "ERR_SOCKET_CONNECTION_TIMEOUT",
    "UND_ERR_CONNECT_TIMEOUT",
    "UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_BODY_TIMEOUT",
];

/// libuv and Node, undici, Bun, node-fetch. A certificate's code is not here on purpose: nor is any unknown one.
const NETWORK_CODES: &[&str] = &[
    "ECONNREFUSED",
    "ECONNRESET",
    "ECONNABORTED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EPIPE",
    "EHOSTUNREACH",
    "EHOSTDOWN",
    "ENETUNREACH",
    "ENETDOWN",
    "ENETRESET",
    "UND_ERR_SOCKET",
    "UND_ERR_INFO",
    "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
    "ConnectionRefused",
    "ConnectionClosed",
    "FailedToOpenSocket",
    "ERR_STREAM_PREMATURE_CLOSE",
];

/// Node's wrappers, which say nothing by themselves: `fetch failed` is a refused connection and a bad scheme alike.
const WRAPPERS: &[&str] = &["fetch failed", "terminated"];

/// axios with its fetch adapter: `fetch failed` in other words, with that error's cause.
const WRAPPER_CODE: &str = "ERR_NETWORK";

/// What `fetch` says in a `TypeError`: Chromium, Firefox, Safari, Bun, and React Native or cross-fetch.
const MESSAGES: &[&str] = &[
    "Failed to fetch",
    "network error",
    "NetworkError when attempting to fetch resource.",
    "Load failed",
    "The Internet connection appears to be offline.",
    "The network connection was lost.",
    "Could not connect to the server.",
    "A network error occurred.",
    "Network request failed",
];

/// What `fetch` says in a `TypeError` before it names the host or the URL: Chromium, Safari, Deno.
const PREFIXES: &[&str] = &["Failed to fetch (", "Load failed (", "error sending request for url"];

/// Workers, in a plain `Error`, with or without a dot.
const WORKERS: &str = "Network connection lost";

/// Deno has no code for a certificate that is not trusted, only this within its message.
const DENO_CERTIFICATE: &str = "invalid peer certificate";

/// What one error says by itself.
pub(super) enum Sign {
    Certain(ErrorKind),
    /// A message of the network's; a cause with an unknown code belies it.
    Message,
    /// A message that any cause but a known one belies.
    Wrapper,
    /// A code that no table has.
    UnknownCode,
    Nothing,
}

pub(super) fn sign(error: &ErrorFacts<'_>) -> Sign {
    let ErrorFacts { name, code, message } = error;
    // Names first: a DOMException has a number for a code.
    if ABORT_NAMES.contains(name) || ABORT_CODES.contains(code) {
        return Sign::Certain(ErrorKind::Abort);
    }
    if *name == "TimeoutError" {
        return Sign::Certain(ErrorKind::Timeout);
    }
    if TIMEOUT_CODES.contains(code) {
        return Sign::Certain(ErrorKind::NetworkTimeout);
    }
    if NETWORK_CODES.contains(code) {
        return Sign::Certain(ErrorKind::Network);
    }
    if *code == WRAPPER_CODE {
        return Sign::Wrapper;
    }
    if !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return Sign::UnknownCode;
    }
    if *name == "NetworkError" || is_workers(message) {
        return Sign::Message;
    }
    if *name != "TypeError" || contains(message, DENO_CERTIFICATE) {
        return Sign::Nothing;
    }
    if WRAPPERS.contains(message) {
        Sign::Wrapper
    } else if MESSAGES.contains(message) || PREFIXES.iter().any(|prefix| message.starts_with(prefix)) {
        Sign::Message
    } else {
        Sign::Nothing
    }
}

fn is_workers(message: &str) -> bool {
    matches!(message.as_bytes().strip_prefix(WORKERS.as_bytes()), Some(b"" | b"."))
}

fn contains(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|window| window == part.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_in_two_tables() {
        let tables = [ABORT_NAMES, ABORT_CODES, TIMEOUT_CODES, NETWORK_CODES, WRAPPERS, MESSAGES];
        for (index, table) in tables.iter().enumerate() {
            for word in *table {
                assert!(!tables.iter().skip(index + 1).any(|other| other.contains(word)), "{word}");
                assert_eq!(table.iter().filter(|other| *other == word).count(), 1, "{word}");
            }
        }
    }

    #[test]
    fn contains_finds_bytes() {
        assert!(contains("an invalid peer certificate: Expired", DENO_CERTIFICATE));
        assert!(!contains("invalid", DENO_CERTIFICATE));
        assert!(!contains("", DENO_CERTIFICATE));
    }
}
