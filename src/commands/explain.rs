//! `explain QUERY`: one query, both rankings.

use super::judging::Judging;
use super::surroundings::surroundings;
use super::{Check, cannot_judge, load_baseline, load_config, load_golden, measure, no_baseline};
use crate::cli::{ExplainArguments, Global};
use crate::diagnostic::nearest;
use crate::environment;
use crate::exit::{ExitStatus, Failure};
use crate::golden::{GoldenSet, Query};
use crate::report::explain;
use crate::report::view::{Context, queries_of};
use crate::sink;

/// Queries that a message lists.
const LISTED: usize = 10;

pub(super) fn explain(global: &Global, arguments: &ExplainArguments) -> anyhow::Result<ExitStatus> {
    let config = load_config(&global.config)?;
    let golden = load_golden(&config)?;
    let query = find(&golden, &arguments.query)?.clone();
    let path = arguments.baseline.as_ref().unwrap_or(&config.baseline);
    let Some(baseline) = load_baseline(path)? else { return Err(no_baseline(path).into()) };

    let one = GoldenSet { queries: vec![query] };
    let measured = measure(&arguments.stored, &config, &one, Check::OneQuery, global).map_err(cannot_judge)?;
    let judging = Judging::new(&config, &one);
    let (before, now) = (judging.cut(&baseline.run), judging.cut(&measured.run));
    let comparison = judging.compare(&before, &now);
    let surroundings = surroundings(&config, &one, measured.corpus, Vec::new())?;
    let context = Context { surroundings, ..judging.context(None, None) };
    let file = &context.surroundings.golden_file.path;
    for query in queries_of(&context, &comparison) {
        let place = query.line.map(|line| format!("{file}:{line}")).unwrap_or_default();
        let text = explain::render(&query, &place, environment::terminal_width());
        sink::print(&text, global.color.into())?;
    }
    Ok(ExitStatus::Pass)
}

/// The query of this id, or the only one that has `name` in its id or its text.
fn find<'a>(golden: &'a GoldenSet, name: &str) -> Result<&'a Query, Failure> {
    if let Some(exact) = golden.queries.iter().find(|query| query.id.as_str() == name) {
        return Ok(exact);
    }
    let lower = name.to_lowercase();
    let has = |query: &&Query| {
        query.id.as_str().to_lowercase().contains(&lower) || query.text.to_lowercase().contains(&lower)
    };
    let found: Vec<&Query> = golden.queries.iter().filter(has).collect();
    match found.as_slice() {
        [only] if !name.trim().is_empty() => Ok(only),
        [] => {
            let ids: Vec<&str> = golden.queries.iter().map(|query| query.id.as_str()).collect();
            let hint = match nearest(name, &ids) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write its id, or a part of its id or text that no other query has".to_owned(),
            };
            Err(Failure::Input(format!("no query is called `{name}`\nhint: {hint}")))
        }
        many => {
            let listed: Vec<String> =
                many.iter().take(LISTED).map(|query| format!("  {}  {}", query.id, query.text)).collect();
            let more = if many.len() > LISTED { "\n  …" } else { "" };
            let count = many.len();
            Err(Failure::Input(format!("`{name}` is in {count} queries; which one?\n{}{more}", listed.join("\n"))))
        }
    }
}
