//! How memory grows over time, and the function in which it does.

use super::interpreter_end::handlers_ended_ns;
use super::rising_function::RisingFunction;
use crate::reading::process::Process;
use crate::summarize::memory_growth::{self, Growth};
use crate::summary::finding::MainFunction;

/// The growth of memory over time.
#[derive(Debug)]
pub struct MemoryRise {
    /// The line along which it grows.
    pub growth: Growth,
    /// The time in which it does, in ns.
    pub during_ns: u64,
    /// The function in which most of it rose, where stacks were sampled.
    pub function: Option<MainFunction>,
    /// Whether stacks were sampled.
    pub is_sampled: bool,
}

impl MemoryRise {
    /// Measures how the memory of a process grows over time, until the interpreter ends and frees it.
    pub fn of_process(process: &Process) -> Option<Self> {
        let to = handlers_ended_ns(process).map(|ns| process.facts.anchors.timeline().ticks_at(ns));
        let rise =
            memory_growth::over_time(&process.features.recorder_samples, to.unwrap_or(u64::MAX))?;
        let ns = rise.ticks as f64 * process.facts.anchors.mean_ns_per_tick();
        let levels = process.features.recorder_samples.levels();
        let during = rise.from..=rise.from + rise.ticks;
        let rising = RisingFunction::find(process, levels, &during);
        Some(Self {
            growth: rise.growth,
            during_ns: ns as u64,
            function: rising.only,
            is_sampled: !process.features.stacks.is_empty(),
        })
    }
}
