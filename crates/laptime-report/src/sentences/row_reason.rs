//! The reason of a row's verdict, as a sentence.

use laptime_analysis::compare::{ComparisonRow, RowReason};

use super::{differences, verdict_reason};

/// Benchmarks that a sentence names.
const MOST_NAMES: usize = 3;

/// Writes the reason of a row's verdict; nothing for a row without one.
pub fn sentence(row: &ComparisonRow) -> String {
    match &row.reason {
        None => String::new(),
        Some(RowReason::OnlyBase) => "Only the base has it.".to_owned(),
        Some(RowReason::OnlyNew) => "Only the new side has it.".to_owned(),
        Some(RowReason::Durations(reason)) => verdict_reason::sentence(reason),
        Some(RowReason::CpuDelay) => {
            "A run a side can't tell this from a busy machine: most of the difference is time in which \
             the thread was ready and had no CPU."
                .to_owned()
        }
        Some(RowReason::OtherLapsAlike { ratio }) if (ratio - 1.0).abs() < 0.005 => {
            "One run a side can't tell this from noise: laps of one program differ by up to 10 % from run to run."
                .to_owned()
        }
        Some(RowReason::OtherLapsAlike { ratio }) => format!(
            "One run a side can't tell this from a {} machine: all other laps take at least {:.0} % {}.",
            if *ratio > 1.0 { "slower" } else { "faster" },
            (ratio - 1.0).abs() * 100.0,
            if *ratio > 1.0 { "longer" } else { "less" }
        ),
        Some(RowReason::BusyMachine) => {
            "The machine was busy during a run, which makes some laps slower than others: one run a side can't tell."
                .to_owned()
        }
        Some(RowReason::OneRunASide) => {
            "One run a side can't tell how much two runs of the same program differ.".to_owned()
        }
        Some(RowReason::ChangedFunctions) => {
            "Functions that surely changed make most of the difference.".to_owned()
        }
        Some(RowReason::Different(difference)) => differences::phrase(difference),
        Some(RowReason::OtherProgram { base, new }) => format!(
            "These are recordings of different programs, {} and {}: they have no lap in common.",
            base.join(" and "),
            new.join(" and ")
        ),
        Some(RowReason::NoCommonLap) => "The recordings have no lap in common.".to_owned(),
        Some(RowReason::NoCommonBenchmark { base, new }) => format!(
            "No benchmark is in both files: base has {}; new has {}. Benchmarks are matched by their names.",
            listed(base),
            listed(new),
        ),
    }
}

/// Joins the first few names.
fn listed(names: &[String]) -> String {
    let shown = &names[..names.len().min(MOST_NAMES)];
    match names.len() - shown.len() {
        _ if names.is_empty() => "none".to_owned(),
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
#[path = "tests/row_reason.rs"]
mod tests;
