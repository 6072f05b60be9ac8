//! The configuration as people write it. No `flatten`, `untagged` or `tag`: they lose the place of every error.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::pairs::Pairs;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the settings of the gate, such as `pipeline:`")]
pub(super) struct RawConfig {
    pub(super) golden: Option<String>,
    pub(super) baseline: Option<String>,
    pub(super) pipeline: Option<RawPipeline>,
    pub(super) depth: Option<i64>,
    pub(super) document_id: Option<String>,
    pub(super) min_score: Option<f64>,
    pub(super) passage_overlap: Option<f64>,
    pub(super) gate: Option<RawGate>,
    pub(super) report: Option<RawReport>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "one of `command:`, `http:`, `bm25:` and `run:`")]
pub(super) struct RawPipeline {
    pub(super) command: Option<Vec<String>>,
    pub(super) http: Option<RawHttp>,
    pub(super) bm25: Option<RawBm25>,
    pub(super) run: Option<OneOrMany>,
    pub(super) timeout: Option<String>,
    pub(super) startup_timeout: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) env: Option<Pairs<String>>,
    pub(super) missing: Option<String>,
    pub(super) repeat: Option<i64>,
    pub(super) documents: Option<OneOrMany>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with `url:` or `preset:`")]
pub(super) struct RawHttp {
    pub(super) preset: Option<String>,
    pub(super) with: Option<Map<String, Value>>,
    pub(super) url: Option<String>,
    pub(super) method: Option<String>,
    pub(super) headers: Option<Pairs<String>>,
    pub(super) body: Option<Value>,
    pub(super) results: Option<String>,
    pub(super) result_id: Option<String>,
    pub(super) score: Option<String>,
    pub(super) text: Option<String>,
    pub(super) lower_is_better: Option<bool>,
    pub(super) absent: Option<String>,
    pub(super) expect: Option<Vec<String>>,
    pub(super) concurrency: Option<i64>,
    pub(super) retries: Option<i64>,
    pub(super) max_response: Option<String>,
    pub(super) wait_for: Option<String>,
    pub(super) setup: Option<Vec<RawSetup>>,
    pub(super) vector: Option<RawVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a request with `url:` and `capture:`")]
pub(super) struct RawSetup {
    pub(super) url: String,
    pub(super) method: Option<String>,
    pub(super) headers: Option<Pairs<String>>,
    pub(super) body: Option<Value>,
    pub(super) capture: Option<Pairs<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "`command:` or `file:`")]
pub(super) struct RawVector {
    pub(super) command: Option<Vec<String>>,
    pub(super) file: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with `documents:`")]
pub(super) struct RawBm25 {
    pub(super) documents: Option<String>,
    pub(super) language: Option<String>,
    pub(super) chunk_size: Option<i64>,
    pub(super) k1: Option<f64>,
    pub(super) b: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with what decides, such as `alpha:`")]
pub(super) struct RawGate {
    pub(super) metrics: Option<Vec<String>>,
    pub(super) alpha: Option<f64>,
    pub(super) min_drop: Option<f64>,
    pub(super) resamples: Option<i64>,
    pub(super) seed: Option<u64>,
    pub(super) floors: Option<Pairs<f64>>,
    pub(super) slices: Option<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with `metrics:`")]
pub(super) struct RawReport {
    pub(super) metrics: Option<Vec<String>>,
}

/// One word or a list of them.
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(super) fn into_list(self) -> Vec<String> {
        match self {
            Self::One(word) => vec![word],
            Self::Many(words) => words,
        }
    }
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Files;
        impl<'de> Visitor<'de> for Files {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a file or a list of files")
            }

            fn visit_str<E>(self, file: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One(file.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, files: A) -> Result<OneOrMany, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(files)).map(OneOrMany::Many)
            }
        }
        deserializer.deserialize_any(Files)
    }
}
