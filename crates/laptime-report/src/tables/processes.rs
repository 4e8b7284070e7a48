//! A table for each process that is measured, and a line for each of the others.

use laptime_analysis::{ProcessSummary, Summary};

use crate::document::names;
use crate::document::view::View;
use crate::document::{Content, Section};
use crate::quantity::{self, plural};
use crate::sentences::rank_names;
use crate::tables::stretch::{self, Whole};

/// Most lines of processes that are not measured.
const MOST_OTHERS: usize = 20;

/// Makes the sections that stand in the place of the run's tables.
pub fn sections(summary: &Summary, view: &View) -> Vec<Section> {
    let mut sections = Vec::new();
    for one in &summary.by_process {
        let called = names::short(&rank_names::called(one.pid, one.rank.as_deref()));
        let whole = Whole {
            rows: &one.rows,
            wall_ns: one.wall_ns,
            steady: one.steady.as_ref(),
            steady_why: one.steady_why.as_ref(),
            is_notebook: summary.is_notebook(),
        };
        let section = stretch::section(summary, &whole, view);
        sections.push(Section {
            heading: section.heading.map(|what| format!("{called}, {what}")),
            ..section
        });
    }
    sections.extend(others(summary));
    sections
}

fn others(summary: &Summary) -> Option<Section> {
    let others = summary.processes.iter().filter(|one| !one.is_measured);
    let mut lines: Vec<String> = others.map(line).collect();
    if lines.is_empty() {
        return None;
    }
    if lines.len() > MOST_OTHERS {
        let hidden = lines.len() - MOST_OTHERS;
        lines.truncate(MOST_OTHERS);
        lines.push(format!("… {hidden} more, all in JSON"));
    }
    Some(Section::headed("other processes", Content::Lines(lines)))
}

fn line(process: &ProcessSummary) -> String {
    let ns = process
        .ended_monotonic_ns
        .saturating_sub(process.started_monotonic_ns);
    let spans = plural(process.span_count, "span", "spans");
    let resident = process.resident_peak_bytes.map(|bytes| {
        let bytes = quantity::bytes(bytes);
        format!(", at most {bytes} resident")
    });
    format!(
        "{} (process {}): ran {}, {spans}{}",
        names::short(&process.program),
        process.pid,
        quantity::exact(ns),
        resident.unwrap_or_default(),
    )
}

#[cfg(test)]
#[path = "tests/processes.rs"]
mod tests;
