# The Python tests. Two at a time, in a random order, which they print; ORDER=<seed> repeats one.

WORKERS ?= 2
ORDER ?=
# Threads that wait for each other sleep: where other work wants the processors, OpenMP's waiting
# would take most of their time.
export OMP_WAIT_POLICY := PASSIVE
# Fakes that they build are of the build of the Rust tests.
pytest = -m pytest -q -n $(WORKERS) --dist loadgroup --durations 20 --durations-min 2 $(ORDER:%=--randomly-seed=%)
PYTEST = $(CHECKED) $(BIN)/python $(pytest)

# One file, or what pytest is told: make pytest ONLY="tests/python/test_lap.py -k nested"
.PHONY: pytest
pytest: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) $(or $(ONLY),$(error say which tests: make pytest ONLY=tests/python/test_lap.py))

.PHONY: python python-laps python-phases python-operations python-other pythons zoo untouched imports
python: python-laps python-phases python-operations

python-laps: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/python tests/faults tests/demo --ignore=tests/python/phases --ignore=tests/python/operations

python-phases: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/python/phases

python-operations: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/python/operations

# What can differ between interpreters, on the newest other CPython of the machine, and on all.
python-other:
	@other=$$(tools/pythons --newest-other "$(PYTHON)" | cut -d' ' -f1); \
	if test -n "$$other"; then $(MAKE) python-$$other; \
	else echo "there is no other CPython here: what can differ between interpreters is tested on the main one alone"; fi

pythons:
	for other in $$(tools/pythons --others "$(PYTHON)" | cut -d' ' -f1); do $(MAKE) python-$$other; done

python-3.%: $(STAMPS)/laptime-3.%
	$(CHECKED) $(BUILD)/venvs/3.$*/bin/python $(pytest) -m interpreter tests/python tests/faults

# A CPython from its own source, where `tools/pythons` finds it: SOURCE=<folder> (docs/python-edges.md).
.PHONY: python-build
python-build:
	tools/build-python "$(SOURCE)" $(PREFIX)

# Every model of torchvision and architecture of transformers that is known, counted; and what
# configurations can have at worst.
zoo: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/python/operations/test_torch_zoo.py tests/python/operations/test_configurations.py --all

# Trainings by number, with timers that stand in them; `make python-phases` runs the first of them.
TRAININGS ?= 500
.PHONY: trainings
trainings: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	cd tests/python/phases && $(abspath $(BIN))/python -m trainings --programs $(TRAININGS)

# What laps are told of memory in random programs; `make python-laps` runs a tenth of them.
.PHONY: sequences
sequences: $(STAMPS)/set-test $(STAMPS)/laptime-tested
	$(PYTEST) tests/python/device/test_laps_memory_sequences.py --all

# Training programs by number, each trained with a count in its midst and without; `make
# python-operations` runs the first 200. First, that the programs do the same each time by themselves.
PROGRAMS ?= 5000
untouched: $(STAMPS)/set-test $(STAMPS)/laptime
	cd tests/python/operations && $(abspath $(BIN))/python -m untouched --programs 200 --no-count
	cd tests/python/operations && $(abspath $(BIN))/python -m untouched --programs $(PROGRAMS)

imports: $(STAMPS)/set-test $(STAMPS)/laptime
	$(BIN)/python tests/soak/imports.py --times 500 --module torch
