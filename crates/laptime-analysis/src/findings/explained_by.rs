//! Which finding explains which: what is explained is not told.
//!
//! Comes in as all candidates, each found by its rule without a look at the others; goes out as those that are told.
//! It doesn't matter where a row stands, nor in which order the candidates come.

use super::clues::interpreter_end::is_shutdown;
use super::evidence::Evidence;
use super::idle_device::IDLE_RATIO;
use super::kind::Kind;
use super::main_function::is_path_inside;
use super::recompilation::is_compile;
use super::slow_steps::CAUSE_RATIO;
use super::worker_starts;
use crate::summary::doubt::{Doubt, StepsDoubt, StepsReason};
use crate::summary::finding::Finding;

/// The factor by which steps of a warm-up must be longer than the others to be told where these change later on.
const STANDS_OUT: f64 = 2.0;

/// The least part of a process's growth that counted allocations must be to say the same.
const COUNTED_RATIO: f64 = 0.5;

/// A finding, what explains it, and whether it does: asked with the finding first.
type Row = (Kind, Kind, fn(&Evidence<'_>, &Finding, &Finding) -> bool);

/// A finding, and whether it is never told.
type SilentRow = (Kind, fn(&Finding) -> bool);

/// Findings and their causes. A cause that is itself not told, as another finding says it, is still the cause.
const CAUSES: &[Row] = &[
    // A lap that few steps have is why those are slow, and says it more exactly.
    (Kind::SlowSteps, Kind::Occasional, is_slow_by_lap),
    // Steps that hold the event loop are slow, and so are those that wait for it.
    (Kind::SlowSteps, Kind::HeldLoop, is_slow_by_held_loop),
    // The first step of an epoch is slow as its data waits for workers to start.
    (Kind::SlowSteps, Kind::WorkerStarts, is_slow_by_starts),
    // Slow steps are those that wait for their data longest.
    (Kind::SlowSteps, Kind::DataWait, is_slow_by_data),
    // Steps that changed, or a busy machine, make some slow: laps would tell no more.
    (Kind::SlowSteps, Kind::Unsteady, is_slow_by_change),
    // Steps with long inputs are slow, and steps grow longer as their inputs do.
    (Kind::SlowSteps, Kind::GrowingInputs, |_, _, _| true),
    (Kind::Unsteady, Kind::GrowingInputs, is_changed_by_inputs),
    // A function that takes long as it is given more and more is where the time is, and not why.
    (Kind::InFunction, Kind::GrowingInputs, |_, _, _| true),
    // What a busy machine takes falls on whatever runs: the part that it fell on is no cause.
    (Kind::HotSpot, Kind::Unsteady, is_hot_by_chance),
    // Where steps change later on, or the machine was busy, there is no warm-up to tell from the rest.
    (Kind::WarmUp, Kind::Unsteady, is_no_warm_up),
    // The device would have enough to do without the waits for data: larger batches don't help it.
    (Kind::IdleDevice, Kind::DataWait, is_idle_by_data),
    (Kind::IdleDevice, Kind::WorkerStarts, is_idle_by_starts),
];

/// Findings that say what another one says. Only one that is told can say it.
const REPETITIONS: &[Row] = &[
    // The end of the run is the wait for threads.
    (Kind::Exit, Kind::ThreadsWait, is_wait_for_threads),
    // The memory that grows is counted, which says who keeps it.
    (Kind::ResidentGrowth, Kind::MemoryGrowth, is_counted_growth),
    (Kind::ResidentGrowth, Kind::MemoryRise, is_counted_growth),
    // The lap that few steps have is the one that holds the event loop.
    (Kind::Occasional, Kind::HeldLoop, is_lap_of_held_loop),
    // Where compiling takes much of the run, that is told with each place and its number of times.
    (Kind::Recompilation, Kind::Compiling, |_, _, _| true),
    // The lap that takes most of all steps is one that few steps have.
    (Kind::HotSpot, Kind::Occasional, is_occasional_lap),
    // The function of the longest part is named where steps wait for data, or with the hot spot in it.
    (Kind::InFunction, Kind::DataWait, has_wait_inside),
    (Kind::InFunction, Kind::HotSpot, has_hot_spot_inside),
];

/// Findings that explain others and are never told: what their rules find there, another rule tells if it is much.
const SILENT: &[SilentRow] = &[
    // Graphs that are compiled are told as such, and those of the first steps are warm-up.
    (Kind::Occasional, is_compiling),
];

/// Returns the candidates that nothing explains.
pub fn unexplained(candidates: Vec<Finding>, evidence: &Evidence<'_>) -> Vec<Finding> {
    let is_silent = |one: &Finding| {
        let mut rows = SILENT.iter();
        rows.any(|(kind, holds)| *kind == Kind::of_finding(one) && holds(one))
    };
    let is_told = |one: &Finding| !is_explained(one, &candidates, evidence) && !is_silent(one);
    let told: Vec<bool> = candidates.iter().map(is_told).collect();
    let each = candidates.into_iter().zip(told);
    each.filter_map(|(one, is_told)| is_told.then_some(one))
        .collect()
}

/// Whether a candidate has a cause among the candidates, or repeats one of them that isn't explained itself.
fn is_explained(one: &Finding, candidates: &[Finding], evidence: &Evidence<'_>) -> bool {
    let holds = |(explained, by, holds): &Row, other: &Finding| {
        *explained == Kind::of_finding(one)
            && *by == Kind::of_finding(other)
            && holds(evidence, one, other)
    };
    candidates.iter().any(|other| {
        CAUSES.iter().any(|row| holds(row, other))
            || REPETITIONS.iter().any(|row| holds(row, other))
                && !is_explained(other, candidates, evidence)
    })
}

/// Whether so much time is what slow steps mostly take beyond the median.
fn is_most_of_excess(slow: &Finding, ns: u64) -> bool {
    matches!(slow, Finding::SlowSteps { excess_ns, .. }
        if ns as f64 >= CAUSE_RATIO * *excess_ns as f64)
}

fn is_slow_by_lap(_: &Evidence<'_>, slow: &Finding, lap: &Finding) -> bool {
    matches!(lap, Finding::Occasional { total_ns, .. } if is_most_of_excess(slow, *total_ns))
}

fn is_slow_by_held_loop(_: &Evidence<'_>, slow: &Finding, held: &Finding) -> bool {
    matches!(held, Finding::HeldLoop(held)
        if is_most_of_excess(slow, held.total_ns.saturating_add(held.lost_ns)))
}

/// Whether starts of workers make steps slow: those among the same steps, as workers also start in warm-up.
fn is_slow_by_starts(evidence: &Evidence<'_>, slow: &Finding, _: &Finding) -> bool {
    is_most_of_excess(slow, worker_starts::in_steps_ns(evidence))
}

fn is_slow_by_data(_: &Evidence<'_>, slow: &Finding, wait: &Finding) -> bool {
    let Finding::DataWait { path, .. } = wait else {
        return false;
    };
    matches!(slow, Finding::SlowSteps { cause: Some(cause), .. } if cause.path == *path)
}

fn is_slow_by_change(_: &Evidence<'_>, slow: &Finding, change: &Finding) -> bool {
    let is_unexplained = || matches!(slow, Finding::SlowSteps { cause: None, .. });
    is_of_machine(change) || is_unexplained()
}

/// Whether steps changed for another reason than a machine that got busy, and were slower where inputs are longer.
fn is_changed_by_inputs(_: &Evidence<'_>, change: &Finding, _: &Finding) -> bool {
    let Finding::Unsteady {
        doubt: Doubt::Steps { doubt, .. },
        ..
    } = change
    else {
        return false;
    };
    let StepsDoubt::Changed { reason, .. } = doubt else {
        return false;
    };
    !matches!(reason, StepsReason::BusyMachine { .. })
}

/// Whether a hot spot may be so by chance: half of the steps' time or more is none.
fn is_hot_by_chance(_: &Evidence<'_>, hot: &Finding, change: &Finding) -> bool {
    let is_most = matches!(hot, Finding::HotSpot { self_ns, steps_ns, .. }
        if *self_ns >= steps_ns / 2);
    is_of_machine(change) && !is_most
}

fn is_no_warm_up(_: &Evidence<'_>, warm_up: &Finding, change: &Finding) -> bool {
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
    let stands_out = mean(*warm_up_ns, *warm_up_count) >= STANDS_OUT * settled;
    is_of_machine(change) || !stands_out
}

/// Whether steps are unsteady as the machine was busy.
fn is_of_machine(change: &Finding) -> bool {
    matches!(change, Finding::Unsteady { is_busy: true, .. })
}

fn is_idle_by_data(evidence: &Evidence<'_>, idle: &Finding, wait: &Finding) -> bool {
    let started_ns = worker_starts::in_steps_ns(evidence);
    matches!(wait, Finding::DataWait { total_ns, .. }
        if is_busy_without(evidence, idle, started_ns.saturating_add(*total_ns)))
}

fn is_idle_by_starts(evidence: &Evidence<'_>, idle: &Finding, _: &Finding) -> bool {
    is_busy_without(evidence, idle, worker_starts::in_steps_ns(evidence))
}

/// Whether a device has enough to do but for so much time, which the steps of all processes together wait.
fn is_busy_without(evidence: &Evidence<'_>, idle: &Finding, waited_ns: u64) -> bool {
    let (
        Some(steps),
        Finding::IdleDevice {
            utilization_ratio,
            during_ns,
            ..
        },
    ) = (evidence.steps, idle)
    else {
        return false;
    };
    let worked_ns = during_ns.saturating_sub(waited_ns / steps.processes);
    utilization_ratio * *during_ns as f64 >= IDLE_RATIO * worked_ns as f64
}

fn is_wait_for_threads(_: &Evidence<'_>, exit: &Finding, _: &Finding) -> bool {
    matches!(exit, Finding::Exit { function: Some(function), .. }
        if is_shutdown(&function.name, &function.file))
}

/// Whether counted allocations are most of what the process grows by.
fn is_counted_growth(_: &Evidence<'_>, resident: &Finding, counted: &Finding) -> bool {
    let Finding::ResidentGrowth {
        risen_bytes,
        each_bytes,
        during_ns,
        ..
    } = resident
    else {
        return false;
    };
    // Both may be found in other parts of the time: then their speeds are compared.
    if let (
        Some(_),
        Finding::MemoryRise {
            per_second_bytes, ..
        },
    ) = (during_ns, counted)
    {
        return *per_second_bytes as f64 >= COUNTED_RATIO * *each_bytes as f64;
    }
    let (Finding::MemoryGrowth {
        kept_bytes: bytes, ..
    }
    | Finding::MemoryRise {
        risen_bytes: bytes, ..
    }) = counted
    else {
        return false;
    };
    *bytes as f64 >= COUNTED_RATIO * *risen_bytes as f64
}

fn is_lap_of_held_loop(_: &Evidence<'_>, lap: &Finding, held: &Finding) -> bool {
    matches!((lap, held), (Finding::Occasional { path, .. }, Finding::HeldLoop(held))
        if *path == held.path)
}

fn is_occasional_lap(_: &Evidence<'_>, hot: &Finding, lap: &Finding) -> bool {
    matches!((hot, lap), (Finding::HotSpot { path: hot, .. }, Finding::Occasional { path, .. })
        if hot == path)
}

fn has_wait_inside(_: &Evidence<'_>, part: &Finding, wait: &Finding) -> bool {
    matches!((part, wait), (Finding::InFunction { path: part, .. }, Finding::DataWait { path, .. })
        if is_path_inside(path, part))
}

fn has_hot_spot_inside(_: &Evidence<'_>, part: &Finding, hot: &Finding) -> bool {
    matches!((part, hot), (Finding::InFunction { path: part, .. }, Finding::HotSpot { path, .. })
        if is_path_inside(path, part))
}

fn is_compiling(lap: &Finding) -> bool {
    matches!(lap, Finding::Occasional { path, .. } if is_compile(path))
}

#[cfg(test)]
#[path = "tests/explained_by.rs"]
mod tests;
