//! A window of steps as plain data.

use laptime_core::{PathTally, PhaseName};

use crate::summarize::rows::quantile;

/// A part of the steps.
#[derive(Debug, Clone, PartialEq)]
pub struct StepPhase {
    /// The lap's name.
    pub name: String,
    /// Its time in all steps of the window.
    pub total_ns: u64,
    /// Its share of the steps' time.
    pub share_ratio: f64,
}

/// Some steps, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct StepWindow {
    /// The number of the last of them, counted from 1 since the process began.
    pub step: u64,
    /// Number of steps.
    pub count: u64,
    /// Time of all of them.
    pub total_ns: u64,
    /// Mean time of a step, without the rest of a step that the window before began.
    pub mean_ns: u64,
    /// 95th percentile, known to 1.1 %. `None` where a step of the window before went on in this one, of which only a part
    /// is known.
    pub p95_ns: Option<u64>,
    /// Time of the longest step.
    pub max_ns: u64,
    /// Their phases, in the order in which a step goes through them.
    pub phases: Vec<StepPhase>,
    /// The most host memory that one of them held above its start, where it was counted.
    pub host_memory_peak_bytes: Option<u64>,
    /// Their FLOP per second, where operations are known.
    pub flop_per_s: Option<f64>,
    /// Their FLOP per second over the machine's peak.
    pub mfu_ratio: Option<f64>,
}

impl StepWindow {
    /// Returns the window that ends with step number `step`, from its steps' tally and its phases' times.
    pub fn new<'p>(
        step: u64,
        tally: &PathTally,
        phases: impl Iterator<Item = (&'p str, u64)>,
    ) -> Self {
        let total = tally.total_ns.max(1) as f64;
        let whole_ns = tally.total_ns.saturating_sub(tally.continued_ns);
        let mut phases: Vec<StepPhase> = phases
            .map(|(name, total_ns)| StepPhase {
                name: name.to_owned(),
                total_ns,
                share_ratio: (total_ns as f64 / total).min(1.0),
            })
            .collect();
        // Those of trainings as they follow each other, then the program's own by first use.
        phases.sort_by_key(|phase| PhaseName::of(&phase.name).map_or(u8::MAX, |name| name as u8));
        Self {
            step,
            count: tally.count,
            total_ns: tally.total_ns,
            mean_ns: (whole_ns as f64 / tally.count.max(1) as f64).round() as u64,
            p95_ns: quantile(tally, 0.95).filter(|_| tally.continued == 0),
            max_ns: tally.max_ns,
            phases,
            host_memory_peak_bytes: tally.memory.as_ref().map(|memory| memory.peak_max_bytes),
            flop_per_s: None,
            mfu_ratio: None,
        }
    }

    /// Returns how many steps a second there were, one after the other.
    pub fn steps_per_s(&self) -> Option<f64> {
        (self.total_ns > 0).then(|| self.count as f64 / (self.total_ns as f64 / 1e9))
    }
}
