//! Where the steady state begins: the first steady step of the main process.
//!
//! Steps are the spans of the path named `step` that has most of them on the main track.
//! From the start of the first steady one on, spans of all tracks and processes count.

use laptime_core::{RunInfo, Unavailable, path};

use crate::process::Process;
use crate::wall::main_index;
use crate::warmup;

/// The start of the steady state.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Path whose spans are the steps, printed.
    pub step_path: String,
    /// The first steady step, from 0.
    pub from_step: u64,
    /// When it opened.
    pub monotonic_ns: u64,
    /// Time since the first step opened.
    pub skipped_ns: u64,
}

/// Finds it, or says why there is none.
pub fn find(processes: &[Process], run: Option<&RunInfo>) -> Result<Start, Unavailable> {
    let main = main_index(processes, run)
        .map(|index| &processes[index])
        .ok_or_else(|| Unavailable("no process was recorded".to_owned()))?;
    let series = main
        .series
        .iter()
        .max_by_key(|series| (series.seen, u32::MAX - series.path.0))
        .ok_or_else(|| {
            Unavailable(
                "no span named \"step\" on the main track tells one step from the next".to_owned(),
            )
        })?;
    let steps = series.steps();
    let durations: Vec<u64> = steps.iter().map(|step| step.duration).collect();
    let first = warmup::first_steady(&durations).map_err(|why| {
        if main.tail_is_empty() {
            return why;
        }
        Unavailable(format!(
            "{why} (a running program keeps its first spans one by one, which held {} steps; the report of its recording can tell more)",
            durations.len()
        ))
    })?;
    if main.tail_since < steps[first].start {
        return Err(Unavailable(
            "a span begun during warm-up ended later, when this running program had stopped keeping span by span; the report of its recording can tell".to_owned(),
        ));
    }
    let timeline = main.anchors.timeline();
    let began_ns = timeline.monotonic_ns(steps[0].start);
    let monotonic_ns = timeline.monotonic_ns(steps[first].start);
    Ok(Start {
        step_path: path::join(main.paths.names(series.path)),
        from_step: first as u64,
        monotonic_ns,
        skipped_ns: monotonic_ns.saturating_sub(began_ns),
    })
}
