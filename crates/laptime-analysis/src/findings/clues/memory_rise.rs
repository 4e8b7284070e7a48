//! How memory grows over time, and the function in which it does.

use super::program_time;
use super::rising_function::RisingFunction;
use crate::reading::process::Process;
use crate::summarize::even_rise::EvenRise;
use crate::summarize::rising_stretch::RisingStretch;

/// The least number of bytes: less fills no memory.
const LEAST_BYTES: f64 = 1_048_576.0;

/// The growth of memory over time.
#[derive(Debug)]
pub struct MemoryRise {
    /// The line along which it grows.
    pub rise: EvenRise,
    /// The time in which it does, in ns.
    pub during_ns: u64,
    /// The function in which most of it rose, where stacks were sampled.
    pub function: RisingFunction,
    /// Whether stacks were sampled.
    pub is_sampled: bool,
}

impl MemoryRise {
    /// Measures how the memory of a process grows over time, until the interpreter ends and frees it: in the longest
    /// stretch in which it does so evenly.
    pub fn of_process(process: &Process) -> Option<Self> {
        let during = program_time::of_process(process);
        let readings = &process.features.recorder_samples;
        let mut levels: Vec<(u64, i64)> = readings
            .levels()
            .filter(|(at, _)| during.contains(at))
            .collect();
        levels.sort_unstable();
        let first = levels.first()?.0;
        let each = levels.iter();
        let points: Vec<(f64, f64)> = each
            .map(|(at, bytes)| ((at - first) as f64, *bytes as f64))
            .collect();
        let found =
            RisingStretch::find(&points, |part| EvenRise::find(part.to_vec(), LEAST_BYTES))?;
        let stretch = &levels[found.readings];
        let during = stretch.first()?.0..=stretch.last()?.0;
        let ns = found.rise.length * process.facts.anchors.mean_ns_per_tick();
        Some(Self {
            rise: found.rise,
            during_ns: ns as u64,
            function: RisingFunction::find(process, levels.iter().copied(), &during),
            is_sampled: !process.features.stacks.is_empty(),
        })
    }
}
