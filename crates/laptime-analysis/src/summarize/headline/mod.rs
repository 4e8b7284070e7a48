//! Decides what the first line of a report says: which parts of the run and of a step it names, and how long a step takes.
//!
//! It takes what the tables show in numbers, the largest parts only, so that who reads no further knows the most
//! important of it.

mod call_cut;
mod call_parts;
mod compiling;
mod largest_parts;
mod parts_of_functions;
mod parts_of_run;
mod step;

use crate::doubts::TORN_STEPS;
use crate::summary::Summary;
use crate::summary::headline::{Headline, StepPart, Whole};
use crate::summary::process::{ProcessState, ProcessSummary};
use largest_parts::{OVERLAP_RATIO, largest};
use parts_of_functions::FunctionParts;

/// Makes the headline of a run, or of a timer's segments.
///
/// What a step takes is told of the steady state where `with_steady` says that its table is shown; otherwise of the
/// whole run, whose table then is.
pub fn headline(summary: &Summary, with_steady: bool) -> Headline {
    let parts = parts_of_run::parts_of_run(&summary.rows, summary.is_notebook());
    let has_laps = parts.iter().any(|part| !part.name.is_leftover());
    let functions = if has_laps {
        FunctionParts {
            parts: largest(parts),
            ..FunctionParts::none(summary.wall_ns)
        }
    } else {
        parts_of_functions::parts_of_functions(summary)
    };
    Headline {
        wall_ns: summary.wall_ns,
        is_running: is_running(summary),
        whole: whole(summary, functions.all_ns),
        waiting: functions.waiting,
        parts: functions.parts,
        waits_for_parts: functions.waits_for_parts,
        few_samples: functions.few_samples,
        step: if summary.warnings.iter().any(|one| one.code() == TORN_STEPS) {
            StepPart::Torn
        } else {
            step::step(summary, with_steady).map_or(StepPart::Absent, StepPart::Told)
        },
    }
}

/// Whether the run goes on. A process that reports of itself needs no telling that it runs.
fn is_running(summary: &Summary) -> bool {
    let is_file = |main: &&ProcessSummary| main.is_main && !main.file.is_empty();
    let main = summary.processes.iter().find(is_file);
    main.is_some_and(|main| main.state == ProcessState::Running)
}

/// Returns what shares are of; `all_ns` is the time of all functions or, with laps, the wall time.
fn whole(summary: &Summary, all_ns: u64) -> Whole {
    let measured = summary.processes.iter().filter(|one| one.is_measured);
    match measured.count() {
        count if count > 1 => Whole::Processes {
            count,
            total_ns: summary.measured_ns,
        },
        _ if all_ns as f64 >= OVERLAP_RATIO * summary.wall_ns as f64 => {
            Whole::Threads { total_ns: all_ns }
        }
        _ => Whole::Wall,
    }
}

#[cfg(test)]
#[path = "tests/headline.rs"]
mod tests;
