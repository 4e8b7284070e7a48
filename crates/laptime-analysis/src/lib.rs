//! Thinks: from the records of a recording to a [`Summary`], without I/O.
//!
//! [`Analyzer`] takes in the records of each process, from whoever reads them, keeps totals
//! per path and nothing per span, and ends in a plain value that the report shows. What is computed depends on the arguments alone.

#![forbid(unsafe_code)]

mod analyzer;
pub mod benchmark;
pub mod compare;
mod doubts;
mod findings;
mod functions;
mod live_steps;
mod power;
mod profiler;
pub mod ranks;
mod reading;
pub mod statistics;
pub mod summarize;
pub mod summary;
pub mod time_to_target;
mod timeline;
pub mod timer;

pub use analyzer::{Analyzer, Options, ProcessKey};
pub use benchmark::latency::{Latency, Steadiness};
pub use doubts::{NO_PHASES, TORN_STEPS};
pub use findings::clues::interpreter_end::is_shutdown;
pub use findings::compile_time::is_outermost as is_compiling;
pub use live_steps::{StepPhase, StepWindow, StepWindows, left_seconds};
pub use power::{DeviceStretch, DeviceSummary, ThrottleShare};
pub use profiler::{
    Alignment, Bracket, DeviceUse, KernelTime, LapOperators, OperatorRun, OperatorRunTime,
    OperatorTime, Operators, nest_operators,
};
pub use reading::first_pass::FirstPass;
pub use reading::read_again::ReadAgain;
pub use reading::step_durations::Durations;
pub use summarize::columns::cpu_time::{CpuUse, cpu_use};
pub use summarize::columns::device_time::{
    SYNCHRONIZED as DEVICE_SYNCHRONIZED, UNAVAILABLE as DEVICE_UNAVAILABLE,
};
pub use summarize::columns::operations::ABOVE_RATIO;
pub use summary::call_tree::{self, Beside, CallKind, CallNode};
pub use summary::code_line::{CodePlace, LineTime};
pub use summary::device_row::DeviceRow;
pub use summary::doubt;
pub use summary::doubt::Doubt;
pub use summary::finding::{
    AwaitedFunction, CallSite, Cause, CompiledIn, Finding, HeldLoop, Keeper, MainFunction, Passing,
    ThreadsWait, WorkerLap,
};
pub use summary::functions::{
    CallerTime, CollectionTime, ExactFunction, ExactFunctions, ExactInLap, ExactLap, FunctionTime,
    Functions, ImportTime, InterpreterEnds, LapFunctions, StackNode, calls_of_program,
    whole_of_calls,
};
pub use summary::instrumented_names::is_observed_unit;
pub use summary::memory_row::HostMemoryRow;
pub use summary::modules::{ModuleRow, by_class, by_module};
pub use summary::name_suggestions::{by_nearness, nearest, nearest_name, nearest_path};
pub use summary::numbered_names::{Numbered, numbered, without_numbers};
pub use summary::operations::{CountedUnits, OperationsSummary, Peak, ToldShapes};
pub use summary::pattern::Pattern;
pub use summary::process::{
    OpenSpanSummary, Part, ProcessEpochs, ProcessRows, ProcessState, ProcessSummary, Rank,
};
pub use summary::rank_difference::{RankDifference, RankName, WaitForRank};
pub use summary::span_row::{RowKind, SpanRow};
pub use summary::work_row::{BoundBy, WorkRow};
pub use summary::{
    ClockSummary, Epoch, Mark, Metric, MetricPoint, Steady, Summary, Track, WallSource, noun,
};
pub use time_to_target::question::{Until, UntilSummary};
pub use time_to_target::search::{Count, Search, UntilReader};
pub use timeline::bar::Bar;
pub use timeline::lanes::{Lane, LaneBudget, LaneBuilder, Simplified};
pub use timeline::span_lanes::{ProcessLanes, SpanLanes, StreamTrack};

#[cfg(test)]
mod testing;
