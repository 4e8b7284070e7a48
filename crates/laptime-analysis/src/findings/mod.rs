//! The places to look at first: a short list, each entry found by a stated rule.
//!
//! A rule is a file here, and a line of the list below: it is asked for a candidate from the [`Evidence`], and looks at
//! no other rule's. [`explained_by`] says which candidates are told, and [`ranking`] in which order. A rule claims no more
//! than the numbers of the summary show, and says nothing where they are too few; a run with nothing to gain has no
//! finding.

mod between_steps;
mod blocked_event_loop;
pub mod clues;
pub mod compile_time;
mod data_wait;
mod device_growth;
mod evidence;
mod exit;
mod explained_by;
mod garbage_collection;
mod growing_inputs;
mod hot_spot;
mod idle_device;
mod in_function;
mod kind;
mod main_function;
mod memory_bound;
mod memory_growth_between_steps;
mod memory_growth_in_steps;
mod memory_keepers;
mod memory_rise;
mod occasional_laps;
mod outside_steps;
mod own_function;
mod rank_difference;
mod ranking;
mod recompilation;
mod repeated_steps;
mod resident_growth;
mod slow_steps;
mod startup;
mod steps_not_found;
mod threads_wait;
mod throttled_device;
mod too_many_laps;
mod unsteady_steps;
mod warm_up;
mod worker_starts;

use crate::summary::Summary;
use crate::summary::finding::Finding;
use clues::Clues;
use evidence::Evidence;

/// A rule: a candidate, if the evidence has one.
type Rule = fn(&Evidence<'_>) -> Option<Finding>;

/// All rules. Of two findings that weigh as much, the one whose rule comes first here is told first.
const RULES: &[Rule] = &[
    startup::find,
    exit::find,
    threads_wait::find,
    too_many_laps::find,
    compile_time::find,
    garbage_collection::find,
    blocked_event_loop::find,
    steps_not_found::find,
    between_steps::find,
    memory_growth_in_steps::find,
    memory_growth_between_steps::find,
    memory_rise::find,
    resident_growth::find,
    device_growth::find,
    rank_difference::find,
    throttled_device::find,
    idle_device::find,
    unsteady_steps::find,
    data_wait::find,
    worker_starts::find,
    recompilation::find,
    growing_inputs::find,
    occasional_laps::find,
    slow_steps::find,
    hot_spot::find,
    warm_up::find,
    memory_bound::find,
    outside_steps::find,
    in_function::find,
];

/// Returns the findings of a run, the weightiest first.
pub fn find(summary: &Summary, clues: &Clues) -> Vec<Finding> {
    let evidence = Evidence::new(summary, clues);
    let candidates = RULES.iter().filter_map(|rule| rule(&evidence)).collect();
    let told = explained_by::unexplained(candidates, &evidence);
    ranking::weightiest(told, &evidence)
}

#[cfg(test)]
#[path = "tests/advice_of_runs.rs"]
mod advice_of_runs_tests;

#[cfg(test)]
#[path = "tests/advice_on_devices.rs"]
mod advice_on_devices_tests;

#[cfg(test)]
#[path = "tests/advice.rs"]
mod advice_tests;

#[cfg(test)]
#[path = "tests/findings.rs"]
mod tests;
