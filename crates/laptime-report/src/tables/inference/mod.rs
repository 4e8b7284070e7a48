//! Latency of a model's calls, shown: from a [`Sweep`] to text, markdown, HTML and JSON.
//!
//! The first line is the answer: `Batch 16 is the knee: 1,240 samples/s, p99 14.1 ms.` A row is a batch size on
//! a device. Every absent or doubtful number has its reason below.

mod table;

pub use crate::json::inference::json;
pub use crate::sentences::inference::headline;
pub use crate::sentences::inference_notes::doubts;

use laptime_analysis::benchmark::inference::Sweep;

use crate::Shown;
use crate::document::{Content, Section};
use crate::{html, markdown, text as texts};

/// Renders all of it for a terminal of so many columns; `None` where nobody says how many.
pub fn text(sweep: &Sweep, width: Option<usize>) -> Shown {
    Shown::lines(&texts::sections(&sections(sweep), width))
}

/// Renders all of it for a pull request.
pub fn markdown(sweep: &Sweep) -> String {
    markdown::sections(&sections(sweep))
}

/// Renders all of it as a piece of a notebook's page.
pub fn fragment(sweep: &Sweep) -> String {
    html::pieces(&sections(sweep))
}

fn sections(sweep: &Sweep) -> Vec<Section> {
    let answer = headline(sweep).lines().map(str::to_owned).collect();
    let answer = Content::Paragraphs(answer);
    let notes = Content::Paragraphs(crate::sentences::inference_notes::notes(sweep));
    let tables = table::tables(sweep).map(Content::Table);
    let all = std::iter::once(answer).chain(tables);
    let all = all.chain((notes != Content::Paragraphs(Vec::new())).then_some(notes));
    all.map(Section::from).collect()
}

#[cfg(test)]
#[path = "tests/inference.rs"]
mod tests;
