# What is released.

.PHONY: wheels wheel crates
WHEELS := $(abspath $(BUILD))/wheels
# One for each CPython of the machine, each tried in an environment that has nothing else.
wheels: $(STAMPS)/set-demo $(STAMPS)/system-compiler
	rm -rf $(WHEELS)
	tools/pythons | while read -r version python; do tools/wheel "$$python" $(WHEELS)/$$version $(BIN); done

# The main interpreter's alone.
wheel: $(STAMPS)/set-demo $(STAMPS)/system-compiler
	rm -rf $(WHEELS)
	tools/wheel $$($(BIN)/python -c 'import sys; print(sys._base_executable)') $(WHEELS)/main $(BIN)

# In a folder of its own, which isn't kept: each crate is compiled from what would be uploaded. Cargo
# keeps what it unpacked of such a folder, and would take it for what is there now.
crates: | $(STAMPS)/system-compiler
	rm -rf $(TARGET)/package "$${CARGO_HOME:-$$HOME/.cargo}"/registry/{src,cache}/-[0-9a-f]*
	cargo package --quiet --workspace --exclude laptime-python --exclude laptime-house --exclude laptime-soak \
		--exclude laptime-replay --exclude laptime-fakes --exclude laptime-fake-cuda --exclude laptime-fake-nvml --exclude laptime-gpu-span-cost \
		--allow-dirty --target-dir $(TARGET)/package
	rm -rf $(TARGET)/package
