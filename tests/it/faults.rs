//! What must never be lost or half written, with real kills and a file system that is really full.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::project::{Project, hundred};

const UPDATE: [&str; 5] = ["baseline", "update", "--reason", "again", "--yes"];

/// Whether the committed baseline can be judged against.
fn is_whole(project: &Project) -> bool {
    project.run(&["run", "--quiet"]).code == 0
}

#[test]
fn an_update_that_is_killed_at_any_moment_leaves_a_whole_baseline() {
    let project = hundred();
    let mut killed = 0;
    for step in 0..40 {
        let mut child = project.command(&UPDATE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(step));
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        assert!(is_whole(&project), "killed after {step} ms");
    }
    assert!(killed > 0, "no update was slow enough to be killed");
}

#[test]
fn two_updates_at_once_leave_the_whole_of_one() {
    let project = hundred();
    let start = || project.command(&UPDATE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for mut child in [start(), start(), start(), start()] {
        assert!(child.wait().unwrap().success());
    }
    assert!(is_whole(&project));
    let left: Vec<_> = std::fs::read_dir(project.path().join("baselines")).unwrap().collect();
    assert_eq!(left.len(), 2, "the baseline and its history, nothing temporary: {left:?}");
}

/// A small file system over a folder; unmounted when it is dropped.
struct Mounted(std::path::PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_the_old_baseline_as_it_was() {
    let project = hundred();
    let whole = project.read("baselines/main.jsonl");
    let folder = project.path().join("small");
    std::fs::create_dir(&folder).unwrap();
    let mount = ["-t", "tmpfs", "-o", "size=16k", "tmpfs"];
    let is_mounted = Command::new("mount").args(mount).arg(&folder).stderr(Stdio::null()).status();
    if !is_mounted.is_ok_and(|status| status.success()) {
        eprintln!("skipped: mounting a small file system is not allowed here");
        return;
    }
    let mounted = Mounted(folder);
    project.write("small/main.jsonl", &whole);
    project.write("recall-gate.yaml", "pipeline: {run: answers.jsonl}\nbaseline: small/main.jsonl\n");
    // Less is left than a second baseline needs.
    let full = vec![b'x'; 16 << 10];
    let _ = std::fs::write(mounted.0.join("filler"), &full);
    let outcome = project.run(&UPDATE);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stderr.contains("cannot write") && outcome.stderr.contains("small/"), "{}", outcome.stderr);
    assert_eq!(project.read("small/main.jsonl"), whole);
    assert_eq!(project.run(&["run", "--save-run", "small/run.jsonl", "--quiet"]).code, 3);
    assert_eq!(std::fs::read_dir(&mounted.0).unwrap().count(), 2, "nothing half written is left");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_told_before_anything_is_measured() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = hundred();
    let folder = project.path().join("baselines");
    let allow = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
    allow(0o555);
    if std::fs::write(folder.join("probe"), "").is_ok() {
        allow(0o755);
        eprintln!("skipped: this user may write anywhere");
        return;
    }
    project.write("recall-gate.yaml", "pipeline: {command: [touch, started]}\n");
    let outcome = project.run(&UPDATE);
    allow(0o755);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("permission denied"), "{}", outcome.stderr);
    assert!(!project.path().join("started").exists());
}

#[test]
fn damage_of_every_kind_is_named_and_never_green() {
    let project = hundred();
    let whole = project.read("baselines/main.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    for (damaged, wanted) in [
        (format!("<<<<<<< HEAD\n{whole}=======\n{whole}>>>>>>> other\n"), "line 1: a merge conflict"),
        (whole[..whole.len() / 2].to_owned(), "git checkout -- FILE"),
        (whole.replacen("\"recall_gate_baseline\":1", "\"recall_gate_baseline\":2", 1), "baseline format 2"),
        (lines[1..].join("\n"), "not the header"),
        (whole.replacen("\"results\":[\"d003\"", "\"results\":[\"d003\",", 1), "line 5: not JSON"),
        (format!("{whole}{}\n", lines[4]), "`q003` is answered twice"),
        (lines[..50].join("\n"), "promises 100 queries, 49 follow"),
        (String::new(), "not the header"),
    ] {
        project.write("baselines/main.jsonl", damaged);
        let outcome = project.run(&["run"]);
        assert_eq!(outcome.code, 2, "{wanted}: {outcome:?}");
        assert!(
            outcome.stderr.contains("baselines/main.jsonl: ") && outcome.stderr.contains(wanted),
            "{wanted}: {outcome:?}"
        );
        assert!(outcome.stderr.contains("hint: "), "{outcome:?}");
    }
}
