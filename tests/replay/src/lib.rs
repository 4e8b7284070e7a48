//! What is fuzzed, on damaged seeds: see `tests/replay.rs`.
