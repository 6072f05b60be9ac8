//! What the servers are filled with, and what they are asked.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of this repository.
pub(crate) fn repository(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Runs a program that has to succeed, and returns what it printed.
pub(crate) fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{stderr}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// The example help centre in chunks, a JSON line each.
pub(crate) fn chunks() -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chunks.jsonl");
    let documents = repository("examples/helpdesk/docs");
    succeed(Command::new("python3").arg(repository("examples/helpdesk/ingest.py")).arg(documents).arg(&path));
    std::fs::read_to_string(path).unwrap()
}

/// What an import leaves that stopped half way: nothing Spanish, such as the answer to the pinned `es-contrasena`.
pub(crate) fn half(chunks: &str) -> String {
    chunks.lines().take(chunks.lines().count() / 2).map(|line| format!("{line}\n")).collect()
}

/// Every chunk under a second id as well, so that each score is there twice.
pub(crate) fn doubled(chunks: &str) -> String {
    let copy = |line: &str| line.replacen(r#""id": ""#, r#""id": "copy-of-"#, 1);
    chunks.lines().map(|line| format!("{line}\n{}\n", copy(line))).collect()
}

/// The golden set of the example, with queries that are code to somebody: to a query parser, a shell, SQL, a template.
pub(crate) fn golden() -> String {
    const ODD: &str = r#"
  - {id: odd-quoted, text: 'where is the "tracking number"', grades: {en/order-tracking: 2}}
  - {id: odd-open-quote, text: 'a 5" pan that is "non-stick', grades: {en/non-stick-pans: 2}}
  - {id: odd-operators, text: 'refund AND NOT OR card NEAR', grades: {en/refund-times: 2}}
  - {id: odd-minus, text: 'mattress OR -trial --nights', grades: {en/mattress-trial: 2}}
  - {id: odd-field, text: 'title:gift card:validity a:b', grades: {en/gift-cards: 2}}
  - {id: odd-open-bracket, text: '(trade account [discount', grades: {en/trade-accounts: 2}}
  - {id: odd-stars, text: 'pass* *word ^ account~2 ?', grades: {en/account-password: 2}}
  - {id: odd-emoji, text: 'live plants 🪴 arrive dead 😢', grades: {en/live-plants: 2}}
  - {id: odd-escapes, text: '100% linen \" \\ \n %22 &q=* #', grades: {en/linen-and-wool-care: 2}}
  - {id: odd-lines, text: "cast iron\r\n\tpan rust\u00a0\u200b", grades: {en/cast-iron-care: 2}}
  - {id: odd-sql, text: "'; drop table docs; -- $$ :query :'k'", unanswerable: true}
  - {id: odd-shell, text: '$(touch here) `id` ${HOME} | cat', unanswerable: true}
  - {id: odd-template, text: '{{env.TYPESENSE_API_KEY}} {{query}} {{k|json}}', unanswerable: true}
  - {id: odd-only-marks, text: '?! ("', unanswerable: true}
  - {id: odd-only-emoji, text: '😀', unanswerable: true}
  - {id: odd-chinese, text: '如何退货', unanswerable: true}
"#;
    std::fs::read_to_string(repository("golden/queries.yaml")).unwrap() + ODD
}

/// How many queries that is.
pub(crate) fn queries() -> usize {
    recall_gate::golden::read::parse(&golden(), Path::new("golden.yaml")).unwrap().queries.len()
}
