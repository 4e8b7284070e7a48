//! About a run as a whole: how long it takes to begin and to end, and what recording it costs.

use laptime_core::{RunInfo, Total};

use super::function;
use super::steps::Steps;
use crate::summarize::wall_time::{AFTER, EXIT, STARTUP};
use crate::summary::doubt::{Doubt, StepsDoubt};
use crate::summary::finding::Finding;
use crate::summary::functions::ImportTime;
use crate::summary::span_row::RowKind;
use crate::summary::{Summary, WallSource};

/// From this share of the run on, its beginning or its end is worth a look.
const STARTUP_RATIO: f64 = 0.3;
/// A shorter one bothers nobody.
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
/// A warm-up as long as all that follows is worth a word from this share of the run on.
const WARM_UP_RATIO: f64 = 0.05;
/// A shorter one bothers nobody.
const WARM_UP_NS: u64 = 100_000_000;
/// Where steps change later on, those of warm-up must be longer than the others by this factor.
const STANDS_OUT: f64 = 2.0;

/// From launch, or the start of the process, to the first lap.
pub fn startup(summary: &Summary) -> Option<Finding> {
    let rows = summary.rows.iter();
    let startup_ns = rows
        .filter(|row| row.is_leftover(STARTUP))
        .map(|row| row.total_ns)
        .next()?;
    let imports = imports(summary);
    let imported_ns: u64 = imports.iter().map(|import| import.total_ns).total();
    let function = function::of_leftover(summary.functions.as_ref(), STARTUP, startup_ns);
    is_long(summary, startup_ns).then(|| Finding::Startup {
        startup_ns,
        wall_ns: summary.measured_ns,
        function: function.filter(|_| imported_ns < startup_ns / 2),
        imports,
    })
}

/// Whether so long a beginning or end is one that somebody waits for.
fn is_long(summary: &Summary, ns: u64) -> bool {
    // Of several processes it would be a sum: nobody waits that long.
    let measured = summary
        .processes
        .iter()
        .filter(|process| process.is_measured);
    // Before a notebook's first lap, and after a reset, nothing starts: somebody reads or types.
    let is_whole = matches!(
        summary.wall_source,
        WallSource::Launcher | WallSource::Process
    );
    measured.count() <= 1
        && is_whole
        && !summary.is_notebook()
        && ns >= STARTUP_NS
        && ns as f64 >= STARTUP_RATIO * summary.measured_ns as f64
}

/// From the last lap to the end of the process.
///
/// `handlers_ended_ns` is when Python's exit handlers had run, on the system's monotonic clock.
pub fn exit(summary: &Summary, handlers_ended_ns: Option<u64>) -> Option<Finding> {
    let of = |name| {
        let mut rows = summary.rows.iter();
        rows.find(|row| row.is_leftover(name))
            .map_or(0, |row| row.total_ns)
    };
    // The script's own end or, where it is told apart from that, the interpreter's: the longer one.
    let (after_ns, of_interpreter_ns) = (of(AFTER), of(EXIT));
    let (exit_ns, place) = if after_ns > of_interpreter_ns {
        (after_ns, AFTER)
    } else {
        (of_interpreter_ns, EXIT)
    };
    let closing_ns = handlers_ended_ns
        .filter(|_| place == EXIT)
        .zip(ended_ns(summary))
        .and_then(|(from, to)| to.checked_sub(from));
    is_long(summary, exit_ns).then(|| Finding::Exit {
        exit_ns,
        wall_ns: summary.measured_ns,
        closing_ns: closing_ns.map(|ns| ns.min(exit_ns)),
        function: function::of_leftover(summary.functions.as_ref(), place, exit_ns),
    })
}

/// When the run ended, `CLOCK_MONOTONIC` ns: as its launcher saw it, else as its main process did.
fn ended_ns(summary: &Summary) -> Option<u64> {
    let of_run = |run: &RunInfo| run.started_monotonic_ns.saturating_add(summary.wall_ns);
    let main = || summary.processes.iter().find(|process| process.is_main);
    match summary.wall_source {
        WallSource::Launcher => summary.run.as_ref().map(of_run),
        _ => main().map(|main| main.ended_monotonic_ns),
    }
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
    // Laps of a loader's workers cost these their time, beside the run.
    let measured = summary.processes.iter().filter(|one| one.is_measured);
    let span_count = measured.fold(0_u64, |sum, one| sum.saturating_add(one.span_count));
    let recording_ns = span_count.saturating_mul(LAP_NS);
    let is_much = recording_ns as f64 >= OVERHEAD_RATIO * summary.measured_ns as f64;
    (is_much && summary.measured_ns >= STARTUP_NS).then_some(Finding::Overhead {
        span_count,
        recording_ns,
        wall_ns: summary.measured_ns,
    })
}

/// Steps that had hardly settled when the run ended. `busy`: what took the CPU during them.
pub fn warm_up(summary: &Summary, steps: &Steps<'_>, busy: Option<StepsDoubt>) -> Option<Finding> {
    let steady = summary.steady.as_ref()?;
    let (warm_up_ns, warm_up_count) = (steady.skipped_ns, steady.skipped_count);
    // Warm-up is that of one process, and the steps are those of all.
    let processes = steps.processes;
    let (steady_ns, steady_count) = (steps.step.total_ns / processes, steps.count / processes);
    let is_felt = warm_up_ns >= WARM_UP_NS
        && warm_up_ns as f64 >= WARM_UP_RATIO * (summary.measured_ns / processes) as f64;
    (is_felt && warm_up_ns >= steady_ns).then(|| Finding::WarmUp {
        path: steps.step.path.clone(),
        warm_up_count,
        warm_up_ns,
        steady_count,
        steady_ns,
        busy: busy.map(|doubt| Doubt::Steps { pid: None, doubt }),
    })
}

/// Whether steps before the steady state took so much longer that a change after it doesn't matter.
pub fn stands_out(warm_up: &Finding) -> bool {
    let Finding::WarmUp {
        warm_up_count,
        warm_up_ns,
        steady_count,
        steady_ns,
        ..
    } = warm_up
    else {
        return false;
    };
    let mean = |ns: u64, count: u64| ns as f64 / count.max(1) as f64;
    let settled = mean(*steady_ns, *steady_count);
    mean(*warm_up_ns, *warm_up_count) >= STANDS_OUT * settled
}
