//! Tables of words. A table is one text, a line for a word: in wasm that is a third of the size that slices of string
//! slices take.

/// The bit that tells the two cases of a letter of ASCII apart.
pub(super) const CASE: u8 = 0x20;

/// Whether two texts are the same but for the bits in `ignored`.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn same(a: &[u8], b: &[u8], ignored: u8) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a ^ b) & !ignored == 0)
}

pub(super) fn lines(table: &str) -> impl Iterator<Item = &[u8]> {
    table.as_bytes().split(|byte| *byte == b'\n')
}

/// Which line of a table a word is. With [`CASE`] for `ignored`, the table has nothing but letters.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn find(table: &str, word: &[u8], ignored: u8) -> Option<usize> {
    lines(table).position(|line| same(line, word, ignored))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_whole_lines() {
        assert_eq!(find("ab\ncd", b"ab", 0), Some(0));
        assert_eq!(find("ab\ncd", b"cd", 0), Some(1));
        for none in ["", "a", "ab\ncd", "abc", "Ab"] {
            assert_eq!(find("ab\ncd", none.as_bytes(), 0), None, "{none}");
        }
    }

    #[test]
    fn case_is_all_that_is_ignored() {
        for byte in 0..=u8::MAX {
            assert_eq!(same(b"K", &[byte], CASE), byte.eq_ignore_ascii_case(&b'k'), "{byte}");
            assert_eq!(same(b"k", &[byte], 0), byte == b'k', "{byte}");
        }
    }
}
