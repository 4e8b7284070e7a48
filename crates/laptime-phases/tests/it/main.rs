//! The machine's rules, by programs in events with exact times.

mod accumulation;
mod after_training;
mod alone;
mod aside;
mod closures;
mod communication;
mod compilations;
mod compile;
mod epochs;
mod evaluation;
mod functions;
mod gradients;
mod guesses;
mod interruptions;
mod laps;
mod loaders;
mod memory;
mod program;
mod reloaded;
mod script;
mod steps;
mod sums;
mod torn;
mod validation;
