# The documentation: what it shows is what is printed.

.PHONY: docs docs-update book
docs: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/docs

# Pages show what a release takes.
docs-update: $(STAMPS)/set-test $(STAMPS)/laptime-released
	$(BIN)/python -m pytest -q tests/docs --update

MDBOOK := $(BUILD)/mdbook/bin/mdbook
MDBOOK_VERSION := 0.5.4
# Not optimised: it builds one small book.
$(MDBOOK): | $(STAMPS)/system-compiler
	CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 cargo install --quiet --locked --no-default-features --root $(BUILD)/mdbook mdbook@$(MDBOOK_VERSION)

book: $(MDBOOK)
	$(MDBOOK) build
