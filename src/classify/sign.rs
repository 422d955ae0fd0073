//! What one error in a chain says by itself: the names, codes and messages of every runtime.

use super::retry_after::digit;
use super::words::groups;
use super::{ErrorFacts, ErrorKind};

/// Aborts (axios' own among them), a deadline, what only a cause can belie, and what `fetch` throws.
const NAMES: &str = "AbortError\nCanceledError\n\nTimeoutError\n\nNetworkError\n\nTypeError\n";

/// 1. Aborts: Node, axios, undici.
/// 2. Timeouts: libuv and Node, then undici.
/// 3. The network: libuv and Node, undici, Bun, node-fetch. A certificate's code is not here on purpose: nor is any unknown
///    one.
/// 4. axios with its fetch adapter: `fetch failed` in other words, with that error's cause.
static CODES: &str = "ABORT_ERR\nERR_CANCELED\nUND_ERR_ABORTED\nUND_ERR_ABORT\n\n\
    ETIMEDOUT\nESOCKETTIMEDOUT\nERR_SOCKET_CONNECTION_TIMEOUT\nUND_ERR_CONNECT_TIMEOUT\nUND_ERR_HEADERS_TIMEOUT\n\
    UND_ERR_BODY_TIMEOUT\n\n\
    ECONNREFUSED\nECONNRESET\nECONNABORTED\nENOTFOUND\nEAI_AGAIN\nEPIPE\nEHOSTUNREACH\nEHOSTDOWN\nENETUNREACH\n\
    ENETDOWN\nENETRESET\nUND_ERR_SOCKET\nUND_ERR_INFO\nUND_ERR_RES_CONTENT_LENGTH_MISMATCH\nConnectionRefused\n\
    ConnectionClosed\nFailedToOpenSocket\nERR_STREAM_PREMATURE_CLOSE\n\n\
    ERR_NETWORK\n";

/// The codes of timeouts and of the network, an empty line between groups: all but the aborts.
#[cfg(any(test, feature = "wasm"))]
pub(crate) fn retryable_codes() -> &'static str {
    const START: usize = end_of_group(CODES);
    CODES.split_at(START).1
}

#[cfg(any(test, feature = "wasm"))]
const fn end_of_group(table: &str) -> usize {
    let bytes = table.as_bytes();
    let mut at = 2;
    while !(bytes[at - 2] == b'\n' && bytes[at - 1] == b'\n') {
        at += 1;
    }
    at
}

/// 1. In a `TypeError`, Node's wrappers, which say nothing by themselves: `fetch failed` is a refused connection and a bad
///    scheme alike.
/// 2. In a `TypeError`, Chromium, Firefox, Safari, Bun, React Native or cross-fetch, and Deno of a body that was cut.
/// 3. Workers, in a plain `Error`, with or without a dot.
const MESSAGES: &str = "fetch failed\nterminated\n\n\
    Failed to fetch\nnetwork error\nNetworkError when attempting to fetch resource.\nLoad failed\n\
    The Internet connection appears to be offline.\nThe network connection was lost.\n\
    Could not connect to the server.\nA network error occurred.\nNetwork request failed\n\
    error reading a body from connection\n\n\
    Network connection lost\nNetwork connection lost.\n";

/// What `fetch` says in a `TypeError` before it names the host: Chromium, Safari.
const PREFIXES: &str = "Failed to fetch (\nLoad failed (\n";

/// What Deno says before it names the URL: in a `TypeError`, or since version 2.9 in the plain `Error` that is the cause of a
/// `fetch failed`.
const DENO: &str = "error sending request f\n";

/// Of names and codes.
const ABORT: u32 = 1;
const TIMEOUT: u32 = 1 << 1;
const NETWORK: u32 = 1 << 2;
/// Of names.
const TYPE_ERROR: u32 = 1 << 3;
/// Of messages.
const WRAPPER: u32 = 1;
const WORKERS: u32 = 1 << 2;

/// Deno has no code for a certificate that is not trusted, only this within its message.
const DENO_CERTIFICATE: &str = "invalid peer certificate\n";

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
    let (code, message) = (error.code.as_bytes(), error.message.as_bytes());
    let named = groups(NAMES, error.name.as_bytes(), 0, false);
    let coded = groups(CODES, code, 0, false);
    // Names first: a DOMException has a number for a code.
    if (named | coded) & ABORT != 0 {
        return Sign::Certain(ErrorKind::Abort);
    }
    if named & TIMEOUT != 0 {
        return Sign::Certain(ErrorKind::Timeout);
    }
    if coded & TIMEOUT != 0 {
        return Sign::Certain(ErrorKind::NetworkTimeout);
    }
    if coded & NETWORK != 0 {
        return Sign::Certain(ErrorKind::Network);
    }
    if coded != 0 {
        return Sign::Wrapper;
    }
    if code.iter().any(|byte| digit(*byte) > 9) {
        return Sign::UnknownCode;
    }
    let said = groups(MESSAGES, message, 0, false);
    if named & NETWORK != 0 || said & WORKERS != 0 {
        return Sign::Message;
    }
    if groups(DENO, message, 0, true) != 0 && !contains(message, DENO_CERTIFICATE) {
        return Sign::Message;
    }
    if named & TYPE_ERROR == 0 {
        return Sign::Nothing;
    }
    if said & WRAPPER != 0 {
        return Sign::Wrapper;
    }
    if said != 0 || groups(PREFIXES, message, 0, true) != 0 { Sign::Message } else { Sign::Nothing }
}

fn contains(text: &[u8], part: &str) -> bool {
    (0..text.len()).any(|start| text.get(start..).is_some_and(|rest| groups(part, rest, 0, true) != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_twice() {
        let lines = [NAMES, CODES, MESSAGES, PREFIXES, DENO].into_iter().flat_map(|table| table.split('\n'));
        let words: alloc::vec::Vec<_> = lines.filter(|word| !word.is_empty()).collect();
        for (index, word) in words.iter().enumerate() {
            assert!(!words[..index].contains(word), "{word}");
        }
        for table in [NAMES, CODES, MESSAGES, PREFIXES, DENO, DENO_CERTIFICATE] {
            assert!(table.ends_with('\n'));
        }
    }

    #[test]
    fn retryable_codes_are_all_but_the_aborts() {
        let aborts = CODES.strip_suffix(retryable_codes()).unwrap();
        let found = |codes: &str| codes.lines().fold(0, |all, code| all | groups(CODES, code.as_bytes(), 0, false));
        assert_eq!(found(aborts), ABORT);
        assert_eq!(found(retryable_codes()) & ABORT, 0);
        assert_eq!(found(aborts) | found(retryable_codes()), found(CODES));
    }

    #[test]
    fn contains_finds_bytes() {
        assert!(contains(b"an invalid peer certificate: Expired", DENO_CERTIFICATE));
        assert!(!contains(b"invalid", DENO_CERTIFICATE));
        assert!(!contains(b"", DENO_CERTIFICATE));
    }
}
