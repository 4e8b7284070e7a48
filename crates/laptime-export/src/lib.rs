//! Recordings in the formats of other tools: viewers of traces and flame graphs, data frames.
//!
//! [`Export`] is told one process after the other. Of each it takes in the records twice, as a
//! visitor: [`Survey`] looks at what there is, then [`Export::pass`] writes span by span into a
//! [`std::io::Write`]. Every format is a [`Sink`](sink::Sink) in a file of its own; moments and
//! durations come to it in nanoseconds, those of `Recording.spans()`.
//!
//! Memory holds one window's spans, a row group of a Parquet file or a bounded number of spans for
//! speedscope, the tables of paths and tracks, and the sampled stacks of a process, which the analysis joins with
//! their laps: it doesn't grow with the number of spans.

#![forbid(unsafe_code)]

mod about;
mod chrome;
mod collapsed;
mod export;
mod format;
mod lanes;
mod marshal;
mod parquet;
mod pass;
mod perfetto;
mod process;
mod pstats;
mod sink;
mod span;
mod speedscope;
mod stacks;
mod survey;
mod text;

pub use about::About;
pub use export::Export;
pub use format::Format;
pub use pass::Pass;
pub use survey::Survey;

#[cfg(test)]
mod scripted;
#[cfg(test)]
mod sinks_tests;
