//! The summary of a run: plain values, ready to be shown or written as JSON.

mod absence;
pub mod call_tree;
mod clock;
pub(crate) mod code_line;
pub(crate) mod device_row;
pub mod doubt;
mod epoch;
pub mod fields;
pub(crate) mod finding;
pub(crate) mod functions;
pub mod headline;
pub(crate) mod instrumented_names;
mod marks;
pub(crate) mod memory_row;
pub(crate) mod modules;
pub(crate) mod name_suggestions;
mod noun;
pub(crate) mod numbered_names;
pub(crate) mod operations;
pub(crate) mod pattern;
pub(crate) mod process;
pub(crate) mod rank_difference;
pub(crate) mod span_row;
pub(crate) mod sparse_box;
mod steady;
mod track;
mod whole_run;
pub(crate) mod work_row;

pub use clock::{ClockSummary, WallSource};
pub use epoch::Epoch;
pub use marks::{Mark, Metric, MetricPoint};
pub use noun::noun;
pub use steady::Steady;
pub use track::Track;
pub(crate) use whole_run::MANY;
pub use whole_run::Summary;
