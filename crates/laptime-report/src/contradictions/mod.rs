//! Contradictions in a report, which is refused for them where reports are tested, whatever made it.
//!
//! Comes in as a report's numbers, and as its sentences; goes out as what contradicts something else, in words. Compiled for
//! tests, and with the feature `checked`, which those of the command and of Python ask for: every report that a test, an
//! example or a page makes passes through it. A report of a user's does not.
//!
//! Each rule holds whatever was recorded. Where a warning says that spans don't add up, sums aren't asked.

mod comparison;
mod factors;
mod findings;
mod headline;
mod refuse;
mod report;
mod rows;
mod step_window;

pub use refuse::{keep, refuse, refuse_comparison, refuse_window, take};
pub use report::of_summary;
