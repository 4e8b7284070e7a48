//! Thinks: from the records of a recording to a [`Summary`], without I/O.
//!
//! [`Analyzer`] takes in the records of each process, from whoever reads them, keeps totals
//! per path and nothing per span, and ends in a plain value that the report shows. What is computed depends on the arguments alone.

#![forbid(unsafe_code)]

mod analyzer;
pub mod benchmark;
mod busy;
mod by_process;
mod calls;
mod collect;
pub mod compare;
pub mod contest;
pub mod convergence;
mod course;
mod cover;
mod cpu;
mod device;
mod device_memory;
mod device_row;
mod doubts;
mod durations;
mod earlier;
mod epoch_summaries;
mod epochs;
mod events;
mod exact;
#[cfg(test)]
mod fed;
pub mod fields;
mod finding;
mod findings;
mod finish;
mod fold;
mod functions;
mod growth;
mod held_loop;
pub mod inference;
mod kept;
mod lanes;
mod latency;
mod launches;
mod memory;
mod memory_row;
mod module_rows;
mod modules;
mod nearest;
mod numbered;
mod operations;
mod operations_summary;
mod operators;
mod pattern;
pub mod percentiles;
mod process;
mod process_summary;
pub mod quantiles;
mod ranks;
mod reasons;
mod replaced;
mod rests;
mod rows;
mod sampling;
#[cfg(test)]
mod scripted;
pub mod seen;
mod seldom;
mod series;
mod span_lanes;
mod span_row;
mod spoken;
mod stacks;
pub mod statistics;
mod steady;
mod steady_rows;
mod steps;
mod summary;
mod telemetry;
pub mod timer;
mod too_few;
mod totals;
mod tree;
mod turns;
mod until;
pub mod verdict;
mod waits;
mod wall;
pub mod warmup;
mod work_row;
mod worker_starts;
mod workers;

#[cfg(test)]
use compare::Run;

pub use analyzer::{Analyzer, Options, ProcessKey};
pub use cpu::{CpuUse, cpu_use};
pub use device_row::DeviceRow;
pub use doubts::TORN_STEPS;
pub use durations::{DurationPass, Durations, StepPass};
pub use finding::{
    Cause, CompiledIn, Finding, HeldLoop, Keeper, MainFunction, Passing, ThreadsWait, WorkerLap,
};
pub use findings::compiling::is_outermost as is_compiling;
pub use findings::sampled::is_shutdown;
pub use functions::{
    CallerTime, ExactFunction, ExactFunctions, ExactInLap, ExactLap, FunctionTime, Functions,
    ImportTime, LapFunctions, LineTime, StackNode,
};
pub use lanes::{Bar, Lane, LaneBudget, LaneBuilder, Simplified};
pub use latency::{Latency, Steadiness};
pub use memory_row::HostMemoryRow;
pub use module_rows::{ModuleRow, by_class, by_module};
pub use nearest::{by_nearness, nearest, nearest_name, nearest_path};
pub use numbered::{Numbered, numbered, without_numbers};
pub use operations::left_out_pass::LeftOutPass;
pub use operations::{ABOVE_RATIO, is_aside};
pub use operations_summary::{CountedUnits, OperationsSummary, Peak, ToldShapes};
pub use operators::{
    Alignment, Bracket, DeviceUse, KernelTime, LapOperators, Nested, OperatorPass, OperatorTime,
    Operators, Ran, nest,
};
pub use pattern::Pattern;
pub use process::{FirstPass, SecondPass};
pub use process_summary::{
    OpenSpanSummary, Part, ProcessEpochs, ProcessRows, ProcessState, ProcessSummary, Rank,
};
pub use sampling::StackPass;
pub use span_lanes::{ProcessLanes, SpanLanes};
pub use span_row::{RowKind, SpanRow};
pub use steps::{StepPhase, StepWindow, StepWindows, left_seconds};
pub use summary::{
    ClockSummary, Epoch, Mark, Metric, MetricPoint, SCHEMA, SCHEMA_VERSION, Steady, Summary, Track,
    WallSource, noun, nouns, one_of,
};
pub use telemetry::{DeviceStretch, DeviceSummary, EnergyPass, ThrottleShare};
pub use until::{Count, Search, Until, UntilReader, UntilSummary};
pub use work_row::{BoundBy, WorkRow};
