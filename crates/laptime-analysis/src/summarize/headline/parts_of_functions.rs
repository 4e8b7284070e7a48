//! The parts of a program without laps: its functions.

use super::largest_parts::{OVERLAP_RATIO, part};
use crate::findings::clues::interpreter_end::is_shutdown;
use crate::summary::Summary;
use crate::summary::functions::{ExactFunctions, FunctionTime, LapFunctions};
use crate::summary::headline::{Part, PartName};

/// Returns the functions by their self time, and what that is a part of: the run's time, or that of all threads that
/// were looked at. No functions where they are not known.
pub fn parts_of_functions(summary: &Summary) -> (Vec<Part>, u64) {
    let Some(functions) = &summary.functions else {
        return (Vec::new(), summary.wall_ns);
    };
    let sampled = || {
        let lap = functions.main_lap().filter(|lap| !lap.is_beside())?;
        Some(sampled_functions(lap))
    };
    let counted = || functions.exact.as_ref().and_then(counted_functions);
    let each = sampled().or_else(counted).unwrap_or_default();
    let self_ns = each.iter().map(|(_, ns)| *ns).fold(0, u64::saturating_add);
    let all_ns = self_ns.max(summary.wall_ns).max(1);
    let parts = each.into_iter().map(|(name, ns)| {
        let ratio = ns as f64 / all_ns as f64;
        Part {
            is_several_at_once: ratio >= OVERLAP_RATIO,
            ..part(name, ratio)
        }
    });
    (parts.filter(|part| part.ratio > 0.0).collect(), all_ns)
}

/// Returns imports as the script wrote them, and what functions do beside them.
fn sampled_functions(lap: &LapFunctions) -> Vec<(PartName, u64)> {
    let imports = lap.imports.iter();
    let imports = imports.map(|one| (PartName::Import(one.name.clone()), one.total_ns));
    let functions = lap.functions.iter();
    let functions = functions.map(|one| (function_name(one), one.beside_imports_ns()));
    imports.chain(functions).collect()
}

/// Returns what a function is called: what it means, where its name says that to nobody.
fn function_name(function: &FunctionTime) -> PartName {
    if is_shutdown(&function.name, &function.file) {
        return PartName::ThreadsWait;
    }
    PartName::Function {
        name: function.name.clone(),
        is_waiting: function.waiting_ns > function.self_ns / 2,
    }
}

/// Returns functions whose calls were counted.
fn counted_functions(exact: &ExactFunctions) -> Option<Vec<(PartName, u64)>> {
    let each = exact.main_lap()?.functions.iter();
    let name = |at: usize| {
        let function = exact.functions.get(at)?;
        let name = function.name.clone();
        let is_python = function.line > 0;
        Some(if is_python {
            PartName::Function {
                name,
                is_waiting: false,
            }
        } else {
            PartName::Builtin(name)
        })
    };
    let named = each.filter_map(|one| Some((name(one.function)?, one.self_ns)));
    Some(named.collect())
}

#[cfg(test)]
#[path = "tests/parts_of_functions.rs"]
mod tests;
