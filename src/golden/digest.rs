//! A fingerprint of what decides a verdict, so that an edited golden set is noticed.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{GoldenSet, Query};

/// `sha256:` and the hash of one JSON line per query, in the order of the ids (bytewise):
/// `["id","text",unanswerable,pinned,[["document",grade],…]]`, documents in the order of their ids, each line with its
/// line end; where passages are judged, a last item `[["document “quote”",grade],…]` in the order of their names.
///
/// Order, layout, comments, sources and tags other than `pinned` change nothing.
#[must_use]
pub fn digest(set: &GoldenSet) -> String {
    let mut queries: Vec<_> = set.queries.iter().collect();
    queries.sort_by(|a, b| a.id.cmp(&b.id));
    let mut hash = Sha256::new();
    for query in queries {
        hash.update(line(query));
    }
    format!("sha256:{}", hexadecimal(&hash.finalize()))
}

/// The first twelve digits of the hash of the line of one query: enough to notice that somebody edited it.
#[must_use]
pub fn fingerprint(query: &Query) -> String {
    let mut digits = hexadecimal(&Sha256::digest(line(query)));
    digits.truncate(12);
    digits
}

fn line(query: &Query) -> String {
    let judgments: Vec<_> = query.judgments.iter().map(|(document, grade)| json!([document, grade.value()])).collect();
    let mut line = json!([query.id, query.text, query.unanswerable, query.is_pinned(), judgments]);
    let passages: Vec<_> =
        query.judgments.passages().iter().map(|passage| json!([passage.name, passage.grade.value()])).collect();
    // A set without passages has the digest that it had before there were any.
    if let (Some(line), false) = (line.as_array_mut(), passages.is_empty()) {
        line.push(passages.into());
    }
    line.to_string() + "\n"
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::golden::read::parse;

    fn digest_of(yaml: &str) -> String {
        digest(&parse(yaml, Path::new("q.yaml")).unwrap())
    }

    #[test]
    fn only_what_decides_counts() {
        let first =
            digest_of("queries:\n- {id: b, text: é, grades: {y: 2, x: 0}}\n- {id: a, text: t, unanswerable: true}\n");
        // printf '["a","t",true,false,[]]\n["b","é",false,false,[["x",0],["y",2]]]\n' | sha256sum
        assert_eq!(first, "sha256:3cb39b911601bdb1bba4ee1097de7a191b0ce10d0bc3b6a553fe00e96504dc87");
        let same = "queries:\n- {id: a, text: t, unanswerable: true, tags: [hard], source: logs}\n# c\n- {id: b, text: é, grades: {x: 0, y: 2}}\n";
        assert_eq!(first, digest_of(same));
        for (old, new) in [("text: t", "text: u"), ("x: 0", "x: 1"), ("[hard]", "[pinned]"), ("id: a", "id: c")] {
            assert_ne!(first, digest_of(&same.replace(old, new)), "{new}");
        }
    }
}
