//! Latency of a model's calls by batch size and device: from durations to percentiles, knee and crossover.
//!
//! Whoever measures asks a [`CasePlan`] whether to call once more, and tells it how long that took; the plan
//! is that of every other benchmark ([`crate::benchmark`]) with single calls as its samples. All cases
//! together are a [`Sweep`]. [`Load`] is about calls that come at a rate instead of one after the other.

mod case;
mod crossover;
mod fields;
mod knee;
mod load;

pub use case::{Call, Case, CasePlan, Figures, LEAST_CALLS, Rate, Transfers};
pub use crossover::{Crossover, crossover};
pub use fields::{CASE_FIELDS, Field, LOAD_FIELDS, Value};
pub use knee::{KNEE_RATIO, Knee, knee};
pub use load::{Arrivals, LEAST_REQUESTS, Load, Request, schedule};

use laptime_core::Unavailable;

/// Cases of one model: devices in the order they were asked for, batch sizes in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// What the model is called.
    pub name: String,
    /// Each device with each batch size.
    pub cases: Vec<Case>,
}

impl Sweep {
    /// The devices, in the order they were asked for.
    pub fn devices(&self) -> Vec<&str> {
        let mut devices: Vec<&str> = Vec::new();
        for case in &self.cases {
            if !devices.contains(&&*case.device) {
                devices.push(&case.device);
            }
        }
        devices
    }

    /// Whether any batch size was measured on a device.
    pub fn is_measured(&self, device: &str) -> bool {
        let mut cases = self.cases.iter();
        cases.any(|case| case.device == device && case.found.is_ok())
    }

    /// The case of a device and a batch size.
    pub fn case(&self, device: &str, batch: u64) -> Option<&Case> {
        let is_it = |case: &&Case| case.device == device && case.batch == batch;
        self.cases.iter().find(is_it)
    }

    /// The batch size from which the throughput of a device rises no more.
    pub fn knee(&self, device: &str) -> Result<Knee, Unavailable> {
        let of_device = || self.cases.iter().filter(|case| case.device == device);
        let rates: Vec<(u64, &Rate)> = of_device()
            .filter_map(|case| Some((case.batch, &case.found.as_ref().ok()?.samples_per_s)))
            .collect();
        match of_device().find_map(|case| case.found.as_ref().err()) {
            Some(why) if rates.is_empty() => Err(why.clone()),
            _ => knee(&rates),
        }
    }

    /// From which batch size on a device is faster than another, transfers included.
    pub fn crossover(&self, base: &str, device: &str) -> Result<Crossover, Unavailable> {
        let found = |device: &str, batch: u64| {
            let figures = self.case(device, batch)?.found.as_ref().ok()?;
            Some(figures.total().p50.as_ref().ok()?.clone())
        };
        let on_base = self.cases.iter().filter(|case| case.device == base);
        let pairs: Vec<_> = on_base
            .filter_map(|case| {
                Some((
                    case.batch,
                    found(base, case.batch)?,
                    found(device, case.batch)?,
                ))
            })
            .collect();
        let absent = |device: &str| {
            let mut cases = self.cases.iter().filter(|case| case.device == device);
            cases.find_map(|case| case.found.as_ref().err().cloned())
        };
        match absent(base).or_else(|| absent(device)) {
            Some(why) if pairs.is_empty() => Err(why),
            _ => crossover(&pairs),
        }
    }
}

#[cfg(test)]
#[path = "tests/inference.rs"]
mod tests;
