//! Open-loop load: requests that arrive at a rate, whether or not those before them are done.
//!
//! Latency counts from the arrival that was scheduled, so time in a queue is part of it. A load that only calls when
//! the last call has returned leaves that out: coordinated omission (Tene, *How not to measure latency*,
//! 2013). Requests that were not served before the end count with the time that they had waited by then.

use laptime_core::Unavailable;

use crate::statistics::percentiles::Percentiles;
use crate::statistics::{Question, Random, TooFew};

/// The fewest requests that tell whether a rate is kept up with: three for each batch below.
pub const LEAST_REQUESTS: usize = 30;
/// Batches of successive requests whose means tell how exact the mean of all is.
const BATCHES: usize = 10;
/// 97.5 % quantile of Student's t with a degree of freedom less than there are batches.
const T: f64 = 2.262;

/// The pattern of arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// Arrivals are independent of each other, as those of many users (a Poisson process).
    Poisson,
    /// Arrivals are equally far apart.
    Constant,
}

/// Returns when requests arrive, as distances from the start.
///
/// **Units** nanoseconds; `rate_per_s` in requests a second.
pub fn schedule(rate_per_s: f64, length_ns: f64, arrivals: Arrivals, seed: u64) -> Vec<f64> {
    let gap_ns = 1e9 / rate_per_s;
    let mut random = Random::new(seed);
    let mut at_ns = 0.0;
    let next = || {
        let here_ns = at_ns;
        at_ns += match arrivals {
            Arrivals::Constant => gap_ns,
            Arrivals::Poisson => -gap_ns * (1.0 - random.unit()).ln(),
        };
        Some(here_ns)
    };
    let all = std::iter::from_fn(next);
    all.take_while(|at_ns| *at_ns < length_ns).collect()
}

/// A request that was served.
///
/// **Units** nanoseconds from the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// Moment when its call began.
    pub begun_ns: f64,
    /// Moment when its output was there.
    pub done_ns: f64,
}

/// Latency of a model under load.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Requests a second that were asked for.
    pub rate_per_s: f64,
    /// The pattern of arrivals.
    pub arrivals: Arrivals,
    /// Time from the scheduled arrival to the output. Requests in a queue wait for the same one, so their
    /// latencies depend on each other, and the intervals here are too narrow to be shown.
    pub latency: Percentiles,
    /// Time from the call to the output, without the queue.
    pub service: Percentiles,
    /// Requests that arrived.
    pub arrived: usize,
    /// Requests that were served before the end.
    pub served: usize,
    /// Part of the time between two arrivals that a request takes, on average: from 1 on the queue grows.
    pub busy_ratio: f64,
    /// The 95 % interval of that part, or why there is none.
    pub busy_interval: Result<(f64, f64), TooFew<'static>>,
}

/// A reason why it can't be told whether a rate is kept up with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoAnswer {
    /// Requests are too few.
    TooFew(TooFew<'static>),
    /// The interval of the part of the time between two arrivals that a request takes reaches across all of it.
    AtTheLimit {
        /// Lower end of the interval.
        low: f64,
        /// Upper end of the interval.
        high: f64,
    },
}

impl Load {
    /// Sums up the schedule and the requests that were served, first in first out, until `end_ns`.
    pub fn new(
        (rate_per_s, arrivals): (f64, Arrivals),
        schedule_ns: &[f64],
        requests: &[Request],
        end_ns: f64,
    ) -> Result<Self, Unavailable> {
        if requests.is_empty() {
            return Err(Unavailable("no request arrived".to_owned()));
        }
        let done = requests.iter().map(|request| request.done_ns);
        // Who still waits has waited until the end, at least.
        let done = done.chain(std::iter::repeat(end_ns));
        let waited = schedule_ns.iter().zip(done).map(|(at, done)| done - at);
        let latency_ns: Vec<f64> = waited.map(|ns| ns.max(0.0)).collect();
        let service_ns: Vec<f64> = requests
            .iter()
            .map(|request| request.done_ns - request.begun_ns)
            .collect();
        let busy_ratio = mean(&service_ns) * rate_per_s / 1e9;
        Ok(Self {
            rate_per_s,
            arrivals,
            latency: Percentiles::new(&latency_ns, "request"),
            service: Percentiles::new(&service_ns, "request"),
            arrived: schedule_ns.len(),
            served: requests.len().min(schedule_ns.len()),
            busy_ratio,
            busy_interval: half_width(&service_ns).map(|half_ns| {
                let half = half_ns * rate_per_s / 1e9;
                ((busy_ratio - half).max(0.0), busy_ratio + half)
            }),
        })
    }

    /// Tells whether the model kept up with the rate, or why that can't be told: all requests were served, and the whole
    /// interval of the time that one takes lies below the time between two arrivals (Kleinrock, *Queueing Systems*,
    /// 1975: otherwise the queue grows for ever).
    pub fn kept_up(&self) -> Result<bool, NoAnswer> {
        if self.served < self.arrived {
            return Ok(false);
        }
        let (low, high) = self.busy_interval.map_err(NoAnswer::TooFew)?;
        if low < 1.0 && high > 1.0 {
            return Err(NoAnswer::AtTheLimit { low, high });
        }
        Ok(high <= 1.0)
    }

    /// Tells whether the true percentiles are larger, as requests were cut off.
    pub fn is_at_least(&self) -> bool {
        self.served < self.arrived
    }
}

/// Returns half of the 95 % interval of the mean, from the means of successive batches (Law, *Simulation Modeling and
/// Analysis*, 2015, 9.5.3): a request after a slow one is slow as well, so single ones would tell too much.
fn half_width(service_ns: &[f64]) -> Result<f64, TooFew<'static>> {
    let count = service_ns.len();
    if count < LEAST_REQUESTS {
        return Err(TooFew {
            count,
            noun: "request",
            question: Question::KeepingUp,
            needed: LEAST_REQUESTS,
        });
    }
    let batches =
        (0..BATCHES).map(|at| mean(&service_ns[at * count / BATCHES..(at + 1) * count / BATCHES]));
    let batches: Vec<f64> = batches.collect();
    let centre = mean(&batches);
    let squares = batches.iter().map(|one| (one - centre).powi(2));
    let variance = squares.sum::<f64>() / (BATCHES - 1) as f64;
    Ok(T * (variance / BATCHES as f64).sqrt())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
