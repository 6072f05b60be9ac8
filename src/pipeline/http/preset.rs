//! Requests and paths of well-known engines: `presets.yaml` beside this file, data and not code.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::diagnostic::nearest;

/// All presets, as they are shipped.
pub const PRESETS: &str = include_str!("presets.yaml");

/// What is filled in for an engine.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// The engine, what the request does, and what else it needs, in a sentence or two.
    pub about: String,
    /// What a user says of the engine, with the usual value; null where there is none.
    pub with: Map<String, Value>,
    /// The settings of `http`, with `{{with.NAME}}` in them.
    pub http: Map<String, Value>,
}

/// The name of every preset with it, in the order of the file.
///
/// # Errors
/// Where the shipped data is damaged, which a test rules out.
pub fn all() -> Result<Vec<(String, Preset)>, String> {
    let presets: Map<String, Value> = serde_yaml::from_str(PRESETS).map_err(|error| error.to_string())?;
    let preset = |(name, value)| Ok((name, serde_json::from_value(value).map_err(|error| error.to_string())?));
    presets.into_iter().map(preset).collect()
}

/// The settings of the preset `name`, with what the user says in their place.
///
/// # Errors
/// A message and after it a remedy, where there is no such preset, or it needs something else of the user.
pub fn filled_in(name: &str, with: &Map<String, Value>) -> Result<Map<String, Value>, (String, String)> {
    let presets = all().map_err(|error| (format!("the presets cannot be read: {error}"), "report it".to_owned()))?;
    let names: Vec<&str> = presets.iter().map(|(name, _)| name.as_str()).collect();
    let Some((_, preset)) = presets.iter().find(|(known, _)| known == name) else {
        let remedy = match nearest(name, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there is {}", names.join(", ")),
        };
        return Err((format!("there is no preset `{name}`"), remedy));
    };
    let known: Vec<&str> = preset.with.keys().map(String::as_str).collect();
    if let Some(unknown) = with.keys().find(|key| !preset.with.contains_key(*key)) {
        let remedy = match nearest(unknown, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it takes {}", known.join(", ")),
        };
        return Err((format!("the preset `{name}` takes no `{unknown}`"), remedy));
    }
    let mut values = preset.with.clone();
    values.extend(with.clone());
    let missing: Vec<&str> = values.iter().filter(|(_, value)| value.is_null()).map(|(key, _)| key.as_str()).collect();
    if !missing.is_empty() {
        let example: Vec<String> = missing.iter().map(|key| format!("{key}: …")).collect();
        let remedy = format!("write `with: {{{}}}`", example.join(", "));
        return Err((format!("the preset `{name}` needs {}", missing.join(", ")), remedy));
    }
    Ok(preset.http.iter().map(|(key, value)| (key.clone(), fill(value, &values))).collect())
}

/// Puts the values in the place of `{{with.NAME}}`; a string that is nothing else takes the type of the value.
fn fill(template: &Value, values: &Map<String, Value>) -> Value {
    match template {
        Value::String(text) => {
            let alone = text.strip_prefix("{{with.").and_then(|rest| rest.strip_suffix("}}"));
            if let Some(value) = alone.and_then(|name| values.get(name)) {
                return value.clone();
            }
            let filled = values.iter().fold(text.clone(), |text, (name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text.replace(&format!("{{{{with.{name}}}}}"), &value)
            });
            Value::String(filled)
        }
        Value::Array(list) => list.iter().map(|value| fill(value, values)).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), fill(value, values))).collect(),
        other => other.clone(),
    }
}
