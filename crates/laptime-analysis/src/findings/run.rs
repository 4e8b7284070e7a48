//! About a run as a whole: how long it takes to begin, and what recording it costs.

use super::steps::Steps;
use crate::finding::Finding;
use crate::functions::ImportTime;
use crate::span_row::RowKind;
use crate::summary::{Summary, WallSource};
use crate::wall::STARTUP;

/// From this share of the run on, its beginning is worth a look.
const STARTUP_RATIO: f64 = 0.3;
/// A shorter beginning bothers nobody.
const STARTUP_NS: u64 = 1_000_000_000;
/// An import is named from this part of the beginning on.
const IMPORT_RATIO: f64 = 0.05;
/// Imports that are named.
const MOST_IMPORTS: usize = 4;
/// A lap in Python takes 40 to 50 ns on the machines that `make bench` ran on, one in Rust half of
/// it. It is an estimate: a recording doesn't say what it cost.
const LAP_NS: u64 = 50;
/// From this share of the run on, recording is worth a look.
const OVERHEAD_RATIO: f64 = 0.02;
/// A warm-up as long as all that follows is worth a word, unless it is short.
const WARM_UP_NS: u64 = 1_000_000_000;

/// From launch, or the start of the process, to the first lap.
pub fn startup(summary: &Summary) -> Option<Finding> {
    let rows = summary.rows.iter();
    let startup_ns = rows
        .filter(|row| row.is_leftover(STARTUP))
        .map(|row| row.total_ns)
        .next()?;
    // Of several processes it would be a sum: nobody waits that long.
    let measured = summary
        .processes
        .iter()
        .filter(|process| process.is_measured);
    if measured.count() > 1 {
        return None;
    }
    // Before a notebook's first lap, and after a reset, nothing starts: somebody reads or types.
    let starts = matches!(
        summary.wall_source,
        WallSource::Launcher | WallSource::Process
    );
    let program = std::path::Path::new(&summary.program);
    let is_notebook =
        program.extension().is_some_and(|is| is == "ipynb") || summary.program == "notebook";
    if !starts || is_notebook {
        return None;
    }
    let is_long =
        startup_ns >= STARTUP_NS && startup_ns as f64 >= STARTUP_RATIO * summary.measured_ns as f64;
    is_long.then(|| Finding::Startup {
        startup_ns,
        wall_ns: summary.measured_ns,
        imports: imports(summary),
    })
}

/// The imports that took most of the time before the first lap.
fn imports(summary: &Summary) -> Vec<ImportTime> {
    let laps = summary
        .functions
        .iter()
        .flat_map(|functions| &functions.laps);
    let mut startup = laps.filter(|lap| lap.kind == RowKind::Leftover && lap.path == STARTUP);
    let Some(startup) = startup.next() else {
        return Vec::new();
    };
    let least_ns = (IMPORT_RATIO * startup.total_ns as f64) as u64;
    let imports = startup.imports.iter();
    let imports = imports.filter(|import| import.total_ns >= least_ns);
    imports.take(MOST_IMPORTS).cloned().collect()
}

/// What laps cost where they are very many.
pub fn overhead(summary: &Summary) -> Option<Finding> {
    if !matches!(
        summary.wall_source,
        WallSource::Launcher | WallSource::Process | WallSource::Recording
    ) {
        return None;
    }
    let recording_ns = summary.span_count.saturating_mul(LAP_NS);
    let is_much = recording_ns as f64 >= OVERHEAD_RATIO * summary.measured_ns as f64;
    (is_much && summary.measured_ns >= STARTUP_NS).then_some(Finding::Overhead {
        span_count: summary.span_count,
        recording_ns,
        wall_ns: summary.measured_ns,
    })
}

/// Steps that had hardly settled when the run ended.
pub fn warm_up(summary: &Summary, steps: &Steps<'_>) -> Option<Finding> {
    let steady = summary.steady.as_ref()?;
    let steady_ns = steps.step.total_ns;
    let (warm_up_ns, warm_up_count) = (steady.skipped_ns, steady.from_step);
    let is_most = warm_up_ns >= WARM_UP_NS && warm_up_ns >= steady_ns;
    is_most.then(|| Finding::WarmUp {
        path: steps.step.path.clone(),
        warm_up_count,
        warm_up_ns,
        steady_count: steps.count,
        steady_ns,
    })
}
