#!/usr/bin/env python3
"""Validates what docs/ci and .github show, with the tools that are here; says what it skipped.

    python3 tests/docs/ci.py path/to/recall-gate

check-jsonschema and pre-commit are looked up on the PATH and in target/checkers/python/bin.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GATE = Path(sys.argv[1]).resolve()
PATH = os.pathsep.join([str(GATE.parent), os.environ["PATH"], str(ROOT / "target/checkers/python/bin")])
failures = []


def tool(name):
    found = shutil.which(name, path=PATH)
    if not found:
        print(f"skipped: {name} is not here")
    return found


def run(*command, folder, ok=True, **variables):
    """Runs a command that must succeed, or must fail."""
    environment = {**os.environ, "PATH": PATH, **variables}
    environment.pop("CI", None)
    done = subprocess.run([str(part) for part in command], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if (done.returncode == 0) != ok:
        failures.append(f"{command} ended with {done.returncode}\n{done.stdout}")
    return done.stdout


def blocks(page, language, name):
    """The blocks of a page whose first line says that they are a file of that name."""
    text = (ROOT / "docs/ci" / page).read_text()
    found = [block for block in re.findall(rf"```{language}\n(.*?)```", text, re.S)
             if block.splitlines()[0].endswith(f" {name}")]
    assert found, f"{page} has no {name}"
    return found


def project(folder):
    """A project of 30 queries with a committed baseline."""
    (folder / "golden").mkdir()
    queries = "".join(f"  - {{id: q{n}, text: question {n}, grades: {{d{n}: 2}}}}\n" for n in range(30))
    (folder / "golden/queries.yaml").write_text("queries:\n" + queries)
    (folder / "answers.jsonl").write_text("".join(f'{{"id":"q{n}","results":["d{n}"]}}\n' for n in range(30)))
    (folder / "recall-gate.yaml").write_text("pipeline: {run: answers.jsonl}\n")
    run(GATE, "baseline", "update", "--yes", "--reason", "first", folder=folder)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
    run(*git, "init", "-q", "-b", "main", folder=folder)
    run(*git, "add", "-A", folder=folder)
    run(*git, "commit", "-qm", "first", folder=folder)


def schemas(folder):
    check = tool("check-jsonschema")
    if not check:
        return
    for number, block in enumerate(blocks("gitlab.md", "yaml", ".gitlab-ci.yml")):
        file = folder / f"gitlab-{number}.yml"
        file.write_text(block)
        run(check, "--builtin-schema", "vendor.gitlab-ci", file, folder=folder)
    broken = folder / "broken.yml"
    broken.write_text("job: {script: {}}\n")
    run(check, "--builtin-schema", "vendor.gitlab-ci", broken, folder=folder, ok=False)
    for form in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml")):
        run(check, "--builtin-schema", "vendor.github-issue-forms", form, folder=folder)
    for workflow in sorted((ROOT / ".github/workflows").glob("*.yml")):
        run(check, "--builtin-schema", "vendor.github-workflows", workflow, folder=folder)
    print("checked against their schemas: GitLab jobs, issue forms, workflows")


def hooks(folder):
    pre_commit = tool("pre-commit")
    if not pre_commit:
        return
    run(pre_commit, "validate-manifest", ROOT / ".pre-commit-hooks.yaml", folder=folder)
    configurations = blocks("pre-commit.md", "yaml", ".pre-commit-config.yaml")
    for block in configurations:
        (folder / ".pre-commit-config.yaml").write_text(block)
        run(pre_commit, "validate-config", folder=folder)
    (local,) = [block for block in configurations if "repo: local" in block]
    (folder / ".pre-commit-config.yaml").write_text(local)
    home = {"PRE_COMMIT_HOME": str(folder / "home")}
    run("git", "add", "-A", folder=folder)
    run(pre_commit, "run", "--all-files", folder=folder, **home)
    run(pre_commit, "run", "--all-files", "--hook-stage", "pre-push", folder=folder, **home)
    answers = (folder / "answers.jsonl").read_text()
    (folder / "answers.jsonl").write_text(re.sub('"d1?[0-9]"', '"x"', answers))
    said = run(pre_commit, "run", "--all-files", "--hook-stage", "pre-push", folder=folder, ok=False, **home)
    if "REGRESSION" not in said:
        failures.append(f"the hook does not show the verdict:\n{said}")
    (folder / "answers.jsonl").write_text(answers)
    (folder / "golden/queries.yaml").write_text("queries: [{id: a}]\n")
    run("git", "add", "-A", folder=folder)
    run(pre_commit, "run", folder=folder, ok=False, **home)
    print("run by pre-commit: both hooks, on good and on bad input")


def make(folder):
    program = tool("make")
    if not program:
        return
    (block,) = blocks("make.md", "make", "Makefile")
    (folder / "Makefile").write_text(block)
    gate = f"RECALL_GATE={GATE}"
    run(program, gate, "golden", folder=folder)
    run(program, gate, "eval", folder=folder)
    if not (folder / "recall.html").exists():
        failures.append("make eval wrote no recall.html")
    run(program, gate, "baseline", folder=folder, ok=False)
    run(program, gate, "baseline", "FLAGS=--yes", "REASON=it's \"$(HOME)\" `x` $$y", folder=folder)
    if "it's" not in (folder / "baselines/main.jsonl").read_text().splitlines()[0]:
        failures.append("make baseline lost the reason")
    print("run by make: eval, golden, baseline")


for part in [schemas, hooks, make]:
    with tempfile.TemporaryDirectory() as folder:
        if part is not schemas:
            project(Path(folder))
        part(Path(folder))
for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(bool(failures))
