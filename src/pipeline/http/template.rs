//! Text with placeholders: `{{query}}`, `{{k}}`, `{{env.TOKEN}}`, `{{query|json}}`.
//!
//! What a placeholder may hold depends on where it stands, so that no question can break out of its place: in a URL it is
//! percent-encoded, inside a JSON body it is a JSON value, and a body that is plain text has to say which it wants.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

use std::collections::BTreeMap;

use base64::Engine as _;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// All but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What a placeholder stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// The text of the question.
    Query,
    /// How many results are wanted.
    K,
    /// The id of the golden query.
    Id,
    /// The numbers that stand for the question.
    Vector,
    /// A variable of the environment: a secret.
    Environment(String),
    /// What a request of `setup` captured.
    Captured(String),
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    Json,
    Url,
    Raw,
    Words,
    AnyWord,
    Base64,
}

const FILTERS: [(&str, Filter); 6] = [
    ("json", Filter::Json),
    ("url", Filter::Url),
    ("raw", Filter::Raw),
    ("words", Filter::Words),
    ("any_word", Filter::AnyWord),
    ("base64", Filter::Base64),
];

/// Where a template stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Values are percent-encoded, except one that begins the URL.
    Url,
    /// A header, or a string inside a JSON body, which is escaped as a whole.
    Text,
    /// A body of any language: a value that comes from outside needs a filter.
    Body,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Placeholder(Name, Vec<Filter>),
}

/// A text with placeholders.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
    source: String,
}

/// What the placeholders stand for in one request.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// The text of the question.
    pub query: &'a str,
    /// The id of the golden query.
    pub id: &'a str,
    /// How many results are wanted.
    pub k: usize,
    /// The numbers that stand for the question; empty where no template asks for them.
    pub vector: &'a [f64],
    /// The variables of the environment that the templates name.
    pub environment: &'a BTreeMap<String, String>,
    /// What `setup` captured.
    pub captured: &'a BTreeMap<String, Value>,
}

impl Values<'_> {
    fn value(&self, name: &Name) -> Value {
        match name {
            Name::Query => self.query.into(),
            Name::K => self.k.into(),
            Name::Id => self.id.into(),
            Name::Vector => self.vector.into(),
            Name::Environment(name) => self.environment.get(name).cloned().unwrap_or_default().into(),
            Name::Captured(name) => self.captured.get(name).cloned().unwrap_or_default(),
        }
    }
}

impl Template {
    /// Reads `source`; `captured` are the names that `setup` gives.
    ///
    /// # Errors
    /// Says which placeholder is wrong, and after `; ` what to write.
    pub fn parse(source: &str, place: Place, captured: &[String]) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = source;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((inside, after)) = after.split_once("}}") else {
                return Err("a `{{` has no `}}`; close the placeholder".to_owned());
            };
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            let (name, mut filters) = placeholder(inside, captured)?;
            if filters.is_empty() {
                let begins_url = place == Place::Url && parts.is_empty();
                let is_safe = matches!(name, Name::K | Name::Vector);
                match place {
                    Place::Url if !begins_url => filters.push(Filter::Url),
                    Place::Body if !is_safe => {
                        return Err(format!(
                            "`{{{{{0}}}}}` in a text needs a filter; write `{{{{{0}|json}}}}` in JSON, `{{{{{0}|url}}}}` \
                             in a form, or the body as a mapping",
                            inside.trim()
                        ));
                    }
                    _ => {}
                }
            }
            parts.push(Part::Placeholder(name, filters));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self { parts, source: source.to_owned() })
    }

    /// A text without placeholders.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self { parts: vec![Part::Text(text.to_owned())], source: text.to_owned() }
    }

    /// As it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Every name that it uses.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.parts.iter().filter_map(|part| match part {
            Part::Placeholder(name, _) => Some(name),
            Part::Text(_) => None,
        })
    }

    /// Fills it in.
    #[must_use]
    pub fn render(&self, values: Values<'_>) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Placeholder(name, filters) => {
                let value = values.value(name);
                let mut filters = filters.iter();
                // `json` of a list or a number is that list or number.
                let first = match filters.as_slice().first() {
                    Some(Filter::Json) => {
                        filters.next();
                        value.to_string()
                    }
                    _ => text(&value),
                };
                filters.fold(first, |text, filter| filter.apply(&text))
            }
        };
        self.parts.iter().map(part).collect()
    }

    /// The value itself, where the template is nothing but one placeholder without a filter.
    fn alone(&self) -> Option<&Name> {
        match self.parts.as_slice() {
            [Part::Placeholder(name, filters)] if filters.is_empty() => Some(name),
            _ => None,
        }
    }
}

/// A string as it is, anything else as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Filter {
    fn apply(self, text: &str) -> String {
        match self {
            Self::Json => Value::from(text).to_string(),
            Self::Url => percent_encoded(text),
            Self::Raw => text.to_owned(),
            Self::Words => words(text).collect::<Vec<_>>().join(" "),
            Self::AnyWord => {
                let words: Vec<String> = words(text).map(|word| format!("\"{word}\"")).collect();
                if words.is_empty() { "\"\"".to_owned() } else { words.join(" OR ") }
            }
            Self::Base64 => base64::engine::general_purpose::STANDARD.encode(text),
        }
    }
}

/// A value as it stands in a URL.
pub(super) fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Runs of letters and digits: nothing in them is an operator of any query language.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn placeholder(inside: &str, captured: &[String]) -> Result<(Name, Vec<Filter>), String> {
    let mut words = inside.split('|').map(str::trim);
    let name = words.next().unwrap_or_default();
    let filters = words.map(|word| {
        let known = FILTERS.iter().find(|(name, _)| *name == word).map(|(_, filter)| *filter);
        known.ok_or_else(|| {
            format!("`{{{{{inside}}}}}` has no filter `{word}`; there is {}", FILTERS.map(|(name, _)| name).join(", "))
        })
    });
    let filters = filters.collect::<Result<_, _>>()?;
    let name = match name {
        "query" => Name::Query,
        "k" => Name::K,
        "id" => Name::Id,
        "vector" => Name::Vector,
        _ => match name.strip_prefix("env.") {
            Some(variable) if !variable.is_empty() => Name::Environment(variable.to_owned()),
            _ if captured.iter().any(|known| known == name) => Name::Captured(name.to_owned()),
            _ => {
                let own = captured.iter().map(|name| format!(", {name}")).collect::<String>();
                return Err(format!("there is no `{{{{{name}}}}}`; there is query, k, id, vector, env.NAME{own}"));
            }
        },
    };
    Ok((name, filters))
}

/// A JSON body whose strings are templates; one that is a placeholder alone keeps the type of its value.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonTemplate {
    /// A value without a placeholder.
    Plain(Value),
    /// A string.
    Text(Template),
    /// A list.
    List(Vec<JsonTemplate>),
    /// An object.
    Map(Vec<(String, JsonTemplate)>),
}

impl JsonTemplate {
    /// Reads `value`.
    ///
    /// # Errors
    /// As [`Template::parse`].
    pub fn parse(value: &Value, captured: &[String]) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(Template::parse(text, Place::Text, captured)?),
            Value::Array(values) => {
                Self::List(values.iter().map(|value| Self::parse(value, captured)).collect::<Result<_, _>>()?)
            }
            Value::Object(values) => {
                let entry = |(key, value): (&String, &Value)| Ok((key.clone(), Self::parse(value, captured)?));
                Self::Map(values.iter().map(entry).collect::<Result<_, String>>()?)
            }
            other => Self::Plain(other.clone()),
        })
    }

    /// Every name that it uses.
    #[must_use]
    pub fn names(&self) -> Vec<&Name> {
        match self {
            Self::Plain(_) => Vec::new(),
            Self::Text(template) => template.names().collect(),
            Self::List(values) => values.iter().flat_map(Self::names).collect(),
            Self::Map(values) => values.iter().flat_map(|(_, value)| value.names()).collect(),
        }
    }

    /// Fills it in.
    #[must_use]
    pub fn render(&self, values: Values<'_>) -> Value {
        match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => match template.alone() {
                Some(name) => values.value(name),
                None => template.render(values).into(),
            },
            Self::List(list) => list.iter().map(|value| value.render(values)).collect(),
            Self::Map(map) => map.iter().map(|(key, value)| (key.clone(), value.render(values))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const HOSTILE: &str = "say \"hi\" & a:b {{k}}\né";

    fn with<T>(use_them: impl FnOnce(Values<'_>) -> T) -> T {
        let environment = BTreeMap::from([("HOST".to_owned(), "http://h:1/x".to_owned())]);
        let captured = BTreeMap::from([("collection".to_owned(), json!("c/1"))]);
        use_them(Values {
            query: HOSTILE,
            id: "q1",
            k: 3,
            vector: &[0.5, -1.0],
            environment: &environment,
            captured: &captured,
        })
    }

    fn render(source: &str, place: Place) -> String {
        let template = Template::parse(source, place, &["collection".to_owned()]).unwrap();
        with(|values| template.render(values))
    }

    #[test]
    fn values_in_a_url_cannot_break_out() {
        assert_eq!(
            render("{{env.HOST}}/{{collection}}?q={{query}}&k={{ k }}", Place::Url),
            "http://h:1/x/c%2F1?q=say%20%22hi%22%20%26%20a%3Ab%20%7B%7Bk%7D%7D%0A%C3%A9&k=3"
        );
        assert_eq!(render("/{{collection|raw}}", Place::Url), "/c/1");
    }

    #[test]
    fn a_json_body_keeps_types_and_escapes_strings() {
        let body =
            json!({"q": "{{query}}", "k": "{{k}}", "v": ["{{vector}}"], "g": "f({{query|json}}, {{k}})", "n": 1});
        let template = JsonTemplate::parse(&body, &[]).unwrap();
        let quoted = json!(HOSTILE).to_string();
        assert_eq!(
            with(|values| template.render(values)),
            json!({"q": HOSTILE, "k": 3, "v": [[0.5, -1.0]], "g": format!("f({quoted}, 3)"), "n": 1})
        );
    }

    #[test]
    fn a_text_body_says_how_it_wants_its_values() {
        let error = Template::parse("q={{query}}", Place::Body, &[]).unwrap_err();
        assert!(error.contains("needs a filter; write `{{query|json}}`"), "{error}");
        let body = render(r#"{"q":{{query|json}},"v":{{vector}},"k":{{k}}}"#, Place::Body);
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), json!({"q": HOSTILE, "v": [0.5, -1.0], "k": 3}));
        assert_eq!(render("{{query|words|url}}", Place::Body), "say%20hi%20a%20b%20k%20%C3%A9");
        assert_eq!(render("{{query|any_word}}", Place::Body), r#""say" OR "hi" OR "a" OR "b" OR "k" OR "é""#);
        assert_eq!(render("{{query|json|json}}", Place::Body), json!(json!(HOSTILE).to_string()).to_string());
        assert_eq!(render("{{id|base64}}", Place::Body), "cTE=");
        assert_eq!(Filter::AnyWord.apply("?!"), "\"\"");
    }

    #[test]
    fn mistakes_name_what_there_is() {
        for (source, wanted) in [
            ("{{qeury}}", "there is no `{{qeury}}`; there is query, k, id, vector, env.NAME, collection"),
            ("{{query|yaml}}", "has no filter `yaml`; there is json, url, raw, words, any_word, base64"),
            ("{{query", "close the placeholder"),
            ("{{env.}}", "there is no `{{env.}}`"),
        ] {
            let error = Template::parse(source, Place::Text, &["collection".to_owned()]).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
