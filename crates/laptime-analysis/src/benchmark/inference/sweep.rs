//! All cases of one model, with the knee of each device and the crossover of two.

use super::case::{Case, Rate};
use super::crossover::{Crossover, NoCrossover, crossover};
use super::knee::{Knee, NoKnee, knee};

/// Cases of one model: devices in the order they were asked for, batch sizes in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The model's name.
    pub name: String,
    /// The cases of each device with each batch size.
    pub cases: Vec<Case>,
}

impl Sweep {
    /// Lists the devices, in the order they were asked for.
    pub fn devices(&self) -> Vec<&str> {
        let mut devices: Vec<&str> = Vec::new();
        for case in &self.cases {
            if !devices.contains(&&*case.device) {
                devices.push(&case.device);
            }
        }
        devices
    }

    /// Tells whether any batch size was measured on a device.
    pub fn is_measured(&self, device: &str) -> bool {
        let mut cases = self.cases.iter();
        cases.any(|case| case.device == device && case.found.is_ok())
    }

    /// Returns the case of a device and a batch size.
    pub fn case(&self, device: &str, batch: u64) -> Option<&Case> {
        let is_it = |case: &&Case| case.device == device && case.batch == batch;
        self.cases.iter().find(is_it)
    }

    /// Finds the batch size from which the throughput of a device rises no more.
    pub fn knee(&self, device: &str) -> Result<Knee, NoKnee> {
        let of_device = || self.cases.iter().filter(|case| case.device == device);
        let rates: Vec<(u64, &Rate)> = of_device()
            .filter_map(|case| Some((case.batch, &case.found.as_ref().ok()?.samples_per_s)))
            .collect();
        match of_device().find_map(|case| case.found.as_ref().err()) {
            Some(why) if rates.is_empty() => Err(NoKnee::NotMeasured(why.clone())),
            _ => knee(&rates),
        }
    }

    /// Finds the batch size from which on a device is faster than another, transfers included.
    pub fn crossover(&self, base: &str, device: &str) -> Result<Crossover, NoCrossover> {
        let latency = |device: &str, batch: u64| {
            let figures = self.case(device, batch)?.found.as_ref().ok()?;
            Some(figures.total().p50.as_ref().ok()?.clone())
        };
        let on_base = self.cases.iter().filter(|case| case.device == base);
        let pairs: Vec<_> = on_base
            .filter_map(|case| {
                Some((
                    case.batch,
                    latency(base, case.batch)?,
                    latency(device, case.batch)?,
                ))
            })
            .collect();
        let absent = |device: &str| {
            let mut cases = self.cases.iter().filter(|case| case.device == device);
            cases.find_map(|case| case.found.as_ref().err().cloned())
        };
        match absent(base).or_else(|| absent(device)) {
            Some(why) if pairs.is_empty() => Err(NoCrossover::NotMeasured(why)),
            _ => crossover(&pairs),
        }
    }
}
