# Programs of other people's kind: run under Laptime as they run alone, and told rightly.

.PHONY: unaware unaware-one unedited functions-share answers examples-rust example-candle example-burn
# Each program under one way of running it; `make unaware`: every way, then with a fake device.
unaware-one: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/unaware

unaware: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/unaware --all
	$(PYTEST) tests/unaware --gpu

# Trainings of twenty kinds, told by Laptime and by timers in them: a table.
unedited: $(STAMPS)/set-test $(STAMPS)/laptime
	$(BIN)/python tests/unedited/compare.py

# Functions that take known shares of a lap, and what is sampled of them: two points apart at most.
functions-share: $(STAMPS)/laptime
	$(BIN)/python tests/functions/share.py

# Programs with a planted cause, which the first screen must name by file and line; `make python-laps` runs four.
answers: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/python/answers --all

# Beside the workspace. Each is built, checked and run on the digits, then looked at.
examples-rust: example-candle example-burn

DIGITS := $(BUILD)/digits.csv
$(DIGITS): $(STAMPS)/set-demo
	$(BIN)/python -c 'import gzip, sklearn.datasets as d, importlib.resources as r; \
		print(gzip.decompress((r.files(d) / "data/digits.csv.gz").read_bytes()).decode(), end="")' >$@

example-candle example-burn: example-%: $(DIGITS) $(STAMPS)/laptime
	cargo build --quiet --locked --release --manifest-path examples/$*/Cargo.toml --target-dir $(TARGET)/$*
	rm -rf $(BUILD)/$*.lap
	$(BIN)/laptime run --memory -o $(BUILD)/$*.lap $(TARGET)/$*/release/digits-$* $(DIGITS)
