//! What a person should look at first: a short list, each entry found by a stated rule.
//!
//! A rule claims no more than the numbers of
//! the summary show, and says nothing where they are too few; a run with nothing to gain has none.

mod around;
pub mod between;
pub mod compiling;
mod devices;
mod function;
mod held;
mod hot;
mod keepers;
mod memory;
mod rare;
mod rise;
mod run;
pub mod sampled;
mod starting;
mod step;
mod steps;
mod threads;
mod unseen;

use crate::summarize::device_steps;
use crate::summarize::memory_growth::Growth;
use crate::summarize::ranks;
use crate::summarize::worker_starts::WorkerStart;
use crate::summary::Summary;
use crate::summary::doubt::StepsDoubt;
use crate::summary::finding::{Finding, HeldLoop, ThreadsWait, WorkerLap};
use between::Between;
pub use rise::Rise;
use steps::Steps;

/// Findings kept: more would be rows again.
const MOST: usize = 6;

/// How a run's beginning and end count: they don't grow with it, and what makes steps slow does.
const PAID_ONCE: f64 = 1.0 / 3.0;

/// A part of steady steps as it is of all of them, those of warm-up included.
fn in_all_steps(summary: &Summary, path: &str, part_ns: u64, steady_ns: u64) -> u64 {
    let mut rows = summary.rows.iter();
    let all_ns = rows.find(|row| row.path == path).map(|row| row.total_ns);
    let ratio = part_ns as f64 / steady_ns.max(1) as f64;
    (ratio * all_ns.unwrap_or(steady_ns) as f64) as u64
}

/// How much of the run it is about: what the list is ordered by.
fn weight(finding: &Finding, summary: &Summary) -> f64 {
    let of_wall = |ns: u64| ns as f64 / summary.measured_ns.max(1) as f64;
    match finding {
        Finding::Startup { startup_ns, .. } => PAID_ONCE * of_wall(*startup_ns),
        Finding::Exit { exit_ns, .. } => PAID_ONCE * of_wall(*exit_ns),
        Finding::Compiling { total_ns, .. } => PAID_ONCE * of_wall(*total_ns),
        Finding::NoSteps { outside_ns, .. } | Finding::OutsideSteps { outside_ns, .. } => {
            of_wall(*outside_ns)
        }
        Finding::Overhead { recording_ns, .. } => of_wall(*recording_ns),
        Finding::DataWait { total_ns, .. }
        | Finding::BetweenSteps { total_ns, .. }
        | Finding::WorkerStarts { total_ns, .. }
        | Finding::Recompilation { total_ns, .. }
        | Finding::Occasional { total_ns, .. }
        | Finding::InFunction { total_ns, .. }
        | Finding::MemoryBound { total_ns, .. } => of_wall(*total_ns),
        Finding::SlowSteps { excess_ns, .. } => of_wall(*excess_ns),
        Finding::HeldLoop(held) => of_wall(held.total_ns.saturating_add(held.lost_ns)),
        Finding::ThreadsWait(wait) => of_wall(wait.total_ns),
        Finding::WarmUp { warm_up_ns, .. } => of_wall(*warm_up_ns),
        Finding::HotSpot {
            self_ns,
            steps_ns,
            step_path,
            ..
        } => of_wall(in_all_steps(summary, step_path, *self_ns, *steps_ns)),
        Finding::Throttled {
            ratio,
            slower_ratio,
            during_ns,
            ..
        } => ratio * slower_ratio.unwrap_or(devices::UNKNOWN_LOSS) * of_wall(*during_ns),
        // What keeps it waiting has a finding of its own, mostly.
        Finding::IdleDevice {
            utilization_ratio,
            during_ns,
            ..
        } => devices::SHARE_OF_IDLE * (1.0 - utilization_ratio) * of_wall(*during_ns),
        // Time is lost little by little; memory that grows ends a run, and numbers that can't be
        // trusted come before all that is read from them.
        Finding::Unsteady { .. }
        | Finding::MemoryGrowth { .. }
        | Finding::MemoryRise { .. }
        | Finding::Ranks { .. } => f64::INFINITY,
    }
}

/// What a summary doesn't hold.
#[derive(Debug, Default)]
pub struct Clues {
    /// What the whole run says of its machine.
    pub busy: Option<StepsDoubt>,
    /// What took the CPU before the steady state.
    pub busy_before: Option<StepsDoubt>,
    /// How memory grows in the steady state.
    pub growth: Option<Growth>,
    /// How memory grows over time.
    pub rise: Option<Rise>,
    /// How long the interpreter waited for its threads at its end, where stacks were sampled.
    pub threads: Option<ThreadsWait>,
    /// What steps leave inside of their laps; without a steady state, those of the whole run.
    pub inside: Option<Growth>,
    /// By how many bytes the level of the process rose in it, as far as was noted.
    pub risen_bytes: Option<i64>,
    /// When the exit handlers of the main process had run, `CLOCK_MONOTONIC` ns.
    pub handlers_ended_ns: Option<u64>,
    /// The lap that holds an event loop longest.
    pub held: Option<HeldLoop>,
    /// How much of the time from the first step to the last no lap covers.
    pub between: Option<Between>,
    /// Waits in which a loader's workers started.
    pub starts: Vec<WorkerStart>,
    /// What the loader's workers do most of their time.
    pub workers: Option<WorkerLap>,
}

/// All findings, the weightiest first.
pub fn find(summary: &Summary, clues: Clues) -> Vec<Finding> {
    let [more, less] = memory::growth(summary, &clues);
    let doubt = step::unsteady(summary, clues.busy);
    let mut found: Vec<Finding> = [
        run::startup(summary),
        run::exit(summary, clues.handlers_ended_ns).filter(|exit| !threads::is_known(exit)),
        threads::of_run(summary, clues.threads),
        run::overhead(summary),
        compiling::of_run(summary),
        held::of_run(summary, clues.held),
        unseen::steps(summary),
        between::steps(summary, clues.between),
        more,
        less,
        rise::of_process(summary, clues.rise),
        ranks::difference(&summary.ranks),
        devices::throttled(summary),
        devices::idle(summary),
        doubt,
    ]
    .into_iter()
    .flatten()
    .collect();
    let is_unsteady = found
        .iter()
        .any(|one| matches!(one, Finding::Unsteady { .. }));
    // What a busy machine takes falls on whatever runs: the part that it fell on is no cause.
    let is_busy = found
        .iter()
        .any(|one| matches!(one, Finding::Unsteady { is_busy: true, .. }));
    if let Some(steps) = Steps::of(summary) {
        let by_device = device_steps::by_device(steps.step, steps.rows);
        // Which step of the host's waits for the device says nothing of that step.
        let is_host = by_device.is_none();
        let worked = by_device.as_deref().map_or(steps, |rows| steps.seen(rows));
        let rare = rare::lap(&steps).filter(|_| is_host);
        // A lap that some steps have is why those are slow, and said more exactly.
        let slow = step::slow_steps(summary, &steps).filter(|_| is_host);
        let slow = slow.filter(|slow| !rare::explains(rare.as_ref(), slow));
        // Steps that changed, or a machine that was busy, make some slow: laps would tell no more.
        let slow = slow.filter(|slow| !(is_busy || is_unsteady && step::is_unexplained(slow)));
        let slow = slow.filter(|slow| !held::explains(&found, slow));
        let rare = rare.filter(|rare| !held::is_known(&found, rare));
        let starting = starting::of_steps(summary, &steps, &clues.starts);
        let started_ns = starting::in_steps_ns(summary, &steps, &clues.starts);
        let slow = slow.filter(|slow| !starting::explains(started_ns, slow));
        let wait = step::data_wait(summary, &worked, started_ns, clues.workers);
        let waited_ns = started_ns.saturating_add(step::waited_ns(wait.as_ref()));
        found.retain(|one| !devices::waits_for_data(one, waited_ns / steps.processes));
        let slow = slow.filter(|slow| !step::is_waiting(slow, wait.as_ref()));
        let hot = hot::spot(summary, &worked).filter(|hot| !hot::is_known(hot, rare.as_ref()));
        let hot = hot.filter(|hot| !is_busy || hot::is_most(hot));
        let warm_up = run::warm_up(summary, &steps, clues.busy_before);
        let warm_up =
            warm_up.filter(|warm_up| !is_busy && (!is_unsteady || run::stands_out(warm_up)));
        let each = [
            wait,
            starting,
            step::recompilation(&steps),
            rare.filter(|rare| !rare::is_compiling(rare)),
            slow,
            hot,
            warm_up,
            step::memory_bound(summary, &worked),
            around::steps(summary, &steps),
        ];
        found.extend(each.into_iter().flatten());
        let part = function::part(summary, &steps, &found).filter(|_| is_host);
        found.extend(part);
    }
    found.sort_by(|one, other| weight(other, summary).total_cmp(&weight(one, summary)));
    found.truncate(MOST);
    found
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
