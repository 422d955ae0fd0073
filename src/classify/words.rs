//! Tables of words. A table is one text, a line for a word, an empty line between groups: in wasm that is a third of the size
//! that slices of string slices take.

/// The bit that tells the two cases of a letter of ASCII apart.
pub(super) const CASE: u8 = 0x20;

/// The groups of a table that have this word, the first being bit 0; with `prefix`, that have a word which it begins with.
///
/// Bits in `ignored` may differ: with [`CASE`], the table has nothing but letters.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn groups(table: &str, word: &[u8], ignored: u8, prefix: bool) -> u32 {
    let (mut group, mut found) = (1, 0);
    let (mut length, mut differs) = (0, false);
    for byte in table.bytes() {
        if byte == b'\n' {
            if length == 0 {
                group <<= 1;
            } else if !differs && (prefix || length == word.len()) {
                found |= group;
            }
            (length, differs) = (0, false);
        } else {
            differs |= word.get(length).is_none_or(|other| (byte ^ other) & !ignored != 0);
            length += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "ab\ncd\n\nabc\n";

    #[test]
    fn finds_whole_lines() {
        for (word, expected) in [("ab", 1), ("cd", 1), ("abc", 2)] {
            assert_eq!(groups(TABLE, word.as_bytes(), 0, false), expected, "{word}");
        }
        for none in ["", "a", "ab\ncd", "abcd", "Ab", "\n"] {
            assert_eq!(groups(TABLE, none.as_bytes(), 0, false), 0, "{none}");
        }
    }

    #[test]
    fn finds_what_a_text_begins_with() {
        for (text, expected) in [("abc", 3), ("abd", 1), ("cd", 1), ("a", 0), ("xab", 0), ("", 0)] {
            assert_eq!(groups(TABLE, text.as_bytes(), 0, true), expected, "{text}");
        }
    }

    #[test]
    fn case_is_all_that_is_ignored() {
        for byte in 0..=u8::MAX {
            let found = |ignored| groups("K\n", &[byte], ignored, false) != 0;
            assert_eq!(found(CASE), byte.eq_ignore_ascii_case(&b'k'), "{byte}");
            assert_eq!(found(0), byte == b'K', "{byte}");
        }
    }
}
