//! The recording format, version 1, over byte slices. See `docs/format.md`.
//!
//! ```text
//! NAME.lap/
//!   run.json                the run (crate::run)
//!   <pid>-<nonce>.proc      one file per process
//!     process header        4,096 bytes            (process)
//!     black box             open spans, 28 slots   (process)
//!     window 0, 1, 2, …     65,536 bytes each      (window)
//!       window header       128 bytes
//!       records             varints                (record, varint)
//! ```
//!
//! All integers are little-endian.

mod error;
pub mod process;
pub mod reader;
pub mod record;
pub mod varint;
pub mod window;

pub use error::FormatError;
