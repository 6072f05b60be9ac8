//! The golden set as people write it. Everything is optional here, so that what is missing is said in our words.

use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use crate::pairs::Pairs;

/// The YAML file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with `queries:`")]
pub(super) struct RawSet {
    pub(super) queries: Option<Vec<RawQuery>>,
}

/// One query, also a line of JSONL.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a query with `id:`, `text:` and `grades:` or `passages:`")]
pub(super) struct RawQuery {
    pub(super) id: Option<String>,
    pub(super) text: Option<String>,
    pub(super) source: Option<String>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) grades: Option<Pairs<RawGrade>>,
    pub(super) passages: Option<Vec<RawPassage>>,
    pub(super) unanswerable: Option<bool>,
}

/// A judged passage.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a passage with `quote:`, `grade:` and `document:`")]
pub(super) struct RawPassage {
    pub(super) quote: Option<String>,
    pub(super) document: Option<String>,
    pub(super) grade: Option<RawGrade>,
}

/// A grade as written.
pub(super) enum RawGrade {
    Whole(i64),
    /// Anything else, as it should be quoted.
    Other(String),
}

impl fmt::Display for RawGrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => value.fmt(f),
            Self::Other(text) => text.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for RawGrade {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalar;
        impl Visitor<'_> for Scalar {
            type Value = RawGrade;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a grade, a whole number from 0 to 10")
            }

            fn visit_i64<E>(self, value: i64) -> Result<RawGrade, E> {
                Ok(RawGrade::Whole(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<RawGrade, E> {
                Ok(i64::try_from(value).map_or_else(|_| RawGrade::Other(value.to_string()), RawGrade::Whole))
            }

            fn visit_f64<E>(self, value: f64) -> Result<RawGrade, E> {
                Ok(RawGrade::Other(format!("{value:?}")))
            }

            fn visit_bool<E>(self, value: bool) -> Result<RawGrade, E> {
                Ok(RawGrade::Other(value.to_string()))
            }

            fn visit_str<E>(self, value: &str) -> Result<RawGrade, E> {
                Ok(RawGrade::Other(format!("{value:?}")))
            }

            fn visit_unit<E>(self) -> Result<RawGrade, E> {
                Ok(RawGrade::Other("(nothing)".to_owned()))
            }
        }
        deserializer.deserialize_any(Scalar)
    }
}
