//! Cuts a text into chunks at the most natural border that fits.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

/// Packs the blocks of `text` (separated by blank lines) into chunks of at most `size` characters, in order.
///
/// A block longer than that is cut at a line end, a sentence end or a space, and inside a word only where it has none.
#[must_use]
pub fn cut(text: &str, size: usize) -> Vec<String> {
    let mut chunks: Vec<String> = Vec::new();
    let mut length = 0;
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let characters = block.chars().count();
        match chunks.last_mut() {
            Some(last) if length + 2 + characters <= size => {
                last.push_str("\n\n");
                last.push_str(block);
                length += 2 + characters;
            }
            _ => {
                chunks.extend(pieces(block, size));
                length = chunks.last().map_or(0, |last| last.chars().count());
            }
        }
    }
    chunks
}

/// One block in pieces of at most `size` characters.
fn pieces(block: &str, size: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = block;
    while let Some((limit, _)) = rest.char_indices().nth(size.max(1)) {
        let end = border(&rest[..limit]).unwrap_or(limit);
        pieces.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() {
        pieces.push(rest.to_owned());
    }
    pieces
}

/// Where to cut `text`: behind its last line end, sentence end or space, whichever kind is found first.
fn border(text: &str) -> Option<usize> {
    let line = text.rfind('\n').map(|at| at + 1);
    let sentence = || text.rfind(". ").map(|at| at + 2);
    let space = || text.rfind(char::is_whitespace).filter(|at| *at > 0);
    line.or_else(sentence).or_else(space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_a_chunk_while_they_fit() {
        assert_eq!(cut("aaa\n\nbbb\n\nccc", 8), ["aaa\n\nbbb", "ccc"]);
        assert_eq!(cut("\n\n \n\n", 8), Vec::<String>::new());
    }

    #[test]
    fn a_long_block_is_cut_where_it_reads_best() {
        assert_eq!(cut("one\ntwo. three four", 12), ["one", "two.", "three four"]);
        assert_eq!(cut("one. two three", 10), ["one.", "two three"]);
        assert_eq!(cut("ééééé", 2), ["éé", "éé", "é"]);
    }

    #[test]
    fn nothing_is_lost() {
        let text = "Alpha beta.\nGamma delta epsilon zeta. Eta\n\nTheta iota kappa";
        for size in 1..70 {
            let chunks = cut(text, size);
            assert!(chunks.iter().all(|chunk| chunk.chars().count() <= size), "{size}: {chunks:?}");
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            assert_eq!(letters(&chunks.concat()), letters(text), "{size}");
        }
    }
}
