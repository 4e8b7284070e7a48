//! The beginning of the steady state: the first steady step of each process that has steps.
//!
//! Steps are the spans of the path named `step` and of the track that have most of them;
//! without any, the outermost spans that the program repeats most of the time. From
//! the start of the first steady one on, spans of all tracks count; those of processes without
//! steps from the earliest of these moments on.

use laptime_core::{RunInfo, Unavailable, path};

use crate::benchmark::warm_up;
use crate::doubts::busy_machine;
use crate::reading::first_steps::Series;
use crate::reading::process::Process;
use crate::reading::recorder_samples::CpuWait;
use crate::reading::step_stretches::Stretch;
use crate::summarize::device_rise::{self, DeviceRise};
use crate::summarize::measured_processes::trained;
use crate::summarize::memory_growth::{self, Growth};
use crate::summarize::resident_rise::{self, ResidentRise};
use crate::summary::doubt::{Doubt, StepsDoubt};
use crate::summary::noun;

/// The start of the steady state.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Path whose spans are the steps, printed.
    pub step_path: String,
    /// The first steady step, from 0, as the program counts them; of several processes, the latest.
    pub from_step: u64,
    /// Steps before it that have the name of all; of several processes, the most.
    pub skipped_count: u64,
    /// Time of the skipped steps; of several processes, the longest.
    pub skipped_ns: u64,
    /// Reasons to doubt the steady state.
    pub warnings: Vec<Doubt>,
    /// Whoever took the CPU before the steady state, in the first process.
    pub busy_before: Option<StepsDoubt>,
    /// The part of the time from there on in which the steps' thread was ready and had no CPU, in the first
    /// process; `None` where it isn't known.
    pub kept_ratio: Option<f64>,
    /// How memory grows from there on, in the first process.
    pub growth: Option<Growth>,
    /// Growth of memory that steps leave inside of their laps.
    pub inside: Option<Growth>,
    /// By how many bytes it lies higher at the end, in the first process.
    pub risen_bytes: Option<i64>,
    /// Usual time between two steps, on average over the processes; `None` where one doesn't know it.
    pub between_steps_ns: Option<u64>,
    /// The rise of resident memory from there on, in the first process.
    pub resident: Option<ResidentRise>,
    /// The rise of a device's memory from there on, in the first process.
    pub device: Option<DeviceRise>,
}

/// Finds it, or says why there is none.
pub fn find(processes: &[Process], run: Option<&RunInfo>) -> Result<Start, Unavailable> {
    let each = each(processes, run);
    let is_single = each.len() == 1;
    let (mut found, mut warnings) = (Vec::new(), Vec::new());
    for (index, one) in each {
        let whose = if is_single {
            String::new()
        } else {
            format!("process {}: ", processes[index].facts.header.pid)
        };
        let one = one.map_err(|why| Unavailable(format!("{whose}{why}")))?;
        let pid = (!is_single).then_some(processes[index].facts.header.pid);
        let doubt = one.doubt.clone();
        warnings.extend(doubt.map(|doubt| Doubt::Steps { pid, doubt }));
        found.push(one);
    }
    let first = found.first();
    let first = first.ok_or_else(|| Unavailable("no process was recorded".to_owned()))?;
    Ok(Start {
        step_path: first.step_path.clone(),
        from_step: found.iter().map(|one| one.from_step).max().unwrap_or(0),
        skipped_count: found.iter().map(|one| one.skipped_count).max().unwrap_or(0),
        skipped_ns: found.iter().map(|one| one.skipped_ns).max().unwrap_or(0),
        warnings,
        busy_before: first.busy_before.clone(),
        kept_ratio: first.kept_ratio,
        growth: first.growth,
        inside: first.inside,
        risen_bytes: first.risen_bytes,
        between_steps_ns: between_steps(&found),
        resident: first.resident,
        device: first.device.clone(),
    })
}

/// Returns the usual time between two steps, on average over the processes.
fn between_steps(found: &[Found]) -> Option<u64> {
    let each = found.iter().map(|one| one.between_steps_ns);
    let each: Vec<u64> = each.collect::<Option<_>>()?;
    each.iter().sum::<u64>().checked_div(each.len() as u64)
}

/// When it begins in each process, `CLOCK_MONOTONIC` ns: where all processes with steps have a
/// steady state or, if `any` does, where one has.
pub fn moments(processes: &[Process], run: Option<&RunInfo>, any: bool) -> Option<Vec<u64>> {
    let each = each(processes, run);
    let found = each.iter().map(|(index, one)| {
        let since_ns = one.as_ref().ok()?.since_ns;
        Some((*index, since_ns))
    });
    let found: Vec<(usize, u64)> = if any {
        found.flatten().collect()
    } else {
        found.collect::<Option<_>>()?
    };
    // Helpers have no steps to tell by. What they do from the first steady step of any on serves steady
    // steps; from the last one on, a process that is slow to settle would hide the others' helpers.
    let earliest_ns = found.iter().map(|(_, since_ns)| *since_ns).min()?;
    let mut all = vec![earliest_ns; processes.len()];
    for (index, since_ns) in found {
        all[index] = since_ns;
    }
    Some(all)
}

/// Finds the steady state of each process that takes steps, with its place among all.
fn each(processes: &[Process], run: Option<&RunInfo>) -> Vec<(usize, Result<Found, Unavailable>)> {
    let trained = trained(processes, run).into_iter();
    trained
        .map(|index| (index, of_process(&processes[index])))
        .collect()
}

/// The steady state of one process.
struct Found {
    step_path: String,
    from_step: u64,
    skipped_count: u64,
    skipped_ns: u64,
    since_ns: u64,
    doubt: Option<StepsDoubt>,
    busy_before: Option<StepsDoubt>,
    kept_ratio: Option<f64>,
    growth: Option<Growth>,
    inside: Option<Growth>,
    risen_bytes: Option<i64>,
    between_steps_ns: Option<u64>,
    resident: Option<ResidentRise>,
    device: Option<DeviceRise>,
}

/// Returns the usual time between two steps from one of the first on. In a running program, and where steps ran under
/// another name in between, it isn't known.
fn gap_since(process: &Process, first: usize, start: u64) -> Option<u64> {
    let followed = &process.features.steps;
    let series = followed.only_steps()?;
    let parent = process.paths.get(series.path)?.parent;
    let aside = |moment| followed.aside_before(moment, parent, series.track);
    if !process.spans.tail.is_empty() || aside(u64::MAX) > aside(start) {
        return None;
    }
    let ticks = series.usual_gap(first)?;
    Some((ticks * process.facts.anchors.mean_ns_per_tick()).round() as u64)
}

/// Finds the growth of memory that the steps of a whole run leave inside of their laps.
pub fn inside_of_all(process: &Process) -> Option<Growth> {
    memory_growth::inside(&repeated(process)?.stretches.since(0))
}

/// By how many bytes the level of a process rose from its first step on.
pub fn risen_in_all(process: &Process) -> Option<i64> {
    let first = repeated(process)?.stretches.since(0).first()?.start;
    memory_growth::risen(
        &process.features.recorder_samples,
        first,
        process.spans.last_end,
    )
}

/// Finds the rise of resident memory over all steps of a process.
pub fn resident_in_all(process: &Process) -> Option<ResidentRise> {
    let series = repeated(process)?;
    resident(process, series, &series.stretches.since(0))
}

/// Finds the rise of a device's memory over all steps of a process.
pub fn device_in_all(process: &Process) -> Option<DeviceRise> {
    let series = repeated(process)?;
    device_rise::over_steps(process, &series.stretches.since(0), series.last)
}

fn resident(process: &Process, series: &Series, steps: &[Stretch]) -> Option<ResidentRise> {
    let exits = process.features.notes.exits_at().unwrap_or(u64::MAX);
    let readings = &process.features.recorder_samples;
    resident_rise::over_steps(readings, steps, series.last, exits)
}

/// Returns the steps of a process, or what it repeats without any.
pub fn repeated(process: &Process) -> Option<&Series> {
    let followed = &process.features.steps;
    followed
        .steps()
        .or_else(|| followed.repeated(process.spans.last_end))
}

fn of_process(process: &Process) -> Result<Found, Unavailable> {
    let series = repeated(process).ok_or_else(|| {
        Unavailable("no span named \"step\" tells one step from the next".to_owned())
    })?;
    let steps = series.steps();
    let durations: Vec<u64> = steps.iter().map(|step| step.duration).collect();
    let found = warm_up::find(&durations).map_err(|why| {
        if process.spans.tail.is_empty() {
            return why;
        }
        Unavailable(format!(
            "{why} (a running program keeps its first spans one by one, which held {} {}; the report of its recording can tell more)",
            durations.len(),
            if durations.len() == 1 { "step" } else { "steps" },
        ))
    })?;
    let found = found.worth_telling(&durations);
    let first = found.steps;
    if process.spans.tail.since < steps[first].start {
        return Err(Unavailable(
            "a span begun during warm-up ended later, when this running program had stopped keeping span by span; the report of its recording can tell".to_owned(),
        ));
    }
    let timeline = process.facts.anchors.timeline();
    let since = series.stretches.since(steps[first].start);
    let durations = durations[..first].iter().copied();
    let warm_up = durations.fold(0, u64::saturating_add);
    let since_ns = timeline.monotonic_ns(steps[first].start);
    let step_path = path::join(process.paths.names(series.path));
    Ok(Found {
        growth: memory_growth::of_process(
            &process.features.recorder_samples,
            &since,
            process.spans.last_end,
        ),
        inside: memory_growth::inside(&since),
        resident: resident(process, series, &since),
        device: device_rise::over_steps(process, &since, series.last),
        risen_bytes: memory_growth::risen(
            &process.features.recorder_samples,
            steps[first].start,
            process.spans.last_end,
        ),
        doubt: busy_machine::doubt(process, series, &steps, &found, noun(&step_path)),
        kept_ratio: busy_machine::since(process, series, steps[first]).map(CpuWait::ratio),
        busy_before: busy_machine::of_warm_up(
            process,
            series,
            (steps[0], steps[first]),
            noun(&step_path),
        ),
        step_path,
        from_step: process.number(series, first, steps[first]),
        skipped_count: first as u64,
        skipped_ns: process.facts.anchors.rate().nanoseconds(warm_up),
        since_ns,
        between_steps_ns: gap_since(process, first, steps[first].start),
    })
}

#[cfg(test)]
#[path = "tests/steady_state.rs"]
mod tests;
