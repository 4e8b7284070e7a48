//! Latency of a model's calls by batch size and device: from durations to percentiles, knee and crossover.
//!
//! Whoever measures asks a [`CasePlan`] whether to call once more, and adds how long that took; the plan
//! is that of every other benchmark ([`crate::benchmark`]) with single calls as its samples. All cases
//! together are a [`Sweep`]. [`Load`] is about calls that come at a rate instead of one after the other.

mod case;
mod crossover;
mod fields;
mod knee;
mod load;
mod sweep;

pub use case::{Call, Case, CasePlan, Figures, LEAST_CALLS, Rate, Transfers};
pub use crossover::{Crossover, NoCrossover, crossover};
pub use fields::{CASE_FIELDS, Field, LOAD_FIELDS, Value};
pub use knee::{KNEE_RATIO, Knee, NoKnee, knee};
pub use load::{Arrivals, LEAST_REQUESTS, Load, NoAnswer, Request, schedule};
pub use sweep::Sweep;

#[cfg(test)]
#[path = "tests/inference.rs"]
mod tests;
