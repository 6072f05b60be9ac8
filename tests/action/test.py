"""Runs the action for real: act runs a workflow of a user, the action runs the gate, and what comes out is looked at.

test.py ACT PROGRAM: `actions/cache` and `actions/upload-artifact` are stand-ins here, since act has no network; everything
else is what runs on GitHub. The program is put where the action would have built it.
"""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ACT, PROGRAM = (Path(argument).resolve() for argument in sys.argv[1:3])
ROOT = Path(__file__).resolve().parents[2]
CACHE = "actions/cache@5a3ec84eff668545956fd18022155c47e93e2684"
UPLOAD = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02"
TOKEN = "t0ken-of-the-workflow"


class Api(http.server.BaseHTTPRequestHandler):
    """The part of GitHub's API that comments need."""

    comments: list = []
    status = None  # answered to everything, where it is set
    requests: list = []

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_any(self):
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or b"null")
        Api.requests.append((self.command, self.path, self.headers.get("Authorization")))
        if Api.status:
            return self.answer(Api.status, {"message": "Resource not accessible by integration"})
        path = self.path.split("?")[0]
        if self.command == "GET" and path == "/repos/acme/shop/issues/7/comments":
            page = int(re.search(r"[?&]page=(\d+)", self.path).group(1))
            return self.answer(200, Api.comments[(page - 1) * 100 : page * 100])
        if self.command == "POST" and path == "/repos/acme/shop/issues/7/comments":
            Api.comments.append({"id": 1000 + len(Api.comments), "body": body["body"]})
            return self.answer(201, Api.comments[-1])
        found = [c for c in Api.comments if path == f"/repos/acme/shop/issues/comments/{c['id']}"]
        if self.command == "PATCH" and found:
            found[0]["body"] = body["body"]
            return self.answer(200, found[0])
        return self.answer(404, {"message": "Not Found"})

    do_GET = do_POST = do_PATCH = handle_any

    def log_message(self, *_):
        pass


WORKFLOW = """
name: recall check
on: pull_request
permissions:
  contents: read
  pull-requests: write
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - id: gate
        uses: {uses}
        with:
          version: source
          github-token: {token}
          {inputs}
      - if: always()
        shell: bash
        run: |
          {{
            echo "verdict=$VERDICT"
            echo "code=$CODE"
            echo "deltas=$DELTAS"
            echo "report=$(ls "$REPORT" | tr '\\n' ' ')"
            echo "html=$(head -c 15 "$REPORT/report.html")"
          }} > "$SEEN"
          cp "$REPORT/summary.md" "$SEEN.summary" || true
        env:
          VERDICT: ${{{{ steps.gate.outputs.verdict }}}}
          CODE: ${{{{ steps.gate.outputs.exit-code }}}}
          DELTAS: ${{{{ steps.gate.outputs.deltas }}}}
          REPORT: ${{{{ steps.gate.outputs.report }}}}
          SEEN: {seen}
"""


class Shop:
    """A user's repository with a golden set of 100 queries and a baseline that answers all of them."""

    def __init__(self, folder: Path):
        self.folder, self.home = folder / "shop", folder / "home"
        self.tools = folder / "tools"
        for action, name in [(CACHE, "cache"), (UPLOAD, "upload")]:
            (self.tools / name).mkdir(parents=True)
            steps = "    - run: 'true'\n      shell: bash\n"
            (self.tools / name / "action.yml").write_text(
                f"name: stand-in for {action}\ndescription: nothing\ninputs:\n  path: {{default: ''}}\n  key: {{default: ''}}\n"
                f"  name: {{default: ''}}\n  if-no-files-found: {{default: ''}}\nruns:\n  using: composite\n  steps:\n{steps}"
            )
        self.write("recall-gate.yaml", "pipeline: {run: answers.jsonl}\n")
        ids = [f"q{n:03}" for n in range(100)]
        queries = [f"  - {{id: {id}, text: question {id}, grades: {{d{id}: 2}}}}\n" for id in ids]
        self.write("golden/queries.yaml", "queries:\n" + "".join(queries))
        self.answer(0)
        self.git("init", "--quiet", "--initial-branch=main")
        self.gate("baseline", "update", "--reason", "first", "--yes", "--quiet")
        self.commit("the shop")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def answer(self, lost):
        lines = [
            json.dumps({"id": f"q{n:03}", "results": ["::error::smuggled" if n < lost else f"dq{n:03}", "other"]}) + "\n"
            for n in range(100)
        ]
        self.write("answers.jsonl", "".join(lines))

    def gate(self, *arguments):
        environment = {key: value for key, value in os.environ.items() if key != "CI"}
        subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=environment, check=True)

    def git(self, *arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def run(self, inputs="", uses="acme/recall-gate@v1", fork=False):
        """Runs the workflow; how it ended, its log, and what a later step saw."""
        seen = self.folder.parent / "seen"
        for path in [seen, Path(f"{seen}.summary")]:
            path.unlink(missing_ok=True)
        inputs = inputs.replace("\n", "\n          ")
        self.write(".github/workflows/recall.yml", WORKFLOW.format(uses=uses, token=TOKEN, inputs=inputs, seen=seen))
        head = "stranger/shop" if fork else "acme/shop"
        event = {"pull_request": {"number": 7, "head": {"ref": "change", "sha": "0" * 40, "repo": {"full_name": head}},
                                  "base": {"ref": "main"}}, "repository": {"full_name": "acme/shop"}}
        event_file = self.folder.parent / "event.json"
        event_file.write_text(json.dumps(event))
        published = self.tools / "published" / "v1"
        shutil.rmtree(published, ignore_errors=True)
        published.mkdir(parents=True)
        for name in ["action.yml", ".github/actions", "Cargo.toml", "Cargo.lock", "src"]:
            source, target = ROOT / name, published / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        command = [
            ACT, "pull_request", "--eventpath", event_file, "--platform", "ubuntu-latest=-self-hosted", "--json",
            "--env", "GITHUB_REPOSITORY=acme/shop", "--env", f"GITHUB_API_URL={self.api}", "--env", f"HOME={self.home}",
            "--local-repository", f"acme/recall-gate@v1={published}",
            "--local-repository", f"{CACHE}={self.tools}/cache", "--local-repository", f"{UPLOAD}={self.tools}/upload",
        ]
        environment = {**os.environ, "HOME": str(self.home), "GITHUB_REPOSITORY": "acme/shop"}
        done = subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        log = "\n".join(line.get("msg", "") for line in lines)
        text = seen.read_text() if seen.exists() else ""
        values = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        summary = Path(f"{seen}.summary")
        return done.returncode, log, lines, values, summary.read_text() if summary.exists() else ""


def check(condition, *what):
    if not condition:
        raise AssertionError("\n".join(str(part) for part in what))


def install_a_release(folder: Path):
    """The program of a release: fetched, checked against its checksum, and refused where that does not hold."""
    action = folder / "_actions/acme/recall-gate/v9.8.7"
    shutil.copytree(ROOT / ".github/actions", action / ".github/actions")
    target = {"x86_64": "x86_64-unknown-linux-musl", "aarch64": "aarch64-unknown-linux-musl"}[os.uname().machine]
    archive = f"recall-gate-v9.8.7-{target}"
    served = folder / "served/acme/recall-gate/releases/download/v9.8.7"
    served.mkdir(parents=True)
    for name in ["LICENSE", "README.md", "CHANGELOG.md"]:
        shutil.copy(ROOT / name, served)
    subprocess.run([ROOT / ".github/package.sh", PROGRAM.parent, archive], cwd=served, check=True)
    handler = lambda *arguments: Quiet(*arguments, directory=str(folder / "served"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def install(home):
        output = folder / "output"
        output.write_text("")
        environment = {**os.environ, "HOME": str(home), "VERSION": "", "GITHUB_OUTPUT": str(output),
                       "SERVER_URL": f"http://127.0.0.1:{server.server_address[1]}"}
        script = action / ".github/actions/recall-gate/action.sh"
        run = lambda step, **more: subprocess.run([script, step], env={**environment, **more}, text=True,
                                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        check(run("version").returncode == 0 and output.read_text() == "wanted=v9.8.7\n", output.read_text())
        done = run("install", WANTED="v9.8.7")
        return done.returncode, done.stdout, output.read_text()

    code, log, output = install(folder / "home1")
    check(code == 0 and "recall-gate 0." in log and "program=" in output, code, log, output)
    (served / f"{archive}.tar.gz.sha256").write_text(f"{'0' * 64}  {archive}.tar.gz\n")
    code, log, _ = install(folder / "home2")
    check(code != 0 and "does not match its checksum" in log, code, log)
    check(not (folder / "home2/.recall-gate/v9.8.7").exists(), "nothing is left that a cache would keep")
    (served / f"{archive}.tar.gz").unlink()
    code, log, _ = install(folder / "home3")
    check(code != 0 and "cannot fetch" in log, code, log)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    root, inner = [(ROOT / path).read_text() for path in ["action.yml", ".github/actions/recall-gate/action.yml"]]
    body = lambda text: text[text.index("name: recall-gate") :]
    check(body(root).replace("$SCRIPT_HOME/.github/actions/recall-gate/", "$SCRIPT_HOME/") == body(inner), "the two actions differ")

    with tempfile.TemporaryDirectory() as folder:
        install_a_release(Path(folder))

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(Path(folder))
        shop.api = f"http://127.0.0.1:{server.server_address[1]}"
        # Where the action would have put the program that it builds.
        wanted = subprocess.run(
            [ROOT / ".github/actions/recall-gate/action.sh", "version"], check=True, text=True, stdout=subprocess.PIPE,
            env={**os.environ, "VERSION": "source", "GITHUB_OUTPUT": "/dev/stdout"},
        ).stdout.strip().removeprefix("wanted=")
        target = shop.home / ".recall-gate" / wanted / "recall-gate"
        target.parent.mkdir(parents=True)
        shutil.copy(PROGRAM, target)

        code, log, _, seen, summary = shop.run()
        check(code == 0 and seen["verdict"] == "pass" and seen["code"] == "0", "pass", code, seen, log)
        check(json.loads(seen["deltas"])["recall@10"] == 0.0, seen)
        check("report.html" in seen["report"] and seen["html"].lower().startswith("<!doctype html"), seen)
        check("recall-gate: PASS" in summary, summary)
        check(len(Api.comments) == 1 and "recall-gate: PASS" in Api.comments[0]["body"], Api.comments)
        check(all(token == f"Bearer {TOKEN}" for _, _, token in Api.requests), Api.requests)

        Api.comments[:0] = [{"id": n, "body": "chat"} for n in range(120)]
        shop.answer(12)
        code, log, lines, seen, summary = shop.run()
        check(code != 0 and seen["verdict"] == "regression" and seen["code"] == "1", "regression", code, seen, log)
        check(json.loads(seen["deltas"])["recall@10"] < -0.1, seen)
        ours = [comment for comment in Api.comments if comment["body"].startswith("<!-- recall-gate:")]
        check(len(ours) == 1 and "regression" in ours[0]["body"].lower(), "updated, not repeated", ours)
        commands = [line for line in lines if line.get("command") == "error"]
        check(len(commands) == 10, "nine queries and one that sums up", [line.get("msg") for line in commands])
        check(all("smuggled" not in line.get("msg", "") or line.get("kvPairs") for line in commands), commands)
        check(any("golden/queries.yaml" in str(line.get("kvPairs")) for line in commands), commands)

        code, log, _, seen, _ = shop.run("fail-on: never")
        check(code == 0 and seen["verdict"] == "regression", "never", code, seen, log)

        shop.write("answers.jsonl", '{"id": "q000", "results": []}\n')
        code, log, _, seen, summary = shop.run()
        check(code != 0 and seen["verdict"] == "could_not_measure" and seen["code"] == "3", "broken", code, seen, log)
        check("99 of 100 queries" in summary.replace("\n", " "), summary)
        code, log, _, seen, _ = shop.run("fail-on: regression")
        check(code == 0 and seen["code"] == "3", "a run that could not be judged", code, seen, log)

        shop.write("recall-gate.yaml", "pipelin: {}\n")
        code, log, _, seen, _ = shop.run()
        check(code != 0 and seen["verdict"] == "wrong_input" and seen["code"] == "2", "wrong input", code, seen, log)
        shop.write("recall-gate.yaml", "pipeline: {run: answers.jsonl}\n")

        shop.answer(12)
        before = (len(Api.requests), [dict(comment) for comment in Api.comments])
        code, log, _, seen, summary = shop.run(fork=True)
        check(code != 0 and seen["code"] == "1" and "regression" in summary.lower(), "fork", code, seen, summary)
        check(before == (len(Api.requests), Api.comments), "a fork gets no comment", Api.requests[before[0] :])

        Api.status = 403
        code, log, _, seen, _ = shop.run("fail-on: never")
        check(code == 0 and "status 403" in log, "a comment that is refused is no failure", code, log)
        Api.status = None

        # The change moves the baseline with it: the gate passes and says which verdict that hides.
        shop.gate("baseline", "update", "--reason", "meant", "--yes", "--accept-drop", "--quiet")
        code, log, _, seen, summary = shop.run("against: main")
        check(code == 0 and seen["verdict"] == "pass", "moved baseline", code, seen, log)
        check("baseline" in summary and "meant" in summary, "the summary tells of the move", summary)

        shutil.copytree(ROOT / ".github/actions", shop.folder / ".github/actions")
        for name in ["Cargo.toml", "Cargo.lock", "src"]:
            source = ROOT / name
            shutil.copytree(source, shop.folder / name) if source.is_dir() else shutil.copy(source, shop.folder / name)
        code, log, _, seen, _ = shop.run("comment: false\nreports: junit=junit.xml", uses="./.github/actions/recall-gate")
        check(code == 0 and seen["verdict"] == "pass", "from a checkout", code, seen, log)
    print("the action was run: release, pass, regression, broken pipeline, wrong input, fork, refused comment, moved baseline, checkout")


main()
