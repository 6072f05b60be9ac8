//! `command` pipelines that behave, and that fail in every way that has been seen.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use recall_gate::id::QueryId;
use recall_gate::pipeline::command::CommandPipeline;
use recall_gate::pipeline::{Answers, Pipeline, PipelineError, Question, Unwatched};

use crate::common::project::{Project, hundred};

fn questions(count: usize) -> Vec<Question> {
    (0..count).map(|n| Question { id: QueryId::new(format!("q{n}")), text: format!("question {n} \"é\"") }).collect()
}

/// Asks three questions of a shell script.
fn shell(script: &str) -> Result<Answers, PipelineError> {
    shell_within(script, Duration::from_secs(20))
}

fn shell_within(script: &str, timeout: Duration) -> Result<Answers, PipelineError> {
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    CommandPipeline::new(command, Path::new(""), timeout).ask(&questions(3), 2, &Unwatched)
}

fn python(script: &str, count: usize) -> Result<Answers, PipelineError> {
    let command = ["python3", "-c", script].map(str::to_owned).to_vec();
    CommandPipeline::new(command, Path::new(""), Duration::from_secs(30)).ask(&questions(count), 2, &Unwatched)
}

const ALL: &str = r#"printf '{"id":"q0","results":["a"]}\n{"id":"q1","results":[]}\n{"id":"q2","results":["c"]}\n'"#;

#[test]
fn it_may_read_all_first_answer_backwards_and_return_too_much() {
    let script = r#"
import json, sys
lines = [json.loads(line) for line in sys.stdin]
assert list(lines[0]) == ["id", "query", "k"] and lines[0]["k"] == 2 and "é" in lines[0]["query"]
for line in reversed(lines):
    print(json.dumps({"id": line["id"], "results": ["a", {"id": "b", "score": 1, "text": "t"}, "c"]}), end="\r\n")
    print()
"#;
    let answers = python(script, 50).unwrap();
    assert_eq!(answers.run.len(), 50);
    assert!(answers.run.iter().all(|(_, repeats)| repeats[0].len() == 2), "cut to the depth asked for");
    assert_eq!(answers.warnings, Vec::<String>::new());
}

#[test]
fn it_may_stream_and_log_much_more_than_a_pipe_holds() {
    let script = r#"
import json, sys
for line in sys.stdin:
    print("x" * 1000, file=sys.stderr)
    print(json.dumps({"id": json.loads(line)["id"], "results": ["d" * 200]}), flush=True)
"#;
    assert_eq!(python(script, 2000).unwrap().run.len(), 2000);
}

#[test]
fn it_need_not_read_its_input() {
    assert_eq!(shell(&format!("exec 0<&-; {ALL}")).unwrap().run.len(), 3);
}

#[test]
fn every_fault_of_an_answer_is_named() {
    for (script, wanted) in [
        ("echo Loading model", "line 1 of its standard output: not JSON"),
        ("echo Loading model", "log to standard error"),
        (
            r#"echo '{"id":"q0","results":["a"]}'; echo '{"id":"q0","results":["a"]}'"#,
            "line 2 of its standard output: query `q0` was answered before",
        ),
        (r#"echo '{"id":"q7","results":[]}'"#, "query `q7` was not asked"),
        (r#"echo '{"id":"q0","results":[]}'"#, "without an answer to 2 of 3 queries: `q1`, `q2`"),
        (r#"echo '{"id":"q0","results":[""]}'"#, "query `q0`, result 1"),
        (r#"echo '{"id":"q0","results":[{"id":"a","score":NaN}]}'"#, "not JSON"),
        (r#"printf '{"id":"q0\377","results":[]}\n'"#, "not UTF-8 (byte 0xff at offset 9)"),
        ("head -c 20000000 /dev/zero | tr '\\0' x", "longer than 16 MiB"),
        ("true", "without an answer to 3 of 3 queries"),
    ] {
        let error = shell(script).unwrap_err();
        assert!(error.message.contains(wanted), "{script}: {error}");
        assert!(error.message.contains("hint: "), "{script}: {error}");
    }
}

#[test]
fn a_failed_program_shows_the_end_of_its_standard_error() {
    let error = shell(&format!("{ALL}; seq 100000 >&2; echo 'no model' >&2; exit 3")).unwrap_err();
    assert!(error.message.contains("ended with exit code 3, after answering 3 of 3 queries"), "{error}");
    let tail = error.stderr_tail.unwrap();
    assert!(tail.ends_with("99999\n100000\nno model\n") && tail.len() <= 8192, "{tail}");
    assert!(tail.lines().next().unwrap().len() >= 5, "its first line is whole: {tail}");

    let error = shell(r#"printf '{"id":"q0","resu'; kill -9 $$"#).unwrap_err();
    assert!(error.message.contains("signal 9"), "killed in the middle of a line: {error}");
    let answers = shell(&ALL.replace(r"\n'", "'")).unwrap();
    assert_eq!(answers.run.len(), 3, "the last line needs no end");
    let error = shell("kill -9 $$").unwrap_err();
    assert!(error.message.contains("signal 9 (SIGKILL); did it run out of memory?"), "{error}");
    assert_eq!(error.stderr_tail, None);
}

#[test]
fn silence_ends_it() {
    let error = shell_within(r#"echo '{"id":"q1","results":[]}'; sleep 60"#, Duration::from_millis(300)).unwrap_err();
    assert!(error.message.contains("no answer for 300ms"), "{error}");
    assert!(error.message.contains("2 of 3 queries are unanswered: `q0`, `q2`"), "{error}");
    let error = shell_within(&format!("{ALL}; sleep 60"), Duration::from_millis(300)).unwrap_err();
    assert!(error.message.contains("answered all 3 queries and did not end"), "{error}");
    let error = shell_within("while :; do echo; sleep 0.05; done", Duration::from_millis(300)).unwrap_err();
    assert!(error.message.contains("no answer for 300ms"), "blank lines are no answers: {error}");
    let error = shell_within(&format!("{ALL}; exec >&-; sleep 60"), Duration::from_millis(300)).unwrap_err();
    assert!(error.message.contains("answered all 3 queries and did not end"), "{error}");
}

/// Waits until a process is gone (or a zombie of somebody else); whether it went.
fn goes(process: &str) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        let state = Command::new("ps").args(["-o", "stat=", "-p", process]).output().unwrap().stdout;
        let state = String::from_utf8(state).unwrap();
        if state.trim().is_empty() || state.trim().starts_with('Z') {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Waits for a file that a script writes, and returns what it holds.
fn written(path: &Path) -> String {
    let start = Instant::now();
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ if start.elapsed() > Duration::from_secs(20) => panic!("{} was never written", path.display()),
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[test]
fn what_it_left_behind_dies_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pid");
    let left = format!("sleep 600 & echo $! > '{}'", path.display());
    // Answered in full, with a process that keeps standard output open: a success with a warning.
    let answers = shell(&format!("{ALL}; {left}")).unwrap();
    assert!(answers.warnings[0].contains("left behind"), "{:?}", answers.warnings);
    assert!(goes(&written(&path)));
    // Hanging in a child of its own: the whole group goes at the timeout.
    let error = shell_within(&format!("{left}; wait"), Duration::from_millis(300)).unwrap_err();
    assert!(error.message.contains("no answer for 300ms"), "{error}");
    assert!(goes(&written(&path)));
}

#[test]
fn what_cannot_be_started_is_named_with_a_remedy() {
    let start = |command: &[&str], folder: &Path| {
        let command = command.iter().map(ToString::to_string).collect();
        CommandPipeline::new(command, folder, Duration::from_secs(5)).ask(&questions(1), 1, &Unwatched).unwrap_err()
    };
    let folder = tempfile::tempdir().unwrap();
    assert!(start(&["no-such-program"], folder.path()).message.contains("`no-such-program`: No such file"));
    assert!(start(&["./none.sh"], folder.path()).message.contains("relative to the folder of the configuration"));
    assert!(start(&["sh"], &folder.path().join("none")).message.contains("there is no folder"));
    std::fs::write(folder.path().join("plain.sh"), "#!/bin/sh\n").unwrap();
    assert!(start(&["./plain.sh"], folder.path()).message.contains("chmod +x"));
}

#[test]
fn a_script_beside_the_configuration_is_found_from_anywhere() {
    let project = hundred();
    project.write("answer.sh", "#!/bin/sh\ncat answers.jsonl\n");
    let status = Command::new("chmod").arg("+x").arg(project.path().join("answer.sh")).status().unwrap();
    assert!(status.success());
    project.write("recall-gate.yaml", "pipeline: {command: [./answer.sh]}\n");
    assert_eq!(project.run(&["run"]).code, 0);
    let name = project.path().file_name().unwrap().to_str().unwrap();
    let mut from_above = project.command(&["run", "--config", &format!("{name}/recall-gate.yaml")]);
    let output = from_above.current_dir(project.path().parent().unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_broken_pipeline_is_exit_3_and_its_words_are_shown_harmlessly() {
    let project = hundred();
    project.write("recall-gate.yaml", "pipeline: {command: [sh, -c, \"printf 'no \\\\033[31mmodel' >&2; exit 7\"]}\n");
    let outcome = project.run(&["run"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stdout.contains("exit code 7") && outcome.stdout.contains("model"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains('\u{1b}'), "{:?}", outcome.stdout);
    let before = project.read("baselines/main.jsonl");
    assert_eq!(project.run(&["baseline", "update", "--reason", "x", "--yes"]).code, 3);
    assert_eq!(project.read("baselines/main.jsonl"), before);
}

/// A run of the program with a pipeline that hangs, and the process id of what hangs.
fn hanging(project: &Project) -> (std::process::Child, String) {
    let pid = project.path().join("pid");
    project.write(
        "recall-gate.yaml",
        "pipeline: {command: [sh, -c, 'sleep 600 & echo $! > pid.new; mv pid.new pid; wait']}\n",
    );
    let child = project.command(&["run"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let hanging = written(&pid);
    (child, hanging)
}

#[test]
fn an_interrupt_takes_the_whole_group_along() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let project = hundred();
        let (mut child, hanging) = hanging(&project);
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert!(goes(&hanging), "{signal}");
    }
}

#[test]
fn even_sigkill_takes_the_whole_group_along() {
    let project = hundred();
    let (mut child, hanging) = hanging(&project);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(goes(&hanging));
}

#[test]
fn a_dismissed_watchdog_ends_nothing() {
    use std::os::unix::process::CommandExt as _;
    let mut bystander = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
    let mut watchdog = Command::new(env!("CARGO_BIN_EXE_recall-gate"))
        .args(["__watchdog", &bystander.id().to_string()])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    watchdog.stdin.take().unwrap().write_all(b".").unwrap();
    assert!(watchdog.wait().unwrap().success());
    assert!(bystander.try_wait().unwrap().is_none(), "still there");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
    for group in ["1", "0", "-5", "x"] {
        let watchdog = Command::new(env!("CARGO_BIN_EXE_recall-gate")).args(["__watchdog", group]).status().unwrap();
        assert_eq!(watchdog.code(), Some(2), "{group}");
    }
}

#[test]
fn a_model_may_take_its_time_to_load() {
    let pipeline = |script: &str, timeout, startup| {
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        CommandPipeline::new(command, Path::new(""), Duration::from_millis(timeout))
            .with_startup_timeout(Duration::from_millis(startup))
            .ask(&questions(3), 2, &Unwatched)
    };
    assert_eq!(pipeline(&format!("sleep 1; {ALL}"), 300, 30_000).unwrap().run.len(), 3);
    let error = pipeline("sleep 30", 30_000, 300).unwrap_err();
    assert!(error.message.contains("no answer for 300ms, the `startup_timeout`; 3 of 3"), "{error}");
    let error = pipeline(r#"echo '{"id":"q0","results":[]}'; sleep 30"#, 300, 30_000).unwrap_err();
    assert!(error.message.contains("no answer for 300ms, the `timeout`; 2 of 3"), "{error}");
}

#[test]
fn it_starts_in_its_folder_and_with_its_environment() {
    let project = Project::with_config(
        "pipeline:\n  command: [./answer.sh, \"two words\"]\n  directory: search/index\n  env: {MODEL: \"a \\\"b\\\" $HOME\"}\n",
    );
    project.write("golden/queries.yaml", crate::common::project::golden(30));
    let script = project.write(
        "search/index/answer.sh",
        "#!/bin/sh\n[ \"$MODEL\" = 'a \"b\" $HOME' ] && [ \"$1\" = 'two words' ] && [ -f answer.sh ] && [ -n \"$PATH\" ] || exit 9\n\
         while read -r line; do\n  id=${line#*:\\\"}; id=${id%%\\\"*}\n  echo \"{\\\"id\\\": \\\"$id\\\", \\\"results\\\": [\\\"d${id#q}\\\"]}\"\ndone\n",
    );
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let outcome = project.run(&["baseline", "update", "--reason", "first", "--yes"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("100.0"), "{}", outcome.stdout);
}
