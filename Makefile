# Laptime's recipes. CI calls `make test`; a new machine starts with `make demo`.
#
#   make demo    set up everything, train a real network under `laptime run`, print the table
#   make test    set up everything and run all tests (lint, Rust, every Python, faults, fuzz)
#   make format  formats Rust and Python
#   make lint    formatters, clippy, ruff, pyright, stubtest, cargo-deny, spelling
#   make burn    checks and tests laptime-burn, which is beside the workspace
#   make viewer  rebuilds the viewer's assets (Node 20) and tests it in a real browser
#   make bench   our own cost beside the peers'
#   make counters   what other counters say of the same models, and why (docs/counters.md)
#   make faults  every error at every system call of a recording
#   make soak    1,000 kills at random instants; make fuzz: ten minutes of fuzzing
#   make asan    the recorder's tests under AddressSanitizer; make loom: its concurrency models
#   make gpu     the tests that need a GPU
#   make torchtimer-traps   what torchtimer says, what we say, and the truth
#   make clean   remove what the recipes made (not target/)
#
# Everything that is set up leaves a stamp under .build/, so a second run starts at once.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory --no-builtin-rules

# The main environment's interpreter; every other CPython on the machine gets one too.
PYTHON ?= $(shell tools/pythons --main)
KILLS ?= 1000
FUZZ_SECONDS ?= 600

TARGET := $(or $(CARGO_TARGET_DIR),target)
BUILD := .build
STAMPS := $(BUILD)/stamps
TOOLS := $(BUILD)/tools/bin
VENV := .venv
BIN := $(VENV)/bin
PYRIGHT := $(BUILD)/node/node_modules/.bin/pyright
PYRIGHT_VERSION := 1.1.414
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
OTHER_PYTHONS := $(shell tools/pythons | awk -v main="$$($(PYTHON) -c 'import sys; print("3.%d" % sys.version_info[1])')" '$$1 != main { print $$1 }')

# What an installed Laptime is made from.
SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find crates python -type f \
	-not -path '*/tests/*' -not -name '*.so' -not -path '*/__pycache__/*')

.PHONY: help setup demo picture test format lint viewer viewer-test rust burn python pythons faults bench counters soak fuzz fuzz-replay asan loom gpu torchtimer-traps clean
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

# ---------------------------------------------------------------- set-up

setup: $(STAMPS)/main $(STAMPS)/laptime

$(STAMPS)/system: tools/system-packages
	tools/system-packages
	mkdir -p $(@D) && touch $@

$(STAMPS)/main: requirements/core.txt requirements/torch.txt requirements/operations.txt requirements/lint.txt | $(STAMPS)/system
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/operations.txt -r requirements/lint.txt
	touch $@

# `pip install .`, with the build tools that are pinned here.
install = PATH="$(abspath $(1))/bin:$$PATH" $(1)/bin/python -m pip install -q --disable-pip-version-check \
	--no-build-isolation --no-deps --force-reinstall .

$(STAMPS)/laptime: $(STAMPS)/main $(SOURCES)
	$(call install,$(VENV))
	touch $@

$(STAMPS)/bench: requirements/bench.txt $(STAMPS)/main
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/bench.txt
	touch $@

$(STAMPS)/python-%: requirements/core.txt | $(STAMPS)/system
	test -x $(BUILD)/venvs/$*/bin/python || $$(tools/pythons | awk '$$1 == "$*" { print $$2 }') -m venv $(BUILD)/venvs/$*
	$(BUILD)/venvs/$*/bin/python -m pip install -q --disable-pip-version-check -r requirements/core.txt
	touch $@

$(STAMPS)/laptime-%: $(STAMPS)/python-% $(SOURCES)
	$(call install,$(BUILD)/venvs/$*)
	touch $@

$(TOOLS)/%: | $(STAMPS)/system
	cargo install --quiet --locked --root $(BUILD)/tools $*

$(PYRIGHT): | $(STAMPS)/system
	npm install --silent --no-fund --no-audit --prefix $(BUILD)/node pyright@$(PYRIGHT_VERSION)

# ---------------------------------------------------------------- the main job

demo: setup
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

test: lint rust burn python pythons asan
	$(MAKE) viewer-test
	$(MAKE) soak KILLS=60
	$(MAKE) fuzz FUZZ_SECONDS=60
	@echo "make test: everything passed"

# Does what lint would only say.
format: setup
	cargo fmt --all
	cargo fmt --manifest-path fuzz/Cargo.toml
	cargo fmt --manifest-path crates/laptime-burn/Cargo.toml
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format --quiet

lint: $(TOOLS)/cargo-deny $(PYRIGHT) setup
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo fmt --manifest-path crates/laptime-burn/Cargo.toml --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	$(TOOLS)/cargo-deny --log-level error check licenses bans sources
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --quiet --check
	$(PYRIGHT)
	$(BIN)/python -m mypy.stubtest laptime._core
	$(BIN)/typos

# The page's own tools; nobody needs them who doesn't change the viewer. Not `npm ci`: it refuses a
# lock without the packages of every other platform, which mirrors of the registry may lack.
$(STAMPS)/viewer: viewer/package-lock.json | $(STAMPS)/system
	npm install --silent --no-save --no-fund --no-audit --prefix viewer
	mkdir -p $(@D) && touch $@

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
	for page in timer hostile million empty; do \
		cargo run --quiet -p laptime-report --example pages -- $$page >$(BUILD)/viewer/pages/$$page.html; \
	done
	cargo run --quiet -p laptime-report --example operations >$(BUILD)/viewer/pages/operations.html
	VIEWER_PAGES=$(abspath $(BUILD)/viewer/pages) npm run --silent browser --prefix viewer

rust:
	cargo test --quiet --workspace --exclude laptime-python

# Beside the workspace, so that nothing else builds burn.
burn: MANIFEST := --manifest-path crates/laptime-burn/Cargo.toml
burn: $(TOOLS)/cargo-deny
	$(TOOLS)/cargo-deny $(MANIFEST) --log-level error check licenses bans sources
	cargo clippy --quiet --locked --all-targets $(MANIFEST) --target-dir $(TARGET)/burn -- -D warnings
	cargo test --quiet --locked $(MANIFEST) --target-dir $(TARGET)/burn

python: setup
	$(BIN)/python -m pytest -q tests/python tests/faults tests/demo

pythons: $(OTHER_PYTHONS:%=python-%)
python-%: $(STAMPS)/laptime-%
	@echo "CPython $*"
	$(BUILD)/venvs/$*/bin/python -m pytest -q tests/python tests/faults --ignore=tests/python/phases

# Every error at every system call of a recording; `make python` tries one each.
faults: setup
	LAPTIME_TEST_FAULTS=all $(BIN)/python -m pytest -q tests/faults

soak:
	cargo run --quiet --release -p laptime-soak -- --kills $(KILLS)

fuzz: $(TOOLS)/cargo-fuzz fuzz-replay
	fuzz/run $(FUZZ_SECONDS) $(TARGET)/fuzz

fuzz-replay:
	cargo test --quiet --manifest-path fuzz/Cargo.toml --target-dir $(TARGET)/fuzz

# AddressSanitizer comes with the stable compiler but is switched on by an option that only
# RUSTC_BOOTSTRAP opens. Sites and prefixes live as long as the process, so leaks are not looked for.
asan: export RUSTC_BOOTSTRAP := 1
asan: export RUSTFLAGS := -Zsanitizer=address
asan: export ASAN_OPTIONS := detect_leaks=0
asan:
	cargo test --quiet -p laptime-recorder --lib --tests --target $(HOST) --target-dir $(TARGET)/asan
	cargo run --quiet -p laptime-soak --target $(HOST) --target-dir $(TARGET)/asan -- --kills 10 --longest-ms 300

# Also part of `make rust`.
loom:
	cargo test --quiet -p laptime-loom

# Compares with torch.cuda.Event and known allocations; writes docs/evidence/gpu.md. Says so where
# there is no GPU, and leaves the evidence as it is.
gpu: setup
	$(BIN)/python tests/gpu/compare.py docs/evidence/gpu.md

# The table of docs/torchtimer.md.
torchtimer-traps: setup $(STAMPS)/bench
	$(BIN)/python tools/torchtimer-traps

bench: setup $(STAMPS)/bench
	benches/run

$(STAMPS)/counters: requirements/counters.txt $(STAMPS)/main
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/counters.txt
	touch $@

# The table of docs/counters.md: what other counters say of the same models, and why.
counters: setup $(STAMPS)/counters
	$(BIN)/python benches/python/counters/table.py docs/counters.md

clean:
	rm -rf $(BUILD) $(VENV) demo
