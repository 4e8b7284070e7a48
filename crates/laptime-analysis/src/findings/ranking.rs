//! The order of findings: how much of the run each is about.

use std::cmp::Reverse;

use super::evidence::Evidence;
use crate::summary::finding::Finding;

/// Most findings that are told: more would be rows again.
const MOST: usize = 6;

/// The weight of a run's beginning and end: they don't grow with it, and what makes steps slow does.
const PAID_ONCE: f64 = 1.0 / 3.0;
/// The part by which a throttled device is taken to be slower where its clock isn't known.
const UNKNOWN_LOSS: f64 = 0.05;
/// The weight of a device's idle time: what keeps it waiting mostly has a finding of its own.
const IDLE_SHARE: f64 = 0.5;

/// Returns the weightiest findings, the weightiest first. Of two that weigh as much, the first one stays first.
pub fn weightiest(mut found: Vec<Finding>, evidence: &Evidence<'_>) -> Vec<Finding> {
    found.sort_by(|one, other| {
        let by_weight = weight(other, evidence).total_cmp(&weight(one, evidence));
        by_weight.then_with(|| Reverse(leak(one)).cmp(&Reverse(leak(other))))
    });
    found.truncate(MOST);
    found
}

/// Returns the part of the run that a finding is about.
///
/// Infinite where that is no time: time is lost little by little, but memory that grows ends a run, and numbers that
/// can't be trusted come before all that is read from them.
fn weight(finding: &Finding, evidence: &Evidence<'_>) -> f64 {
    let measured_ns = evidence.summary.measured_ns.max(1);
    let share = |ns: u64| ns as f64 / measured_ns as f64;
    match finding {
        Finding::Startup { startup_ns: ns, .. }
        | Finding::Exit { exit_ns: ns, .. }
        | Finding::Compiling { total_ns: ns, .. } => PAID_ONCE * share(*ns),
        Finding::NoSteps { outside_ns: ns, .. }
        | Finding::OutsideSteps { outside_ns: ns, .. }
        | Finding::Overhead {
            recording_ns: ns, ..
        }
        | Finding::DataWait { total_ns: ns, .. }
        | Finding::BetweenSteps { total_ns: ns, .. }
        | Finding::WorkerStarts { total_ns: ns, .. }
        | Finding::Recompilation { total_ns: ns, .. }
        | Finding::Occasional { total_ns: ns, .. }
        | Finding::GarbageCollection { total_ns: ns, .. }
        | Finding::InFunction { total_ns: ns, .. }
        | Finding::MemoryBound { total_ns: ns, .. }
        | Finding::GrowingInputs { extra_ns: ns, .. }
        | Finding::SlowSteps { excess_ns: ns, .. }
        | Finding::WarmUp { warm_up_ns: ns, .. } => share(*ns),
        Finding::ThreadsWait(wait) => share(wait.total_ns),
        Finding::HeldLoop(held) => share(held.total_ns.saturating_add(held.lost_ns)),
        Finding::HotSpot {
            self_ns,
            steps_ns,
            step_path,
            ..
        } => share(in_all_steps(evidence, step_path, *self_ns, *steps_ns)),
        Finding::Throttled {
            ratio,
            slower_ratio,
            during_ns,
            ..
        } => ratio * slower_ratio.unwrap_or(UNKNOWN_LOSS) * share(*during_ns),
        Finding::IdleDevice {
            utilization_ratio,
            during_ns,
            ..
        } => IDLE_SHARE * (1.0 - utilization_ratio) * share(*during_ns),
        // A script without steps may collect what it is meant to: that is told after all that takes time.
        Finding::ResidentGrowth { path: None, .. } => 0.0,
        Finding::Unsteady { .. }
        | Finding::MemoryGrowth { .. }
        | Finding::MemoryRise { .. }
        | Finding::ResidentGrowth { .. }
        | Finding::DeviceGrowth { .. }
        | Finding::Ranks { .. } => f64::INFINITY,
    }
}

/// Returns a part of steady steps scaled to all steps, those of warm-up included.
fn in_all_steps(evidence: &Evidence<'_>, path: &str, part_ns: u64, steady_ns: u64) -> u64 {
    let mut rows = evidence.summary.rows.iter();
    let all_ns = rows.find(|row| row.path == path).map(|row| row.total_ns);
    let ratio = part_ns as f64 / steady_ns.max(1) as f64;
    (ratio * all_ns.unwrap_or(steady_ns) as f64) as u64
}

/// Returns the bytes that each step leaves, and how far that may be off: of two leaks the larger comes first, and a leak
/// before what isn't one.
fn leak(finding: &Finding) -> (u64, u64) {
    match finding {
        Finding::MemoryGrowth {
            per_step_bytes,
            uncertainty_bytes,
            ..
        } => (*per_step_bytes, *uncertainty_bytes),
        _ => (0, 0),
    }
}
