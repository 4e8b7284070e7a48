# The three doors: while you work, what lands, everything.

.PHONY: check test test-all parts
# Of the Rust tests all, as cargo compiles only what changed, and before pip builds the extension: its
# errors are harder to read. Of the Python tests those of what changed since BASE that start no
# further process (tools/touched).
check: lint-text rust
	$(MAKE) $(STAMPS)/set-test $(STAMPS)/pyright $(STAMPS)/laptime-tested
	$(PYRIGHT)
	@touched=$$(tools/touched); test -z "$$touched" || $(PYTEST) --in-process $$touched
	@echo "make check: passed; make test has what must hold to land"

test:
	@tools/parts test

test-all:
	@tools/parts test-all

parts:
	@tools/parts --list

.DEFAULT:
	@echo "there is no recipe $@: make help and make parts list those that there are" >&2; exit 2
