# Set-up. What is done leaves a stamp under .build/stamps, so a second run starts at once.

# The main environment's interpreter; looked for by the recipes that need it alone.
PYTHON ?= $(shell tools/pythons --main)

# Linting is the compile: clippy is the compiler of our own crates, and a warning is an error. The
# code that it makes isn't optimised as a release is, so what is released or measured is built without.
CHECKED := RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__

# What an installed Laptime is made from.
SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find crates python -type f \
	-not -path '*/tests/*' -not -name '*.so' -not -path '*/__pycache__/*')

# All that `make test` needs: packages are fetched while Rust is compiled.
.PHONY: setup rust-built
setup:
	$(MAKE) -j3 $(STAMPS)/set-test $(STAMPS)/set-lint $(STAMPS)/viewer $(STAMPS)/pyright rust-built
	$(MAKE) $(STAMPS)/laptime-tested

# One build tree: the tests, the command, the examples, and what the extension is made from.
rust-built: | $(STAMPS)/system-compiler
	$(CHECKED) cargo test --quiet --workspace --no-run

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
$(STAMPS)/set-%: requirements/%.txt $(wildcard requirements/*.txt) | $(STAMPS)/venv
	$(call pip,$(VENV)) -r $<
	touch $@

# `pip install .`, with the build tools that are pinned here. It touches nothing but Laptime.
install = PATH="$(abspath $(1))/bin:$$PATH" $(1)/bin/python -m pip install -q --disable-pip-version-check \
	--no-build-isolation --no-deps --force-reinstall .

# To be tested: with its assertions, of the crates that the Rust tests were compiled with.
AS_TESTED := $(CHECKED) MATURIN_PEP517_ARGS="--profile dev --features as-tested"
$(STAMPS)/laptime-tested: $(SOURCES) | $(STAMPS)/set-demo $(STAMPS)/system-compiler
	$(AS_TESTED) $(call install,$(VENV))
	rm -f $(STAMPS)/laptime-released && touch $(STAMPS)/laptime $@

# To be used and measured: optimised as a release is.
$(STAMPS)/laptime-released: $(SOURCES) | $(STAMPS)/set-demo $(STAMPS)/system-compiler
	$(call install,$(VENV))
	rm -f $(STAMPS)/laptime-tested && touch $(STAMPS)/laptime $@

# Whichever there is.
$(STAMPS)/laptime: $(SOURCES) | $(STAMPS)/set-demo $(STAMPS)/system-compiler
	$(MAKE) $(STAMPS)/laptime-released

# Of another CPython: only what knows the interpreter is compiled anew.
$(STAMPS)/python-%: requirements/core.txt requirements/build.txt
	mkdir -p $(@D)
	test -x $(BUILD)/venvs/$*/bin/python || $$(tools/pythons | awk '$$1 == "$*" { print $$2 }') -m venv $(BUILD)/venvs/$*
	$(call pip,$(BUILD)/venvs/$*) -r requirements/core.txt
	touch $@

$(STAMPS)/laptime-%: $(SOURCES) | $(STAMPS)/python-% $(STAMPS)/system-compiler
	$(AS_TESTED) $(call install,$(BUILD)/venvs/$*)
	touch $@

PYRIGHT := $(BUILD)/node/node_modules/.bin/pyright
PYRIGHT_VERSION := 1.1.414
$(STAMPS)/pyright: | $(STAMPS)/system-node
	npm install --silent --no-fund --no-audit --prefix $(BUILD)/node pyright@$(PYRIGHT_VERSION)
	mkdir -p $(@D) && touch $@

# Not `npm ci`: it refuses a lock without the packages of every other platform, which mirrors of the
# registry may lack.
$(STAMPS)/viewer: viewer/package-lock.json | $(STAMPS)/system-node $(STAMPS)/system-chromium
	npm install --silent --no-save --no-fund --no-audit --prefix viewer
	mkdir -p $(@D) && touch $@

# ---------------------------------------------------------------- the main job

.PHONY: demo picture clean
demo: $(STAMPS)/laptime-released
	rm -rf demo && mkdir demo
	$(BIN)/laptime run -o demo/digits.lap --html demo/digits.html -- examples/digits/train.py
	$(BIN)/laptime report demo/digits.lap -f markdown -o demo/digits.md
	@echo
	@echo "recording: demo/digits.lap    report: demo/digits.md    page: demo/digits.html"
	@echo "more: $(BIN)/laptime report demo/digits.lap --tree"

# The README's picture: what the demo prints, up to its marks.
picture: demo
	$(BIN)/laptime report demo/digits.lap | sed '/^marks and metrics/,$$d' | tools/picture docs/pictures/demo.svg

clean:
	rm -rf $(BUILD) $(VENV) $(TARGET) demo viewer/node_modules
