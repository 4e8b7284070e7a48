//! Open-loop load: requests that arrive at a rate, whether or not those before them are done.
//!
//! Latency counts from the arrival that was scheduled, so time in a queue is part of it. Who only calls when
//! the last call has returned leaves that out: coordinated omission (Tene, *How not to measure latency*,
//! 2013). Requests that were not served before the end count with the time that they had waited by then.

use laptime_core::Unavailable;

use crate::percentiles::Percentiles;
use crate::statistics::Random;

/// How requests arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// Independent of each other, as those of many users (a Poisson process).
    Poisson,
    /// Equally far apart.
    Constant,
}

/// When requests arrive, as distances from the start.
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
    /// When its call began.
    pub begun_ns: f64,
    /// When its output was there.
    pub done_ns: f64,
}

/// What a model does under load.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Requests a second that were asked for.
    pub rate_per_s: f64,
    /// How they arrived.
    pub arrivals: Arrivals,
    /// From the scheduled arrival to the output. Requests in a queue wait for the same one, so their
    /// latencies depend on each other, and the intervals here are too narrow to be shown.
    pub latency: Percentiles,
    /// From the call to the output, without the queue.
    pub service: Percentiles,
    /// Requests that arrived.
    pub arrived: usize,
    /// Requests that were served before the end.
    pub served: usize,
    /// Part of the time between two arrivals that a request takes, on average: from 1 on the queue grows.
    pub busy_ratio: f64,
}

impl Load {
    /// From the schedule and the requests that were served, first in first out, until `end_ns`.
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
        let mean_ns = service_ns.iter().sum::<f64>() / service_ns.len() as f64;
        Ok(Self {
            rate_per_s,
            arrivals,
            latency: Percentiles::new(&latency_ns, "request"),
            service: Percentiles::new(&service_ns, "request"),
            arrived: schedule_ns.len(),
            served: requests.len().min(schedule_ns.len()),
            busy_ratio: mean_ns * rate_per_s / 1e9,
        })
    }

    /// Whether it kept up with the rate: all requests were served, and one takes less than the time between
    /// two arrivals (Kleinrock, *Queueing Systems*, 1975: otherwise the queue grows for ever).
    pub fn kept_up(&self) -> bool {
        self.served == self.arrived && self.busy_ratio < 1.0
    }

    /// Whether the true percentiles are larger, as requests were cut off.
    pub fn is_at_least(&self) -> bool {
        self.served < self.arrived
    }
}
