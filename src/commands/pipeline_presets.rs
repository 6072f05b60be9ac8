//! `pipeline presets`: the engines that need no paths and templates of one's own.

use serde_json::Value;

use crate::cli::Global;
use crate::exit::{ExitStatus, Failure};
use crate::pipeline::http::preset::{self, Preset};
use crate::sink;

pub(super) fn presets(global: &Global, name: Option<&str>) -> anyhow::Result<ExitStatus> {
    let presets = preset::all().map_err(anyhow::Error::msg)?;
    let text = match name {
        None => presets.iter().map(|(name, preset)| line(name, preset)).collect(),
        Some(name) => {
            let found = presets.iter().find(|(known, _)| known == name);
            let Some((name, preset)) = found else {
                let names: Vec<&str> = presets.iter().map(|(name, _)| name.as_str()).collect();
                let message = format!("there is no preset `{name}`\nhint: there is {}", names.join(", "));
                return Err(Failure::Input(message).into());
            };
            shown(name, preset)?
        }
    };
    sink::print(&text, global.color.into())?;
    Ok(ExitStatus::Pass)
}

fn line(name: &str, preset: &Preset) -> String {
    format!("{name}\n{}\n", textwrap::indent(&textwrap::fill(&preset.about, 76), "    "))
}

/// What to write in the configuration, and what it stands for.
fn shown(name: &str, preset: &Preset) -> anyhow::Result<String> {
    let with: Vec<String> = preset
        .with
        .iter()
        .map(|(key, value)| format!("{key}: {}", if value.is_null() { "…".to_owned() } else { value.to_string() }))
        .collect();
    let about = textwrap::fill(&preset.about, 78);
    let about = textwrap::indent(&about, "# ");
    let http = serde_yaml::to_string(&Value::Object(preset.http.clone()))?;
    let http = textwrap::indent(&http, "#     ");
    Ok(format!(
        "{about}\npipeline:\n  http:\n    preset: {name}\n    with: {{{}}}\n# It stands for this, any line of which can be \
         written beside `preset`:\n{http}",
        with.join(", ")
    ))
}
