//! Steps as their devices saw them: compared where each recording of each side has that.
//!
//! The host's clock shows how long launching took. A kernel that became slower changes nothing of it, or
//! lengthens whichever lap waits for the device.

use laptime_core::Warning;

use super::run::Run;
use crate::summarize::device_steps;
use crate::summary::span_row::SpanRow;

/// Code of the note that says which times are compared.
pub const CODE: &str = "device-times";

/// The runs of all sides with times of their devices; `None` where one of them has none.
pub fn seen(base: &[Run], others: &[Vec<Run>]) -> Option<(Vec<Run>, Vec<Vec<Run>>)> {
    let all = || base.iter().chain(others.iter().flatten());
    let is_steady = all().all(|run| run.summary.steady.is_some());
    let side = |runs: &[Run]| -> Option<Vec<Run>> {
        let each = runs.iter().map(|run| of(run, is_steady));
        each.collect()
    };
    let others: Option<Vec<Vec<Run>>> = others.iter().map(|runs| side(runs)).collect();
    Some((side(base)?, others?)).filter(|_| all().next().is_some())
}

/// What there is to say of it.
pub fn note(is_seen: bool, base: &[Run], others: &[Vec<Run>]) -> Option<Warning> {
    if is_seen {
        return Some(Warning::new(
            CODE,
            "times of steps, and of the laps inside of them, are the device's",
        ));
    }
    let mut all = base.iter().chain(others.iter().flatten());
    let is_told = |run: &&Run| !run.durations.on_device.is_empty();
    let (with, without) = (all.clone().find(is_told)?, all.find(|run| !is_told(run))?);
    Some(
        Warning::new(
            CODE,
            format!(
                "{} has the device's times of its steps and {} has not, so the host's are compared: on a GPU, \
                 these are mostly of launching work",
                with.name, without.name
            ),
        )
        .with_hint("record both sides with device times"),
    )
}

/// A run whose steps, and what is inside of them, have the device's times.
fn of(run: &Run, is_steady: bool) -> Option<Run> {
    let (step, _) = run.summary.repeated()?;
    let rows: &[SpanRow] = match &run.summary.steady {
        Some(steady) if is_steady => &steady.rows,
        _ => &run.summary.rows,
    };
    let step = rows.iter().find(|row| row.path == step.path)?;
    let told = &run.durations.on_device;
    let by_device =
        device_steps::by_device(step, rows).filter(|_| told.contains_key(&step.path))?;
    let is_of_step = |names: &[String]| names.starts_with(&step.names);
    // In their order; what the device didn't tell has no place among what it told.
    let kept = rows.iter().filter_map(|row| {
        if !is_of_step(&row.names) {
            return Some(row.clone());
        }
        let told = told.contains_key(&row.path);
        let mut seen = by_device.iter().filter(|_| told);
        seen.find(|seen| seen.path == row.path).cloned()
    });
    let kept: Vec<SpanRow> = kept.collect();
    let mut seen = run.clone();
    match &mut seen.summary.steady {
        Some(steady) if is_steady => steady.rows = kept,
        _ => seen.summary.rows = kept,
    }
    for row in rows.iter().filter(|row| is_of_step(&row.names)) {
        match told.get(&row.path) {
            Some(values) => {
                let by_path = &mut seen.durations.by_path;
                by_path.insert(row.path.clone(), values.clone());
            }
            None => {
                seen.durations.by_path.remove(&row.path);
            }
        }
    }
    // The host's, of which the device's step is no part.
    seen.durations.periods.clear();
    Some(seen)
}
