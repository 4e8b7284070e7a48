//! Latency of a model's calls, shown: from a [`Sweep`] to text, markdown, HTML and JSON.
//!
//! The first line is the answer: `Batch 16 is the knee: 1,240 samples/s, p99 14.1 ms.` A row is a batch size on
//! a device. Whatever is absent or doubtful stands below, with its reason.

mod headline;
mod json;
mod notes;
mod table;
mod words;

pub use headline::headline;
pub use json::json;
pub use notes::doubts;

use laptime_analysis::inference::Sweep;

use crate::Shown;
use crate::grid::Grid;

/// All of it, as a terminal of so many columns shows it; `None` where nobody says how many.
pub fn text(sweep: &Sweep, width: Option<usize>) -> Shown {
    Shown::lines(&grid(sweep).text(width))
}

/// All of it, for a pull request.
pub fn markdown(sweep: &Sweep) -> String {
    grid(sweep).markdown()
}

/// All of it, as a piece of a notebook's page.
pub fn fragment(sweep: &Sweep) -> String {
    grid(sweep).fragment()
}

fn grid(sweep: &Sweep) -> Grid {
    Grid {
        answer: headline(sweep),
        tables: table::tables(sweep),
        notes: notes::notes(sweep),
    }
}

#[cfg(test)]
mod tests;
