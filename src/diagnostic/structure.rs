//! What serde says of a text that has not the shape of a file, in our words.

use super::{Place, Problem};

/// An error of the YAML reader.
#[must_use]
pub fn in_yaml(error: &serde_yaml::Error) -> Problem {
    let message = error.to_string();
    let bare = message.rsplit_once(" at line ").map_or(message.as_str(), |(bare, _)| bare);
    let place = error.location().map(|location| Place::new(location.line(), location.column()));
    let remedy = if bare.ends_with("expected a sequence") {
        "write a list: [one, another]"
    } else if bare.contains("invalid type") || bare.contains("invalid value") {
        "write there what is expected"
    } else {
        "mend the YAML there; a text with `: `, ` #` or a leading `*`, `&`, `!`, `@` or `[` needs quotes"
    };
    problem(bare, place, remedy)
}

/// An error of the JSON reader in one line, which is line `number` of the file.
#[must_use]
pub fn in_json(error: &serde_json::Error, number: usize) -> Problem {
    let message = error.to_string();
    let bare = message.rsplit_once(" at line ").map_or(message.as_str(), |(bare, _)| bare);
    problem(bare, Some(Place::new(number, error.column())), "a line is one JSON object")
}

/// Turns an unknown key into a suggestion and leaves any other message as it is.
fn problem(message: &str, place: Option<Place>, remedy: &str) -> Problem {
    let Some((before, after)) = message.split_once("unknown field `") else {
        return Problem { place, message: message.to_owned(), remedy: remedy.to_owned() };
    };
    // `unknown field `a`, expected one of `b`, `c``
    let unknown = after.split('`').next().unwrap_or_default();
    let known: Vec<&str> = after.split('`').skip(2).step_by(2).collect();
    let place = place.map(|place| Place { length: unknown.chars().count().max(1), ..place });
    let remedy = match nearest(unknown, &known) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known keys: {}", known.join(", ")),
    };
    Problem { place, message: format!("{before}unknown key `{unknown}`"), remedy }
}

/// The known name that was probably meant.
#[must_use]
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |known: &str| strsim::damerau_levenshtein(known, &name.to_lowercase());
    let (distance, known) = known.iter().map(|known| (distance(known), *known)).min()?;
    (distance <= 2 && distance < name.chars().count()).then_some(known)
}
