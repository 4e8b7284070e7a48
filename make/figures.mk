# Figures that the documentation shows.

.PHONY: bench bench-against counters peers torchtimer-traps verdicts steadiness slow-ranks
bench: $(STAMPS)/set-test $(STAMPS)/set-bench $(STAMPS)/laptime-released
	benches/run

# What a span costs now, beside an older state of this repository: make bench-against BASE=v0.1
bench-against: $(STAMPS)/set-demo
	benches/against $(BASE)

# The table of docs/counters.md: what other counters say of the same models, and why.
counters: $(STAMPS)/set-test $(STAMPS)/set-counters $(STAMPS)/laptime
	$(BIN)/python benches/python/counters/table.py docs/counters.md

# Which profiler names what takes the time, and how fast, in about fifteen minutes.
peers: $(STAMPS)/set-test $(STAMPS)/set-bench $(STAMPS)/laptime-released
	$(BIN)/python benches/python/naming/table.py

# The table of docs/torchtimer.md: what torchtimer says, what we say, and the truth.
torchtimer-traps: $(STAMPS)/set-test $(STAMPS)/set-bench $(STAMPS)/laptime-released
	$(BIN)/python tools/torchtimer-traps

# How often verdicts are right, on simulated measurements (docs/statistics.md).
verdicts: | $(STAMPS)/system-compiler
	cargo run --quiet --release -p laptime-analysis --example verdicts

# How often warm-up and changes of steps are told rightly, on generated series (docs/steadiness.md).
steadiness: | $(STAMPS)/system-compiler
	cargo run --quiet --release -p laptime-analysis --example steadiness

# How often a slow rank is named rightly, on simulated jobs.
slow-ranks: | $(STAMPS)/system-compiler
	cargo run --quiet --release -p laptime-analysis --example slow_ranks
