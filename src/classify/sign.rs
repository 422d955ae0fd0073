//! What one error in a chain says by itself: the names, codes and messages of every runtime.

use super::{ErrorFacts, ErrorKind};

// A table is one text: a line for a word, an empty line between groups. In wasm that is a third of the size that slices of
// string slices take.

/// Aborts (axios' own among them), a deadline, and what only a cause can belie.
const NAMES: &str = "AbortError\nCanceledError\n\nTimeoutError\n\nNetworkError";

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
    ERR_NETWORK";

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

/// What `fetch` says in a `TypeError`.
///
/// 1. Node's wrappers, which say nothing by themselves: `fetch failed` is a refused connection and a bad scheme alike.
/// 2. Chromium, Firefox, Safari, Bun, React Native or cross-fetch, and Deno of a body that was cut.
const MESSAGES: &str = "fetch failed\nterminated\n\n\
    Failed to fetch\nnetwork error\nNetworkError when attempting to fetch resource.\nLoad failed\n\
    The Internet connection appears to be offline.\nThe network connection was lost.\n\
    Could not connect to the server.\nA network error occurred.\nNetwork request failed\n\
    error reading a body from connection";

/// What `fetch` says in a `TypeError` before it names the host: Chromium, Safari.
const PREFIXES: &str = "Failed to fetch (\nLoad failed (";

/// What Deno says before it names the URL: in a `TypeError`, or since version 2.9 in the plain `Error` that is the cause of a
/// `fetch failed`.
const DENO: &str = "error sending request f";

/// Workers, in a plain `Error`, with or without a dot.
const WORKERS: &str = "Network connection lost\nNetwork connection lost.";

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
    let (named, coded) = (group(NAMES, name), group(CODES, code));
    match (named, coded) {
        (Some(0), _) | (_, Some(0)) => return Sign::Certain(ErrorKind::Abort),
        (Some(1), _) => return Sign::Certain(ErrorKind::Timeout),
        (_, Some(1)) => return Sign::Certain(ErrorKind::NetworkTimeout),
        (_, Some(2)) => return Sign::Certain(ErrorKind::Network),
        (_, Some(_)) => return Sign::Wrapper,
        (_, None) => {}
    }
    if !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return Sign::UnknownCode;
    }
    if named.is_some() || group(WORKERS, message).is_some() {
        return Sign::Message;
    }
    if message.as_bytes().starts_with(DENO.as_bytes()) && !contains(message, DENO_CERTIFICATE) {
        return Sign::Message;
    }
    if *name != "TypeError" {
        return Sign::Nothing;
    }
    match group(MESSAGES, message) {
        Some(0) => Sign::Wrapper,
        None if !lines(PREFIXES).any(|prefix| message.as_bytes().starts_with(prefix)) => Sign::Nothing,
        _ => Sign::Message,
    }
}

fn lines(table: &str) -> impl Iterator<Item = &[u8]> {
    table.as_bytes().split(|byte| *byte == b'\n')
}

/// Which group of a table a word is in, the first being 0.
fn group(table: &str, word: &str) -> Option<u8> {
    let mut group = 0;
    for line in lines(table) {
        if line.is_empty() {
            group += 1;
        } else if line == word.as_bytes() {
            return Some(group);
        }
    }
    None
}

fn contains(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|window| window == part.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_in_two_tables() {
        let words = [NAMES, CODES, MESSAGES, PREFIXES, DENO, WORKERS].map(lines).into_iter().flatten();
        let words: alloc::vec::Vec<_> = words.filter(|word| !word.is_empty()).collect();
        for (index, word) in words.iter().enumerate() {
            assert!(!words[..index].contains(word), "{}", core::str::from_utf8(word).unwrap());
        }
    }

    #[test]
    fn a_group_ends_at_an_empty_line() {
        assert_eq!(group("a\nb\n\nc", "b"), Some(0));
        assert_eq!(group("a\nb\n\nc", "c"), Some(1));
        for none in ["", "a\nb", "d", "A"] {
            assert_eq!(group("a\nb\n\nc", none), None, "{none}");
        }
    }

    #[test]
    fn retryable_codes_are_all_but_the_aborts() {
        assert!(CODES.ends_with(retryable_codes()));
        let aborts = CODES.strip_suffix(retryable_codes()).unwrap();
        assert!(lines(aborts).filter(|line| !line.is_empty()).all(|code| group(CODES, text(code)) == Some(0)));
        assert!(
            lines(retryable_codes()).filter(|line| !line.is_empty()).all(|code| group(CODES, text(code)) > Some(0))
        );
    }

    fn text(bytes: &[u8]) -> &str {
        core::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn contains_finds_bytes() {
        assert!(contains("an invalid peer certificate: Expired", DENO_CERTIFICATE));
        assert!(!contains("invalid", DENO_CERTIFICATE));
        assert!(!contains("", DENO_CERTIFICATE));
    }
}
