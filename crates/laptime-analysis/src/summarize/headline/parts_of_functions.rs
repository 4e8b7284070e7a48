//! The parts of a program without laps: the functions that it worked in, and what it waited for.

use laptime_core::Total;

use super::call_cut::{CutPart, cut};
use super::largest_parts::{OVERLAP_RATIO, largest};
use crate::summary::Summary;
use crate::summary::call_time::CallTime;
use crate::summary::call_tree::{CallNode, merge, waits_for_others};
use crate::summary::functions::{
    ExactFunctions, Functions, LapFunctions, calls_of_program, collected_in, whole_of_calls,
};
use crate::summary::headline::{LargestParts, Part, PartName, Waiting};

/// Share of its time from which on it is told that a program waited.
const WAITING_RATIO: f64 = 0.1;
/// The least share of all time that is told of a function.
const LEAST_RATIO: f64 = 0.05;
/// The least number of samples of which parts are told: of fewer, a share is known to more than 30 points.
const LEAST_SAMPLES: u64 = 10;
/// The part of their waiting from which on threads waited in one function alone.
const ALL_RATIO: f64 = 0.9;
/// The difference between two shares that are told as the same.
const SAME_RATIO: f64 = 0.005;
/// The part of their waiting that others must have in one function for it to be what is waited for.
const MOST_RATIO: f64 = 0.5;
/// The part of its waiting below which the function that a program waited in longest is told beside others.
const SPREAD_RATIO: f64 = 0.8;
/// The function in which the interpreter waits for its threads, and its package.
const SHUTDOWN: (&str, &str) = ("_shutdown", "threading");

/// The parts of a program that its functions tell.
#[derive(Debug, Default)]
pub struct FunctionParts {
    /// The functions that it worked in, as shares of the run's time.
    pub parts: LargestParts,
    /// The function that it waited in.
    pub waiting: Option<Waiting>,
    /// The call in which the main thread waits for the functions that are named, where nothing of the program calls one of
    /// them.
    pub waits_for_parts: Option<Waiting>,
    /// The time that what it waited in is a share of, and all parts where it didn't wait.
    pub all_ns: u64,
    /// The number of samples, where they are too few.
    pub few_samples: Option<u64>,
}

impl FunctionParts {
    /// Returns that nothing is known of functions, in a run of so much time.
    pub fn none(wall_ns: u64) -> Self {
        Self {
            all_ns: wall_ns,
            ..Self::default()
        }
    }
}

/// Returns the functions that a program worked in, of those that were sampled or else of those that were counted.
pub fn parts_of_functions(summary: &Summary) -> FunctionParts {
    let Some(functions) = &summary.functions else {
        return FunctionParts::none(summary.wall_ns);
    };
    if functions.sample_count > 0 {
        return sampled_parts(functions, summary.wall_ns);
    }
    let counted = functions.exact.as_ref().and_then(counted_functions);
    let each = counted.unwrap_or_default();
    let self_ns = each.iter().map(|(_, ns)| *ns).fold(0, u64::saturating_add);
    let all_ns = self_ns.max(summary.wall_ns).max(1);
    let parts = each.into_iter().map(|(name, ns)| {
        let ratio = ns as f64 / all_ns as f64;
        Part {
            is_several_at_once: ratio >= OVERLAP_RATIO,
            ..Part::new(name, ratio)
        }
    });
    FunctionParts {
        parts: largest(parts.filter(|part| part.ratio > 0.0).collect()),
        ..FunctionParts::none(all_ns)
    }
}

/// Returns the parts of what was sampled in all threads and processes.
fn sampled_parts(functions: &Functions, wall_ns: u64) -> FunctionParts {
    if functions.sample_count < LEAST_SAMPLES {
        return FunctionParts {
            few_samples: Some(functions.sample_count),
            ..FunctionParts::none(wall_ns)
        };
    }
    let tree = calls_of_program(&functions.laps, wall_ns);
    let worked = functions.laps.iter().map(LapFunctions::running_ns);
    let worked_ns = worked.total();
    let main = functions.main_lap().filter(|lap| !lap.is_beside());
    let all_ns = whole_of_calls(&functions.laps, wall_ns).max(1);
    let waiting = main.and_then(|main| waiting(functions, main, worked_ns, all_ns));
    // The time in which the main thread waits for others that work is told as theirs.
    let beside = functions.laps.iter().filter(|lap| lap.is_parallel());
    let beside_ns = beside.map(LapFunctions::running_ns).total();
    let is_beside = beside_ns as f64 >= LEAST_RATIO * all_ns as f64;
    let work_alone = waiting.is_some() || is_beside;
    let named = cut(&tree, CallTime::Working).into_iter();
    let named = named.map(|mut cut| {
        if let PartName::Collection { place } = &mut cut.part.name {
            *place = collected_in(&functions.laps);
        }
        let ratio = cut.part.ratio * worked_ns as f64 / all_ns as f64;
        let total = cut.total_ns as f64 / all_ns as f64;
        let is_work_alone = work_alone && total - ratio >= SAME_RATIO;
        Part {
            ratio: if is_work_alone { ratio } else { total },
            is_work_alone,
            ..cut.part
        }
    });
    let mut named: Vec<Part> = named.filter(|part| part.ratio >= LEAST_RATIO).collect();
    named.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let waits_for_parts = main
        .filter(|_| waiting.is_none() && named.iter().any(is_called_by_nobody))
        .and_then(waits_for_parts);
    FunctionParts {
        parts: LargestParts {
            named,
            others: None,
        },
        waiting,
        waits_for_parts,
        all_ns,
        few_samples: None,
    }
}

/// Tells whether a part is a package's that no function of the program calls: a thread or a process of its own runs it.
fn is_called_by_nobody(part: &Part) -> bool {
    matches!(part.name, PartName::Called { place: None, .. })
}

/// Returns the call in which the main thread mostly waits for other threads or processes.
fn waits_for_parts(main: &LapFunctions) -> Option<Waiting> {
    let longest = longest_wait(&main.calls)?.part;
    let waited = main.waiting_ns as f64 / main.total_ns.max(1) as f64;
    let ratio = longest.ratio * waited;
    (is_for_others(&longest.name) && ratio > MOST_RATIO).then_some(Waiting {
        ratio,
        name: longest.name,
        is_all: longest.ratio >= ALL_RATIO,
        parts: Vec::new(),
    })
}

/// Tells whether what is waited in is a wait for other threads or processes of the program.
fn is_for_others(waits_in: &PartName) -> bool {
    matches!(waits_in, PartName::Called { package, .. } if waits_for_others(package))
}

/// Returns the function that a tree's threads waited in longest.
fn longest_wait(tree: &[CallNode]) -> Option<CutPart> {
    cut(tree, CallTime::Waiting).into_iter().next()
}

/// Returns what a program waited in, all of whose threads together worked for so long.
fn waiting(
    functions: &Functions,
    main: &LapFunctions,
    worked_ns: u64,
    all_ns: u64,
) -> Option<Waiting> {
    let ratio = main.total_ns.saturating_sub(worked_ns) as f64 / all_ns as f64;
    if ratio < WAITING_RATIO {
        return None;
    }
    let found = cut(&main.calls, CallTime::Waiting);
    let CutPart {
        part: longest,
        total_ns,
    } = found.first()?.clone();
    let is_shutdown = matches!(&longest.name, PartName::Called { name, package, .. }
        if (&**name, &**package) == SHUTDOWN);
    // Beside another number of the same function in the tree of calls, "waiting in" would be wrong.
    let waited = longest.ratio * main.waiting_ns as f64 / all_ns as f64;
    let total = total_ns as f64 / all_ns as f64;
    let is_same = |other: f64| (ratio - other).abs() < SAME_RATIO;
    let is_all = is_same(waited) && is_same(total);
    let (name, is_spread) = match (awaited(functions, &longest.name), is_shutdown) {
        (Some(awaited), _) => (awaited, false),
        (None, true) => (PartName::ThreadsWait, false),
        (None, false) => (longest.name, longest.ratio < SPREAD_RATIO),
    };
    let parts = found.into_iter().map(|one| Part {
        ratio: one.part.ratio * main.waiting_ns as f64 / all_ns as f64,
        ..one.part
    });
    let parts: Vec<Part> = parts.collect();
    Some(Waiting {
        ratio,
        name,
        is_all,
        parts: if is_spread && parts.len() > 1 {
            parts
        } else {
            Vec::new()
        },
    })
}

/// Returns the function of the program that other threads and processes mostly wait in, where the main thread waits for
/// these: that is what all of them wait for.
fn awaited(functions: &Functions, waits_in: &PartName) -> Option<PartName> {
    if !is_for_others(waits_in) {
        return None;
    }
    let others = functions.laps.iter().filter(|lap| lap.is_parallel());
    let tree = merge(others.map(|lap| lap.calls.as_slice()));
    let longest = longest_wait(&tree)?.part;
    let is_most = longest.ratio > MOST_RATIO;
    (is_most && matches!(longest.name, PartName::Function { .. })).then_some(longest.name)
}

/// Returns functions whose calls were counted.
fn counted_functions(exact: &ExactFunctions) -> Option<Vec<(PartName, u64)>> {
    let each = exact.main_lap()?.functions.iter();
    let name = |at: usize| {
        let function = exact.functions.get(at)?;
        let name = function.name.clone();
        let is_python = function.line > 0;
        Some(if is_python {
            PartName::Function { name, place: None }
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
