//! The part that takes most of a step by itself: a lap below the phases, or a module of a network.

use super::evidence::Evidence;
use super::main_function;
use super::repeated_steps::Steps;
use crate::summary::finding::Finding;
use crate::summary::modules;
use crate::summary::span_row::SpanRow;

/// The least share of the steps' time that a hot spot takes by itself.
const HOT_RATIO: f64 = 0.3;
/// The factor by which it must lead the next one: work that is spread evenly has no hot spot.
const HOT_LEAD: f64 = 2.0;

/// A lap or a module, and its self time.
struct Place {
    path: String,
    class: String,
    self_ns: u64,
}

/// Finds the lap or module that leads all others.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let steps = evidence.worked_steps()?;
    let mut places = places(&steps);
    places.sort_by_key(|one| std::cmp::Reverse(one.self_ns));
    let mut places = places.into_iter();
    let (hot, next) = (places.next()?, places.next());
    let leads = next.is_none_or(|next| hot.self_ns as f64 >= HOT_LEAD * next.self_ns as f64);
    // A module is in several laps, and its functions are its network's.
    let functions = evidence.summary.functions.as_ref();
    let functions = functions.filter(|_| hot.class.is_empty());
    (leads && steps.share(hot.self_ns) >= HOT_RATIO).then(|| Finding::HotSpot {
        function: main_function::of_lap(functions, &hot.path),
        path: hot.path,
        class: hot.class,
        step_path: steps.step.path.clone(),
        self_ns: hot.self_ns,
        steps_ns: steps.step.total_ns,
    })
}

/// Returns the modules of a network, forward and backward together, as they are one layer to a person; without a
/// network the laps below the phases.
fn places(steps: &Steps<'_>) -> Vec<Place> {
    let rows: Vec<SpanRow> = steps.inside().cloned().collect();
    let modules = modules::by_module(&rows);
    if modules.is_empty() {
        let below_phases = steps.step.names.len() + 1;
        let deep = rows
            .into_iter()
            .filter(|row| row.names.len() > below_phases);
        let of_lap = |row: SpanRow| Place {
            path: row.path,
            class: String::new(),
            self_ns: row.self_ns,
        };
        return deep.map(of_lap).collect();
    }
    let of_module = |row: modules::ModuleRow| Place {
        self_ns: row.own_ns(),
        path: row.module,
        class: row.class,
    };
    modules.into_iter().map(of_module).collect()
}
