//! What must hold of an answer although its status is 200: engines answer so with half a result, or with an error.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use serde_json::Value;
use serde_json_path::JsonPath;

/// A condition, in the words of a JSONPath filter (RFC 9535): `$.timed_out == false`, `!$.errors`.
#[derive(Clone, Debug)]
pub struct Guard {
    source: String,
    /// Finds the response in a list of nothing else, if the condition holds.
    path: JsonPath,
}

impl Guard {
    /// Reads a condition; a name without `$.` before it is looked up in the response too.
    ///
    /// # Errors
    /// Says that it is none, and after `; ` what to write.
    pub fn parse(source: &str) -> Result<Self, String> {
        let path = JsonPath::parse(&format!("$[?{}]", from_response(source))).map_err(|error| {
            let error = error.to_string();
            let error = error.lines().next().unwrap_or_default();
            format!("`{source}` is no condition ({error}); write for example `$.timed_out == false` or `!$.errors`")
        })?;
        Ok(Self { source: source.to_owned(), path })
    }

    /// As it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether it holds; `wrapped` is a list with the response in it.
    #[must_use]
    pub fn holds(&self, wrapped: &Value) -> bool {
        !self.path.query(wrapped).is_empty()
    }
}

/// The condition with `@`, the node that a filter looks at, where `$` or a bare name stands for the response.
fn from_response(source: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    // Whether a name here would begin a path.
    let mut at_start = true;
    let mut rest = source;
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        match quote {
            Some(open) => {
                if character == open {
                    quote = None;
                }
                out.push(character);
            }
            None if character == '$' => out.push('@'),
            None if at_start && (character.is_ascii_alphabetic() || character == '_') => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let word = &rest[..end];
                let is_function = rest[end..].starts_with('(');
                if !is_function && !["true", "false", "null"].contains(&word) {
                    out.push_str("@.");
                }
                out.push_str(word);
                length = end;
            }
            None => {
                if character == '\'' || character == '"' {
                    quote = Some(character);
                }
                out.push(character);
            }
        }
        if !character.is_whitespace() {
            at_start = matches!(character, '!' | '(' | '&' | '|');
        }
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_of_real_engines_hold_and_break() {
        let good = json!({"timed_out": false, "_shards": {"failed": 0}, "code": 200, "status": "ok", "results": [{}]});
        let bad = json!({"timed_out": true, "_shards": {"failed": 1}, "code": 100, "status": "$.no", "errors": [1],
            "results": [{"error": "Not found."}]});
        for condition in [
            "$.timed_out == false",
            "timed_out == false",
            "!timed_out || timed_out == false",
            "_shards.failed == 0",
            "$._shards.failed==0 && $.code==200",
            "$.code == 0 || $.code == 200",
            "status == 'ok'",
            "!$.errors",
            "!errors",
            "count($.results[*].error) == 0",
            "status != '$.no'",
            "@.code >= 200",
        ] {
            let guard = Guard::parse(condition).unwrap();
            assert!(guard.holds(&json!([good])), "{condition}");
            assert!(!guard.holds(&json!([bad])), "{condition}");
        }
    }

    #[test]
    fn what_is_not_there_does_not_hold() {
        assert!(!Guard::parse("timed_out == false").unwrap().holds(&json!([{}])));
        assert!(!Guard::parse("code == 0").unwrap().holds(&json!(["an error page"])));
    }

    #[test]
    fn nonsense_is_refused() {
        for nonsense in ["", "timed_out = false", "code ==", "]"] {
            let error = Guard::parse(nonsense).unwrap_err();
            assert!(error.contains("is no condition"), "{error}");
        }
    }
}
