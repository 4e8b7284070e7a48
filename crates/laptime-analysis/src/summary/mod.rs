//! The summary of a run: plain values, ready to be shown or written as JSON.

mod absence;
mod clock;
pub(crate) mod device_row;
pub mod doubt;
mod epoch;
pub mod fields;
pub(crate) mod finding;
pub(crate) mod functions;
pub mod headline;
mod marks;
pub(crate) mod memory_row;
pub(crate) mod modules;
pub(crate) mod nearest;
mod noun;
pub(crate) mod numbered_names;
pub(crate) mod observed_units;
pub(crate) mod operations;
pub(crate) mod pattern;
pub(crate) mod process;
pub(crate) mod rank_difference;
mod run;
pub(crate) mod span_row;
pub(crate) mod sparse_box;
mod steady;
mod track;
pub(crate) mod work_row;

pub use clock::{ClockSummary, WallSource};
pub use epoch::Epoch;
pub use marks::{Mark, Metric, MetricPoint};
pub use noun::noun;
pub(crate) use run::MANY;
pub use run::{SCHEMA, SCHEMA_VERSION, Summary};
pub use steady::Steady;
pub use track::Track;
