//! Compares two sides of recordings, or of files of benchmarks: every path with its ratio and a verdict, and where the
//! difference is.
//!
//! [`recordings`] takes in [`Run`]s, which the reader fills: a summary, and the durations of each path. [`benchmarks`] takes
//! in files of samples. Both end in a [`Comparison`], plain values that the report shows. A side has one run or several;
//! then runs are what verdicts rest on ([`crate::benchmark::verdict`]).

mod benchmark_machines;
mod benchmark_notes;
mod benchmark_samples;
pub mod benchmarks;
mod changed_lap;
mod comparison;
mod comparison_row;
mod cpu_delay;
mod device_times;
mod difference;
mod difference_unit;
mod differences;
mod function_verdict;
mod functions;
mod gate_outcome;
mod history;
mod limits;
mod locate_difference;
mod median_differences;
mod metrics;
mod note;
mod notes;
mod one_run;
mod options;
mod other_number;
mod recording;
mod recording_options;
mod recordings;
mod resources;
mod row_order;
mod row_reason;
mod rows;
mod sides;
mod step_gaps;

pub use benchmark_samples::{Benchmark, SampleFile};
pub use comparison::{Average, Cause, CausePart, Comparison, Pair, Recorded, SideSummary};
pub use comparison_row::{ComparisonRow, Presence, RowSide};
pub use difference::{Difference, Extent, Fact, RecordingOption};
pub use difference_unit::Basis;
pub use functions::{
    ChangeDoubt, ChangedPart, FunctionChanges, FunctionRow, FunctionSide, LibraryChange,
    TimeDifference,
};
pub use gate_outcome::{GateOutcome, GateResult};
pub use history::{Change, LEAST_RECORDINGS};
pub use limits::{Gate, Limit, Statistic};
pub use note::Note;
pub use options::Options;
pub use other_number::{NumberKind, OtherNumber, Unit};
pub use recording::Run;
pub use recordings::compare;
pub use row_reason::RowReason;
