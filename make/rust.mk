# The Rust tests.

.PHONY: rust soak soak-20 fuzz fuzz-replay asan burn fault-injection
ONLY ?=
rust: | $(STAMPS)/system-compiler
	$(CHECKED) cargo test --quiet $(or $(ONLY),--workspace --no-fail-fast)

# What kills at random instants leave.
KILLS ?= 1000
soak:
	cargo run --quiet --release -p laptime-soak -- --kills $(KILLS)

soak-20: rust-built
	$(TARGET)/debug/laptime-soak --kills 20

FUZZ_SECONDS ?= 600
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
asan: HOST = $(shell rustc -vV | sed -n 's/^host: //p')
asan: | $(STAMPS)/system-compiler
	cargo test --quiet -p laptime-recorder --lib --tests --target $(HOST) --target-dir $(TARGET)/asan -- --skip bounded_amount_of_memory
	cargo run --quiet -p laptime-soak --target $(HOST) --target-dir $(TARGET)/asan -- --kills 10 --longest-ms 300
	rm -rf $(TARGET)/asan

# Beside the workspace, so that nothing else builds burn.
burn: MANIFEST := --manifest-path crates/laptime-burn/Cargo.toml
burn: | $(STAMPS)/system-compiler
	cargo clippy --quiet --locked --all-targets $(MANIFEST) --target-dir $(TARGET)/burn -- -D warnings
	cargo test --quiet --locked $(MANIFEST) --target-dir $(TARGET)/burn

# Every error at every system call of a recording; `make python-laps` tries one each.
fault-injection: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	LAPTIME_TEST_FAULTS=all $(PYTEST) tests/faults
