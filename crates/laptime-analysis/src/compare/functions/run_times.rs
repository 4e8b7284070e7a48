//! Times of the functions of one recording: of the whole program, or of a step and a lap inside of it.

use super::sampled_times::RunTimes;
use crate::compare::recording::Run;
use crate::summary::call_tree;
use crate::summary::functions::calls_of_program;
use crate::summary::span_row::RowKind;

/// The laps whose functions are compared.
#[derive(Debug, Clone, Copy)]
pub enum Laps<'n> {
    /// The whole program, with what is in no lap.
    All,
    /// One lap, with those inside.
    Inside {
        /// Names of the lap.
        names: &'n [String],
        /// Path of the steps by which times are divided.
        step: &'n str,
    },
}

/// Returns the functions of a run; `None` where no function was sampled.
pub fn run_times(run: &Run, laps: Laps<'_>) -> Option<RunTimes> {
    Some(RunTimes {
        program: run.summary.program.clone(),
        ..sampled_times(run, laps)?
    })
}

fn sampled_times(run: &Run, laps: Laps<'_>) -> Option<RunTimes> {
    let functions = run.summary.functions.as_ref()?;
    if functions.sample_count == 0 {
        return None;
    }
    let (names, step) = match laps {
        Laps::All => {
            let tree = calls_of_program(&functions.laps, run.summary.wall_ns);
            return Some(RunTimes::of_tree(&tree, 1.0));
        }
        Laps::Inside { names, step } => (names, step),
    };
    let mut rows = run.summary.rows.iter();
    let steps = rows.find(|row| row.path == step)?.count?;
    let inside = functions
        .laps
        .iter()
        .filter(|lap| lap.kind == RowKind::Span && lap.names.starts_with(names));
    let tree = call_tree::merge(inside.map(|lap| lap.calls.as_slice()));
    Some(RunTimes::of_tree(&tree, steps.max(1) as f64))
}
