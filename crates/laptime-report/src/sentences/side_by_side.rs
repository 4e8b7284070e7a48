//! Processes, threads and tasks that ran side by side, in words.

use laptime_analysis::{Rank, Steady, Summary};
use laptime_core::PhaseName;

use crate::document::names;
use crate::document::{Content, Section};
use crate::quantity::{self, plural};
use crate::sentences::rank_names;

/// The share of the measured time above which an overlap of threads and tasks is told: less changes nobody's mind.
const OVERLAP_RATIO: f64 = 0.01;

/// Writes the notes below a table, of the steady state or the whole run, whose rows are of several processes or tracks.
pub fn notes(summary: &Summary, steady: Option<&Steady>) -> Vec<String> {
    let mut notes = Vec::new();
    let measured = summary.processes.iter().filter(|one| one.is_measured);
    let count = measured.count() as u64;
    let whole = steady.map_or(summary.measured_ns, |steady| steady.wall_ns);
    if count > 1 {
        let trained = match summary.ranks.len() as u64 {
            0 => u64::from(takes_steps(summary)),
            trained => trained,
        };
        let who = match count - trained.min(count) {
            0 => format!("{count} processes took steps"),
            _ if trained == 0 => format!("{count} processes had laps"),
            beside => format!(
                "{} took steps, {} had other laps",
                plural(trained, "process", "processes"),
                plural(beside, "process", "processes")
            ),
        };
        notes.push(format!(
            "{who}: counts and totals are their sums, shares are of {}, the sum of their times",
            quantity::exact(whole),
        ));
    }
    if summary.parallel_ns as f64 > OVERLAP_RATIO * summary.measured_ns as f64 {
        let more = match steady {
            Some(_) => "more".to_owned(),
            None => format!("{} more", quantity::exact(summary.parallel_ns)),
        };
        notes.push(format!(
            "threads or tasks were in laps at the same time, so the rows add up to {more} than the wall time"
        ));
    }
    notes
}

/// Tells whether the run took steps.
fn takes_steps(summary: &Summary) -> bool {
    let mut names = summary.rows.iter().flat_map(|row| &row.names);
    names.any(|name| PhaseName::of(name) == Some(PhaseName::Step))
}

/// Makes the list of what a step of each process is made of; none where one process took steps.
pub fn section(summary: &Summary) -> Option<Section> {
    (!summary.ranks.is_empty()).then(|| {
        Section::headed(
            "a step of each process",
            Content::Lines(summary.ranks.iter().map(line).collect()),
        )
    })
}

/// Writes the parts of a process's step.
fn line(rank: &Rank) -> String {
    let parts = rank
        .parts
        .iter()
        .map(|part| (part.name.as_str(), part.per_step_ns));
    let parts: Vec<String> = parts
        .chain([("rest", rank.rest_ns)])
        .map(|(part, ns)| format!("{} {}", names::short(part), quantity::estimate(ns)))
        .collect();
    format!(
        "{}: {} of {}: {}",
        names::short(&rank_names::called(rank.pid, rank.rank.as_deref())),
        plural(rank.step_count, "step", "steps"),
        quantity::estimate(rank.step_ns),
        parts.join(", "),
    )
}

#[cfg(test)]
#[path = "tests/side_by_side.rs"]
mod tests;
