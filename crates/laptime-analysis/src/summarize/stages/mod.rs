//! The stages from everything that was read to a summary: each consumes the one before it, and holds what the next may
//! read.
//!
//! | stage | what is known then |
//! |---|---|
//! | [`Read`] | the processes as they were read |
//! | [`Measured`] | which of them are measured, from when to when, and where the steady state begins |
//! | [`Totalled`] | totals of the whole run and of the steady state, spans that were open included |
//! | [`Summary`] | rows, and what there is to say about them |
//!
//! ```
//! use laptime_analysis::Summary;
//! use laptime_analysis::summarize::stages::Read;
//!
//! fn in_order(read: Read) -> Summary {
//!     read.measure().total().summarize()
//! }
//! ```
//!
//! Nothing can be added up before it is measured:
//!
//! ```compile_fail,E0599
//! use laptime_analysis::Summary;
//! use laptime_analysis::summarize::stages::Read;
//!
//! fn swapped(read: Read) -> Summary {
//!     read.total().measure().summarize()
//! }
//! ```

mod measured;
mod read;
mod totalled;

#[cfg(doc)]
use crate::summary::Summary;

pub use measured::Measured;
pub use read::Read;
pub use totalled::Totalled;
