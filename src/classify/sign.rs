//! What one error in a chain says by itself: the names, codes and messages of every runtime.

use super::retry_after::digit;
use super::words::{lines, same};
use super::{ErrorFacts, ErrorKind};
use groups::*;

/// What each runtime writes, a line for a word, an empty line between groups.
///
/// Names: aborts (axios' own among them); a deadline; what only a cause can belie; what `fetch` throws.
///
/// Codes:
/// - Aborts: Node, axios, undici.
/// - Timeouts: libuv and Node, then undici.
/// - The network: libuv and Node, undici, Bun, node-fetch. A certificate's code is not here on purpose: nor is any unknown
///   one.
/// - axios with its fetch adapter: `fetch failed` in other words, with that error's cause.
///
/// Messages:
/// - In a `TypeError`, Node's wrappers, which say nothing by themselves: `fetch failed` is a refused connection and a bad
///   scheme alike.
/// - In a `TypeError`, Chromium, Firefox, Safari, Bun, and React Native or cross-fetch.
/// - The same before it names the host or the URL: Chromium, Safari, Deno.
/// - Workers, in a plain `Error`, with or without a dot.
const WORDS: &str = "AbortError\nCanceledError\n\nTimeoutError\n\nNetworkError\n\nTypeError\n\n\
    ABORT_ERR\nERR_CANCELED\nUND_ERR_ABORTED\nUND_ERR_ABORT\n\n\
    ETIMEDOUT\nESOCKETTIMEDOUT\nERR_SOCKET_CONNECTION_TIMEOUT\nUND_ERR_CONNECT_TIMEOUT\nUND_ERR_HEADERS_TIMEOUT\n\
    UND_ERR_BODY_TIMEOUT\n\n\
    ECONNREFUSED\nECONNRESET\nECONNABORTED\nENOTFOUND\nEAI_AGAIN\nEPIPE\nEHOSTUNREACH\nEHOSTDOWN\nENETUNREACH\n\
    ENETDOWN\nENETRESET\nUND_ERR_SOCKET\nUND_ERR_INFO\nUND_ERR_RES_CONTENT_LENGTH_MISMATCH\nConnectionRefused\n\
    ConnectionClosed\nFailedToOpenSocket\nERR_STREAM_PREMATURE_CLOSE\n\n\
    ERR_NETWORK\n\n\
    fetch failed\nterminated\n\n\
    Failed to fetch\nnetwork error\nNetworkError when attempting to fetch resource.\nLoad failed\n\
    The Internet connection appears to be offline.\nThe network connection was lost.\n\
    Could not connect to the server.\nA network error occurred.\nNetwork request failed\n\n\
    Failed to fetch (\nLoad failed (\nerror sending request for url\n\n\
    Network connection lost\nNetwork connection lost.";

/// The groups of [`WORDS`], in their order, as bits of what [`found`] gives.
mod groups {
    pub(super) const ABORT_NAME: u16 = 1;
    pub(super) const TIMEOUT_NAME: u16 = 1 << 1;
    pub(super) const NETWORK_NAME: u16 = 1 << 2;
    pub(super) const TYPE_ERROR: u16 = 1 << 3;
    pub(super) const ABORT_CODE: u16 = 1 << 4;
    pub(super) const TIMEOUT_CODE: u16 = 1 << 5;
    pub(super) const NETWORK_CODE: u16 = 1 << 6;
    pub(super) const WRAPPER_CODE: u16 = 1 << 7;
    pub(super) const WRAPPER: u16 = 1 << 8;
    pub(super) const FETCH: u16 = 1 << 9;
    pub(super) const FETCH_PREFIX: u16 = 1 << 10;
    pub(super) const WORKERS: u16 = 1 << 11;
}

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
    let found = found(error);
    let has = |group: u16| found & group != 0;
    // Names first: a DOMException has a number for a code.
    if has(ABORT_NAME | ABORT_CODE) {
        return Sign::Certain(ErrorKind::Abort);
    }
    if has(TIMEOUT_NAME) {
        return Sign::Certain(ErrorKind::Timeout);
    }
    if has(TIMEOUT_CODE) {
        return Sign::Certain(ErrorKind::NetworkTimeout);
    }
    if has(NETWORK_CODE) {
        return Sign::Certain(ErrorKind::Network);
    }
    if has(WRAPPER_CODE) {
        return Sign::Wrapper;
    }
    if !error.code.bytes().all(|byte| digit(byte).is_some()) {
        return Sign::UnknownCode;
    }
    if has(NETWORK_NAME | WORKERS) {
        return Sign::Message;
    }
    if !has(TYPE_ERROR) || contains(error.message, DENO_CERTIFICATE) {
        return Sign::Nothing;
    }
    if has(FETCH | FETCH_PREFIX) {
        return Sign::Message;
    }
    if has(WRAPPER) { Sign::Wrapper } else { Sign::Nothing }
}

/// The groups that have a word of this error's.
fn found(error: &ErrorFacts<'_>) -> u16 {
    let (mut group, mut found) = (ABORT_NAME, 0);
    for line in lines(WORDS) {
        if line.is_empty() {
            group <<= 1;
        }
        let text = match group {
            ..ABORT_CODE => error.name,
            ..WRAPPER => error.code,
            _ => error.message,
        };
        let text = text.as_bytes();
        let text = if group == FETCH_PREFIX { text.get(..line.len()).unwrap_or(text) } else { text };
        if !line.is_empty() && same(line, text, 0) {
            found |= group;
        }
    }
    found
}

fn contains(text: &str, part: &str) -> bool {
    text.as_bytes().windows(part.len()).any(|window| same(window, part.as_bytes(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_in_two_groups() {
        let words: alloc::vec::Vec<_> = lines(WORDS).filter(|word| !word.is_empty()).collect();
        for (index, word) in words.iter().enumerate() {
            assert!(!words[..index].contains(word), "{}", core::str::from_utf8(word).unwrap());
        }
    }

    #[test]
    fn a_group_ends_at_an_empty_line() {
        let named = |name| found(&ErrorFacts::new(name, "", ""));
        let coded = |code| found(&ErrorFacts::new("", code, ""));
        let said = |message| found(&ErrorFacts::new("", "", message));
        for (groups, expected) in [
            (named("CanceledError"), ABORT_NAME),
            (named("TimeoutError"), TIMEOUT_NAME),
            (named("NetworkError"), NETWORK_NAME),
            (named("TypeError"), TYPE_ERROR),
            (coded("ABORT_ERR"), ABORT_CODE),
            (coded("UND_ERR_BODY_TIMEOUT"), TIMEOUT_CODE),
            (coded("EPIPE"), NETWORK_CODE),
            (coded("ERR_NETWORK"), WRAPPER_CODE),
            (said("terminated"), WRAPPER),
            (said("Load failed"), FETCH),
            (said("Load failed (example.com)"), FETCH_PREFIX),
            (said("Network connection lost."), WORKERS),
            (said("AbortError"), 0),
            (named("ABORT_ERR"), 0),
            (coded("terminated"), 0),
            (said("Network connection lost. "), 0),
            (said(""), 0),
        ] {
            assert_eq!(groups, expected);
        }
    }

    #[test]
    fn contains_finds_bytes() {
        assert!(contains("an invalid peer certificate: Expired", DENO_CERTIFICATE));
        assert!(!contains("invalid", DENO_CERTIFICATE));
        assert!(!contains("", DENO_CERTIFICATE));
    }
}
