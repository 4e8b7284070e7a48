//! Decides what the first line of a report says: which parts of the run and of a step it names, and how long a step takes.
//!
//! It takes what the tables show in numbers, the largest parts only, so that who reads no further knows the most
//! important of it.

mod compiling;
mod parts_of_functions;
mod parts_of_run;
mod step;

use crate::doubts::TORN_STEPS;
use crate::summary::Summary;
use crate::summary::headline::{
    Headline, LargestParts, OtherParts, Part, PartName, StepPart, Whole,
};
use crate::summary::process::{ProcessState, ProcessSummary};

/// Parts that are named, the largest first.
const MOST_PARTS: usize = 4;
/// Smaller parts are not named.
const LEAST_RATIO: f64 = 0.01;
/// From this ratio to the wall time on, spans of several threads or tasks were open at once.
const OVERLAP_RATIO: f64 = 1.05;
/// What is left over is said from this share on.
const REST_RATIO: f64 = 0.05;

/// Makes the headline of a run, or of a timer's segments.
///
/// What a step takes is told of the steady state where `with_steady` says that its table is shown; otherwise of the
/// whole run.
pub fn headline(summary: &Summary, with_steady: bool) -> Headline {
    let parts = parts_of_run::parts_of_run(&summary.rows, summary.is_notebook());
    let has_laps = parts.iter().any(|part| !part.name.is_leftover());
    let (parts, all_ns) = if has_laps {
        (parts, summary.wall_ns)
    } else {
        parts_of_functions::parts_of_functions(summary)
    };
    Headline {
        wall_ns: summary.wall_ns,
        is_running: is_running(summary),
        whole: whole(summary, all_ns),
        parts: largest(parts),
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

/// Makes a part of a share.
fn part(name: PartName, ratio: f64) -> Part {
    Part {
        name,
        ratio,
        is_several_at_once: false,
    }
}

/// Returns the largest parts, largest first, and what the others are together. The largest that is no leftover is
/// named however small it is: it is what was measured.
fn largest(mut parts: Vec<Part>) -> LargestParts {
    parts.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let Some(first) = parts.iter().find(|part| !part.name.is_leftover()).cloned() else {
        return LargestParts::default();
    };
    parts.retain(|part| part.ratio >= LEAST_RATIO || *part == first);
    // A single other one has a name.
    let most = if parts.len() == MOST_PARTS + 1 {
        parts.len()
    } else {
        MOST_PARTS.min(parts.len())
    };
    let others = parts.split_off(most);
    if others.contains(&first) {
        parts.push(first);
    }
    let ratio: f64 = others.iter().map(|part| part.ratio).sum();
    LargestParts {
        named: parts,
        others: (ratio >= REST_RATIO).then_some(OtherParts {
            count: others.len(),
            ratio,
        }),
    }
}

#[cfg(test)]
#[path = "tests/headline.rs"]
mod tests;
