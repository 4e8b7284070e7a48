# Laptime's recipes
#
#   make setup      what tests and linters need: packages, Laptime built to be tested
#   make demo       trains a real network under `laptime run` and prints the table
#   make check      while you work: format, lint, Rust tests, quick Python tests of what you touched
#   make test       what must hold to land; ends with a table of what each part took
#   make test-all   everything, in parts; RESUME=1 leaves out what has passed on this state
#   make bench      our own cost beside that of other tools
#   make docs       runs every snippet of README and docs/; make docs-update writes what they print now
#   make gpu        the experiments on a GPU; make gpu-pack builds what they need, without one
#   make format     formats Rust and Python
#   make clean      removes all that the recipes made
#
# Every part of `make test` and `make test-all` is a recipe of its own: `make parts` lists them,
# tests/README.md has what each promises. They stand in make/*.mk by subject.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-print-directory --no-builtin-rules
# Hundreds of tests start a Python, and to compile all of torch takes longer than to import it.
unexport PYTHONDONTWRITEBYTECODE
# Recipes say by themselves what is recorded.
$(foreach name,$(filter-out LAPTIME_TEST_%,$(filter LAPTIME%,$(.VARIABLES))),$(eval unexport $(name)))
# Recipes build once: what helps the next build of a changed file takes gigabytes.
export CARGO_INCREMENTAL := 0

TARGET := $(or $(CARGO_TARGET_DIR),target)
BUILD := .build
STAMPS := $(BUILD)/stamps
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help
help:
	@sed -n '2,/^$$/{s/^# \{0,1\}//p}' Makefile

include make/setup.mk make/rust.mk make/python.mk make/lint.mk make/viewer.mk make/docs.mk
include make/programs.mk make/device.mk make/figures.mk make/release.mk make/test.mk
