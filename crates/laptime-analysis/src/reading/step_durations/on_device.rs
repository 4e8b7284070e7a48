//! Time of each path in each step on a device, where one tells it.

use std::collections::BTreeMap;

use laptime_core::{DeviceSpan, PathId};

/// Part of the steps with a path in which a device must tell the path's time.
const MOST_RATIO: f64 = 0.9;

/// The time of a path on a device in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum StepDeviceTime {
    /// The device told of no span so far.
    #[default]
    Nothing,
    /// The time of all spans so far, in nanoseconds.
    All(u64),
    /// A time of some spans, and none of others.
    Partly,
}

impl StepDeviceTime {
    fn add(&mut self, span: &DeviceSpan) {
        *self = match (*self, span.times) {
            (Self::Partly, _) | (_, Err(_)) => Self::Partly,
            (Self::Nothing, Ok(times)) => Self::All(times.duration_ns),
            (Self::All(ns), Ok(times)) => Self::All(ns.saturating_add(times.duration_ns)),
        };
    }

    fn ns(self) -> Option<f64> {
        match self {
            Self::All(ns) => Some(ns as f64),
            Self::Nothing | Self::Partly => None,
        }
    }
}

/// Times of one process's steps on devices.
#[derive(Debug, Default)]
pub struct DeviceStepTimes {
    by_path: BTreeMap<PathId, Vec<StepDeviceTime>>,
}

impl DeviceStepTimes {
    /// Adds a span that lies in one of so many steps.
    pub fn add(&mut self, span: &DeviceSpan, at: usize, steps: usize, most_paths: usize) {
        if self.by_path.len() >= most_paths && !self.by_path.contains_key(&span.path) {
            return;
        }
        let told = self.by_path.entry(span.path);
        told.or_insert_with(|| vec![StepDeviceTime::Nothing; steps])[at].add(span);
    }

    /// Returns the durations of a path that ran in so many steps; `None` where too few are told.
    pub fn durations(&self, path: PathId, ran_in: usize) -> Option<Vec<f64>> {
        let told: Vec<f64> = (self.by_path.get(&path)?.iter())
            .filter_map(|told| told.ns())
            .collect();
        let is_most = !told.is_empty() && told.len() as f64 >= MOST_RATIO * ran_in as f64;
        is_most.then_some(told)
    }
}
