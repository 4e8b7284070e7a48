//! One batch size on one device: the plan of its calls, and their figures.

use laptime_core::Unavailable;

use super::load::Load;
use crate::benchmark::limits::{Limits, Next};
use crate::benchmark::outcome::{Doubt, Outcome};
use crate::benchmark::plan::Plan;
use crate::statistics::percentiles::{Percentile, Percentiles};

/// The fewest calls after warm-up where the budget allows: ten of them lie beyond the 99th percentile.
pub const LEAST_CALLS: usize = 1_000;

/// Time of one call.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// Time from the call until the device is done, with its input there already.
    pub compute_ns: f64,
    /// Time of input to the device and of output back; none where both are there anyway.
    pub transfers_ns: Option<(f64, f64)>,
    /// CPU time of the process.
    pub cpu_ns: f64,
    /// Tokens in the output, where they are counted.
    pub tokens: Option<u64>,
}

impl Call {
    /// Returns the time of the call with its transfers.
    fn total_ns(&self) -> f64 {
        let (into, out) = self.transfers_ns.unwrap_or((0.0, 0.0));
        self.compute_ns + into + out
    }
}

/// The plan of a case: whether to call once more, by the time of the calls so far.
///
/// The first call stands alone and costs the budget nothing: it may compile for minutes.
#[derive(Debug, Clone)]
pub struct CasePlan {
    plan: Plan,
    first: Option<Call>,
    /// Calls after the first.
    calls: Vec<Call>,
}

impl CasePlan {
    /// Returns a plan that has not begun.
    pub fn new(limits: Limits) -> Self {
        Self {
            plan: Plan::of_single_runs(limits, LEAST_CALLS),
            first: None,
            calls: Vec::new(),
        }
    }

    /// Tells whether to call once more.
    pub fn goes_on(&self) -> bool {
        !matches!(self.plan.next(), Next::Done(_))
    }

    /// Adds the time of a call.
    pub fn add_call(&mut self, call: Call) {
        if self.first.is_none() {
            self.first = Some(call);
            return;
        }
        self.plan.add_run(call.total_ns(), call.cpu_ns);
        self.calls.push(call);
    }

    /// Returns the figures so far, of batches of this size; `None` before the second call.
    pub fn figures(&self, batch: u64) -> Option<Figures> {
        let mut outcome = self.plan.outcome()?;
        let steady = &self.calls[outcome.warmup.min(self.calls.len())..];
        let has_transfers = steady.iter().any(|call| call.transfers_ns.is_some());
        if has_transfers {
            // The processor waits while another device computes.
            let waited = |doubt: &Doubt| matches!(doubt, Doubt::Waited(_));
            outcome.doubts.retain(|doubt| !waited(doubt));
        }
        let compute_ns: Vec<f64> = steady.iter().map(|call| call.compute_ns).collect();
        let tokens: Option<Vec<f64>> = steady
            .iter()
            .map(|call| Some(call.compute_ns / call.tokens.filter(|count| *count > 0)? as f64))
            .collect();
        Some(Figures {
            first_ns: self.first?.total_ns(),
            warmup: 1 + outcome.warmup,
            latency: Percentiles::new(&compute_ns, "call"),
            transfers: has_transfers.then(|| Transfers::of_calls(steady)),
            samples_per_s: Rate::of_durations(&compute_ns, batch as f64)?,
            tokens_per_s: tokens.and_then(|each| Rate::of_durations(&each, 1.0)),
            calls_ns: compute_ns,
            outcome,
            load: None,
        })
    }
}

/// Transfers to a device and back.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfers {
    /// Time of input to the device.
    pub into: Percentiles,
    /// Time of output back to the host.
    pub out: Percentiles,
    /// Time of both, with the computation between them.
    pub total: Percentiles,
}

impl Transfers {
    fn of_calls(calls: &[Call]) -> Self {
        let column = |pick: &dyn Fn(&Call) -> f64| {
            let each: Vec<f64> = calls.iter().map(pick).collect();
            Percentiles::new(&each, "call")
        };
        Self {
            into: column(&|call| call.transfers_ns.unwrap_or_default().0),
            out: column(&|call| call.transfers_ns.unwrap_or_default().1),
            total: column(&Call::total_ns),
        }
    }
}

/// Work in a second, one call after the other: the work of a call over the median latency.
#[derive(Debug, Clone, PartialEq)]
pub struct Rate {
    /// Work in a second.
    pub per_s: f64,
    /// Interval that holds the true rate with 95 % confidence, or why there is none.
    pub interval: Result<(f64, f64), Unavailable>,
}

impl Rate {
    /// Returns the rate of durations that each are so much work; `None` where they are no time at all.
    fn of_durations(durations_ns: &[f64], work: f64) -> Option<Self> {
        let Percentile {
            value_ns,
            interval_ns,
        } = Percentiles::new(durations_ns, "call").p50.ok()?;
        let per_s = |ns: f64| work / ns * 1e9;
        (value_ns > 0.0).then(|| Self {
            per_s: per_s(value_ns),
            interval: interval_ns.map(|(low, high)| (per_s(high), per_s(low))),
        })
    }

    /// Returns the interval, or the rate alone as one without a width.
    pub(super) fn bounds(&self) -> (f64, f64) {
        let bounds = self.interval.as_ref().ok().copied();
        bounds.unwrap_or((self.per_s, self.per_s))
    }
}

/// The figures of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Time of the first call of all, with its transfers.
    pub first_ns: f64,
    /// Calls before steady state, the first one among them.
    pub warmup: usize,
    /// Latency of the computation, in steady state.
    pub latency: Percentiles,
    /// Transfers to the device and back; none where the input is on the device that computes.
    pub transfers: Option<Transfers>,
    /// Samples in a second.
    pub samples_per_s: Rate,
    /// Tokens in a second, where they are counted.
    pub tokens_per_s: Option<Rate>,
    /// Time of each call in steady state, in the order they were measured, without transfers.
    pub calls_ns: Vec<f64>,
    /// Ending and doubts.
    pub outcome: Outcome,
    /// Latency at a rate, if one was asked for.
    pub load: Option<Load>,
}

impl Figures {
    /// Returns the latency with transfers, which is that of the computation where there are none.
    pub fn total(&self) -> &Percentiles {
        let transfers = self.transfers.as_ref();
        transfers.map_or(&self.latency, |transfers| &transfers.total)
    }

    /// Returns how many times as long as the median call the first one took.
    pub fn first_ratio(&self) -> Option<f64> {
        let p50_ns = self.total().p50.as_ref().ok()?.value_ns;
        (p50_ns > 0.0).then(|| self.first_ns / p50_ns)
    }
}

/// One batch size on one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The device that it ran on.
    pub device: String,
    /// Samples in a call.
    pub batch: u64,
    /// The figures, or why it could not be measured.
    pub found: Result<Figures, Unavailable>,
}
