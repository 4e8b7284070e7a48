//! A recording on disk: opened, and fed to the analysis window by window.
//!
//! A recording is a folder, one packed file, one process file of it, or a reference to
//! one of these ([`opened`]). Windows are read one at a time into one buffer
//! ([`process_file`]), so memory does not grow with the recording.

mod error;
pub mod opened;
mod page;
mod process_file;
mod summarize;
mod until;

pub use error::SourceError;
pub use opened::Opened;
pub use page::page;
pub use process_file::ProcessFile;
pub use summarize::{SourceOptions, summarize};
pub use until::until;
