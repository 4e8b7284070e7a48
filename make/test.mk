# The three doors: while you work, what lands, everything.

.PHONY: check test test-all parts
# Of the Rust tests all, as cargo compiles only what changed. Of the Python tests those of what changed
# since BASE that start no further process (tools/touched).
check: lint-text $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(CHECKED) cargo test --quiet --workspace
	@touched=$$(tools/touched); test -z "$$touched" || $(PYTEST) --in-process $$touched

test:
	@tools/parts test

test-all:
	@tools/parts test-all

parts:
	@tools/parts --list
