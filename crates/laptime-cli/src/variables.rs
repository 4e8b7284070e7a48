//! The environment variables that the command reads and sets.

/// Set for every process below `laptime run`: the folder of its recording.
pub const RUN: &str = laptime_core::run::RUN_VARIABLE;
/// Set beside it: what is timed and counted without a lap in the program, of `phases`, `modules` and
/// `ops`, or nothing. Read too, so that it can be chosen for all runs.
pub const AUTO: &str = laptime_core::run::AUTO_VARIABLE;
/// Set beside it by `--memory`: on or `objects`. Read by every process below, whoever set it.
pub const MEMORY: &str = laptime_core::run::MEMORY_VARIABLE;
/// The user's switch: on, off, or a path that ends in `.lap`.
pub const SWITCH: &str = laptime_core::run::SWITCH_VARIABLE;
/// The interpreter the command is installed in, set by the Python package.
pub const PYTHON: &str = "LAPTIME_PYTHON";
