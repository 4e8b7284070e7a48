//! The command to type next: after a report, and after one of its findings.
//!
//! A summary says what there is to ask; the [`Origin`] of a report, which its view holds, says by which words a
//! command finds the recording and the program again. The terminal prints the text of a [`Command`], and JSON has it.

mod after_finding;
mod after_report;
mod command;
pub(crate) mod origin;

pub use after_finding::after_finding;
pub use after_report::after_report;
pub use command::{Command, quoted};
pub use origin::{Origin, RecordingWords};
