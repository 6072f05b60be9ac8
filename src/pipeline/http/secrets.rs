//! Values that no person and no file may see: the variables of the environment, and what `setup` captured.

use std::collections::BTreeMap;

use base64::Engine as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// A value shorter than this is too common in other text to be taken out of it.
const SHORTEST: usize = 4;

/// Hides secrets in text for people.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    /// Each way to write a secret, with what is shown instead; the longest first.
    hidden: Vec<(String, String)>,
}

impl Secrets {
    /// Hides every value of the environment that the templates use, and every captured one.
    pub(super) fn new(environment: &BTreeMap<String, String>, captured: &BTreeMap<String, Value>) -> Self {
        let variables = environment.iter().map(|(name, value)| (format!("{{{{env.{name}}}}}"), value.clone()));
        let captured = captured.iter().filter_map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Some((format!("{{{{{name}}}}}"), text)).filter(|_| !value.is_null())
        });
        let mut hidden: Vec<(String, String)> = Vec::new();
        for (shown, value) in variables.chain(captured).filter(|(_, value)| value.trim().len() >= SHORTEST) {
            let json = Value::from(value.as_str()).to_string();
            for form in [
                value.clone(),
                value.trim().to_owned(),
                json.trim_matches('"').to_owned(),
                utf8_percent_encode(&value, NON_ALPHANUMERIC).to_string(),
                super::template::percent_encoded(&value),
                base64::engine::general_purpose::STANDARD.encode(&value),
            ] {
                hidden.push((form, shown.clone()));
            }
        }
        hidden.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        hidden.dedup_by(|(a, _), (b, _)| a == b);
        Self { hidden }
    }

    /// The text with the name of each secret in its place.
    pub(super) fn hide(&self, text: &str) -> String {
        self.hidden.iter().fold(text.to_owned(), |text, (secret, shown)| text.replace(secret, shown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_secret_is_hidden() {
        let environment = BTreeMap::from([
            ("TOKEN".to_owned(), "s3cr\"et/+é".to_owned()),
            ("LONGER".to_owned(), "s3cr\"et/+é-and-more".to_owned()),
            ("PORT".to_owned(), "80".to_owned()),
        ]);
        let secrets = Secrets::new(&environment, &BTreeMap::from([("id".to_owned(), Value::from("captured-1"))]));
        let text = "a s3cr\"et/+é b s3cr\\\"et/+é c s3cr%22et%2F%2B%C3%A9 d czNjciJldC8rw6k= e s3cr\"et/+é-and-more f \
                    captured-1 g 80";
        assert_eq!(
            secrets.hide(text),
            "a {{env.TOKEN}} b {{env.TOKEN}} c {{env.TOKEN}} d {{env.TOKEN}} e {{env.LONGER}} f {{id}} g 80"
        );
    }
}
