//! What a person should look at first: a short list, each entry found by a stated rule.
//!
//! A rule claims no more than the numbers of
//! the summary show, and says nothing where they are too few; a run with nothing to gain has none.

mod function;
mod hot;
mod keepers;
mod memory;
mod rare;
mod run;
mod step;
mod steps;
mod unseen;

use laptime_core::Warning;

use crate::finding::Finding;
use crate::growth::Growth;
use crate::ranks;
use crate::summary::Summary;
use steps::Steps;

/// Findings kept: more would be rows again.
const MOST: usize = 6;

/// How much of the run it is about: what the list is ordered by.
fn weight(finding: &Finding, summary: &Summary) -> f64 {
    let of_wall = |ns: u64| ns as f64 / summary.measured_ns.max(1) as f64;
    match finding {
        Finding::Startup { startup_ns, .. } => of_wall(*startup_ns),
        Finding::NoSteps { outside_ns, .. } => of_wall(*outside_ns),
        Finding::Overhead { recording_ns, .. } => of_wall(*recording_ns),
        Finding::DataWait { total_ns, .. }
        | Finding::Recompilation { total_ns, .. }
        | Finding::Occasional { total_ns, .. }
        | Finding::InFunction { total_ns, .. }
        | Finding::MemoryBound { total_ns, .. } => of_wall(*total_ns),
        Finding::SlowSteps { excess_ns, .. } => of_wall(*excess_ns),
        Finding::WarmUp { warm_up_ns, .. } => of_wall(*warm_up_ns),
        Finding::HotSpot { self_ns, .. } => of_wall(*self_ns),
        // Time is lost little by little; memory that grows ends a run, and numbers that can't be
        // trusted come before all that is read from them.
        Finding::Unsteady { .. } | Finding::MemoryGrowth { .. } | Finding::Ranks { .. } => {
            f64::INFINITY
        }
    }
}

/// What a summary doesn't hold.
#[derive(Debug, Default)]
pub struct Clues {
    /// What the whole run says of its machine.
    pub busy: Option<Warning>,
    /// How memory grows in the steady state.
    pub growth: Option<Growth>,
    /// What steps leave inside of their laps; without a steady state, those of the whole run.
    pub inside: Option<Growth>,
    /// By how many bytes the level of the process rose in it, as far as was noted.
    pub risen_bytes: Option<i64>,
}

/// All findings, the weightiest first.
pub fn find(summary: &Summary, clues: Clues) -> Vec<Finding> {
    let [more, less] = memory::growth(summary, &clues);
    let mut found: Vec<Finding> = [
        run::startup(summary),
        run::overhead(summary),
        unseen::steps(summary),
        more,
        less,
        ranks::difference(&summary.ranks),
        step::unsteady(summary, clues.busy),
    ]
    .into_iter()
    .flatten()
    .collect();
    let is_unsteady = found
        .iter()
        .any(|one| matches!(one, Finding::Unsteady { .. }));
    if let Some(steps) = Steps::of(summary) {
        let rare = rare::lap(&steps);
        // A lap that some steps have is why those are slow, and said more exactly.
        let slow = step::slow_steps(&steps).filter(|slow| !rare::explains(rare.as_ref(), slow));
        // Steps that changed, or a machine that was busy, make some slow: laps would tell no more.
        let slow = slow.filter(|slow| !(is_unsteady && step::is_unexplained(slow)));
        let wait = step::data_wait(summary, &steps);
        let slow = slow.filter(|slow| !step::is_waiting(slow, wait.as_ref()));
        let hot = hot::spot(summary, &steps).filter(|hot| !hot::is_known(hot, rare.as_ref()));
        let each = [
            wait,
            step::recompilation(&steps),
            rare.filter(|rare| !rare::is_compiling(rare)),
            slow,
            hot,
            run::warm_up(summary, &steps),
            step::memory_bound(summary, &steps),
        ];
        found.extend(each.into_iter().flatten());
        found.extend(function::part(summary, &steps, &found));
    }
    found.sort_by(|one, other| weight(other, summary).total_cmp(&weight(one, summary)));
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests;
