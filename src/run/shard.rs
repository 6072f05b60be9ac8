//! A part of a run, measured on one of several machines.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The most parts that a run can have.
const MOST: usize = 1000;

/// Part `number` (from 1) of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// From 1.
    #[serde(rename = "shard")]
    pub number: usize,
    /// How many parts there are.
    pub of: usize,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST => Ok(Self { number, of }),
            _ => Err(format!("write part and number of parts, such as 2/5, up to {MOST} parts")),
        }
    }
}

/// What the first line of a part says, so that parts of different runs are never joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Which part it is.
    pub recall_gate_shard: Shard,
    /// The golden set that was asked.
    pub golden_digest: String,
    /// Results asked for per query.
    pub depth: usize,
}

impl Header {
    /// The first line of the file.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads a line; `None` where it is another.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// Checks that `parts` (the name of a file and its header, if it is a part) are the parts of one run of today's golden
/// set.
///
/// # Errors
/// Names the parts that are missing, there twice, or of another run, and what to do.
pub fn check(parts: &[(String, Option<Header>)], golden_digest: &str, depth: usize) -> Result<(), String> {
    let Some((first, header)) = parts.iter().find_map(|(name, header)| Some((name, header.as_ref()?))) else {
        return Ok(());
    };
    let of = header.recall_gate_shard.of;
    let mut files: Vec<Option<&String>> = vec![None; of];
    for (name, part) in parts {
        let Some(part) = part else {
            return Err(format!("`{first}` is a part of a run and `{name}` is none\nhint: join the parts of one run"));
        };
        let shard = part.recall_gate_shard;
        if shard.of != of {
            return Err(format!(
                "`{first}` is part {} and `{name}` is part {shard}\nhint: join the parts of one run",
                header.recall_gate_shard
            ));
        }
        if part.golden_digest != golden_digest {
            return Err(format!(
                "`{name}` was measured with another golden set\nhint: measure every part at the same commit"
            ));
        }
        if part.depth < depth {
            return Err(format!(
                "`{name}` was measured with a depth of {} and `depth` is {depth}\nhint: measure every part with the same \
                 configuration",
                part.depth
            ));
        }
        // A header is only read where the number is in its range.
        let Some(place) = files.get_mut(shard.number.wrapping_sub(1)) else {
            return Err(format!("`{name}` says that it is part {shard}, which cannot be"));
        };
        if let Some(earlier) = place.replace(name) {
            return Err(format!("`{earlier}` and `{name}` are both part {shard}\nhint: name each part once"));
        }
    }
    let missing = files.iter().enumerate().filter(|(_, file)| file.is_none());
    let missing: Vec<String> = missing.map(|(index, _)| format!("{}/{of}", index + 1)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "missing parts of the run: {}\nhint: a machine that failed or was cancelled wrote none; see its log",
        missing.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(shard: &str) -> (String, Option<Header>) {
        let recall_gate_shard = shard.parse().unwrap();
        let header = Header { recall_gate_shard, golden_digest: "d".to_owned(), depth: 20 };
        assert_eq!(Header::parse(&header.line()), Some(header.clone()));
        (format!("part-{}", shard.replace('/', "-")), Some(header))
    }

    #[test]
    fn parts_are_complete_and_of_one_run() {
        let all = [part("2/3"), part("3/3"), part("1/3")];
        assert_eq!(check(&all, "d", 20), Ok(()));
        for (parts, digest, depth, wanted) in [
            (vec![part("2/3")], "d", 20, "missing parts of the run: 1/3, 3/3"),
            (vec![part("1/2"), part("1/2")], "d", 20, "are both part 1/2"),
            (vec![part("1/2"), part("2/3")], "d", 20, "is part 1/2 and `part-2-3` is part 2/3"),
            (vec![part("1/1")], "e", 20, "another golden set"),
            (vec![part("1/1")], "d", 50, "a depth of 20 and `depth` is 50"),
            (vec![part("1/2"), ("whole".to_owned(), None)], "d", 20, "and `whole` is none"),
        ] {
            let error = check(&parts, digest, depth).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
        assert_eq!(check(&[("a".to_owned(), None), ("b".to_owned(), None)], "d", 20), Ok(()));
    }

    #[test]
    fn nonsense_is_no_part() {
        for nonsense in ["", "1", "0/3", "4/3", "1/0", "-1/2", "1/1001", "a/b"] {
            assert!(nonsense.parse::<Shard>().is_err(), "{nonsense}");
        }
    }
}
