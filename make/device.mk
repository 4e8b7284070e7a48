# The experiments on a GPU (tests/README.md).

.PHONY: gpu gpu-pack gpu-dry gpu-dry-three
# What they need where there is a GPU, built where there is none: .build/gpu-pack and its archive.
GPU_PACK := $(BUILD)/gpu-pack
gpu-pack: $(STAMPS)/set-gpu $(STAMPS)/system-compiler
	tests/gpu/pack $(GPU_PACK) $(BIN)

# Runs the pack and writes docs/evidence/gpu.md. Needs a GPU and a Python with PyTorch; fetches and builds nothing.
# Says so where there is no GPU, and leaves the evidence as it is.
gpu:
	@python3 tests/gpu/machine.py
	@test -x $(GPU_PACK)/run || test ! -f $(GPU_PACK).tar.gz || tar -xzf $(GPU_PACK).tar.gz -C $(BUILD)
	@test -x $(GPU_PACK)/run || { echo "make gpu: there is no $(GPU_PACK): make gpu-pack builds it on a" \
		"machine with Rust; bring it or $(GPU_PACK).tar.gz here" >&2; exit 1; }
	@$(GPU_PACK)/run docs/evidence

# The same experiments at tiny sizes, on fakes: that each runs to its end. Its page is no evidence.
gpu-dry: EXPERIMENTS :=
gpu-dry-three: EXPERIMENTS := --only cost_rust,graph_capture,nested_memory
gpu-dry gpu-dry-three: $(STAMPS)/set-test $(STAMPS)/set-gpu $(STAMPS)/laptime-tested rust-built
	$(CHECKED) tests/gpu/pack $(BUILD)/gpu-dry $(BIN) --dry
	rm -rf $(BUILD)/gpu-dry-evidence
	PYTHON=$(abspath $(BIN)/python) $(BUILD)/gpu-dry/run $(BUILD)/gpu-dry-evidence --dry $(EXPERIMENTS)
	$(PYTEST) tests/gpu
