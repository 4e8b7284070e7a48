//! Steps with the times of their devices, which are compared where each recording of each side has them.
//!
//! The host's clock shows how long launching took. A kernel that became slower changes nothing of it, or
//! lengthens whichever lap waits for the device.

use super::note::Note;
use super::recording::Run;
use crate::summarize::device_steps;
use crate::summary::span_row::SpanRow;

/// Returns the runs of all sides with the times of their devices; `None` where one of them has none.
pub fn runs_by_device(base: &[Run], others: &[Vec<Run>]) -> Option<(Vec<Run>, Vec<Vec<Run>>)> {
    let all = || base.iter().chain(others.iter().flatten());
    let is_steady = all().all(|run| run.summary.steady.is_some());
    let side = |runs: &[Run]| -> Option<Vec<Run>> {
        let each = runs.iter().map(|run| run_by_device(run, is_steady));
        each.collect()
    };
    let others: Option<Vec<Vec<Run>>> = others.iter().map(|runs| side(runs)).collect();
    Some((side(base)?, others?)).filter(|_| all().next().is_some())
}

/// Notes which times are compared; `None` where no run has times of a device.
pub fn note(is_by_device: bool, base: &[Run], others: &[Vec<Run>]) -> Option<Note> {
    if is_by_device {
        return Some(Note::DeviceTimes);
    }
    let mut all = base.iter().chain(others.iter().flatten());
    let has_times = |run: &&Run| !run.durations.on_device.is_empty();
    let (with, without) = (
        all.clone().find(has_times)?,
        all.find(|run| !has_times(run))?,
    );
    Some(Note::HostTimes {
        with: with.name.clone(),
        without: without.name.clone(),
    })
}

/// Returns a run whose steps, and the laps inside of them, have the device's times.
fn run_by_device(run: &Run, is_steady: bool) -> Option<Run> {
    let (step, _) = run.summary.repeated()?;
    let rows: &[SpanRow] = match &run.summary.steady {
        Some(steady) if is_steady => &steady.rows,
        _ => &run.summary.rows,
    };
    let step = rows.iter().find(|row| row.path == step.path)?;
    let durations = &run.durations.on_device;
    let by_device =
        device_steps::by_device(step, rows).filter(|_| durations.contains_key(&step.path))?;
    let is_of_step = |names: &[String]| names.starts_with(&step.names);
    // In their order. A row that the device didn't tell has no place among those that it told.
    let rows_by_device = rows.iter().filter_map(|row| {
        if !is_of_step(&row.names) {
            return Some(row.clone());
        }
        let is_known = durations.contains_key(&row.path);
        let mut known = by_device.iter().filter(|_| is_known);
        known.find(|known| known.path == row.path).cloned()
    });
    let rows_by_device: Vec<SpanRow> = rows_by_device.collect();
    let mut changed = run.clone();
    match &mut changed.summary.steady {
        Some(steady) if is_steady => steady.rows = rows_by_device,
        _ => changed.summary.rows = rows_by_device,
    }
    for row in rows.iter().filter(|row| is_of_step(&row.names)) {
        match durations.get(&row.path) {
            Some(values) => {
                let by_path = &mut changed.durations.by_path;
                by_path.insert(row.path.clone(), values.clone());
            }
            None => {
                changed.durations.by_path.remove(&row.path);
            }
        }
    }
    // These are the host's: the device's step is no part of them.
    changed.durations.periods.clear();
    Some(changed)
}
