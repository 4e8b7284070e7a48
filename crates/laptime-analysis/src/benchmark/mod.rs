//! Benchmarks: plans that say what to run next, and the results that they end in.
//!
//! A [`Plan`] measures one thing, a [`contest`] several in turn, and [`inference`] a model by batch size and device. None has
//! a clock: whoever measures tells them how long everything took. [`warm_up`] finds where warm-up ends, and [`verdict`]
//! whether one side is faster than another.

mod benchmark_file;
pub mod contest;
pub mod inference;
pub(crate) mod latency;
mod limits;
mod outcome;
mod plan;
mod plan_outcome;
mod plan_warm_up;
pub mod verdict;
pub mod warm_up;

pub use benchmark_file::{Benchmark, BenchmarkFile, PairVerdict, SCHEMA, SCHEMA_VERSION};
pub use limits::{Count, Ending, Limits, Next};
pub use outcome::{Doubt, NoPercentile, Outcome};
pub use plan::{MOST_SINGLE, Plan};
pub use plan_warm_up::LEAST_SAMPLES;
