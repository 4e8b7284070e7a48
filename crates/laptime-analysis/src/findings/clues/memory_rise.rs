//! How memory grows over time, and the function in which it does.

use laptime_core::SampledStack;

use super::function_sums::{FunctionSums, LEAST_SAMPLES, Place, program_function};
use super::interpreter_end::handlers_ended_ns;
use crate::reading::process::Process;
use crate::summarize::memory_growth::{self, Growth};
use crate::summary::finding::MainFunction;

/// The highest speed at which memory may rise while other functions run, as a part of that while the function runs.
const OTHERS_RATIO: f64 = 0.25;

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
        Some(Self {
            growth: rise.growth,
            during_ns: ns as u64,
            function: rising_function(process, rise.from, rise.from + rise.ticks),
            is_sampled: !process.features.stacks.is_empty(),
        })
    }
}

/// Returns the function of the program in which the memory of a process rose, between two ticks: by more than 60 % of
/// what it rose by in all. `None` where too little was sampled, or no function has as much.
///
/// One that always runs has the rise of others that run for moments only. So memory must rise much less while
/// others run.
fn rising_function(process: &Process, from: u64, to: u64) -> Option<MainFunction> {
    let intervals = intervals(process, from, to);
    let risen: f64 = intervals.iter().map(|one| one.bytes).sum();
    let mut sums = FunctionSums::default();
    for Interval { bytes, seen, .. } in &intervals {
        sums.samples += seen.len();
        for place in seen {
            sums.add(*place, bytes / seen.len() as f64);
        }
    }
    let found = sums.main_function(risen).filter(|_| risen > 0.0)?;
    let is_it = |(name, file, _): &Place<'_>| *name == found.name && *file == found.file;
    let rate = |is_meant: &dyn Fn(&Interval<'_>) -> bool| {
        let meant = intervals.iter().filter(|one| is_meant(one));
        let (count, bytes, ticks) = meant.fold((0, 0.0, 0.0), |(count, bytes, ticks), one| {
            (count + 1, bytes + one.bytes, ticks + one.ticks)
        });
        (count >= LEAST_SAMPLES).then(|| bytes / f64::max(ticks, 1.0))
    };
    let inside = rate(&|one| !one.seen.is_empty() && one.seen.iter().all(is_it))?;
    let outside = rate(&|one| !one.seen.is_empty() && !one.seen.iter().any(is_it))?;
    (outside <= OTHERS_RATIO * inside).then_some(found)
}

/// The time from one reading of the level to the next.
struct Interval<'p> {
    ticks: f64,
    /// The bytes by which the level rose.
    bytes: f64,
    /// Functions that were seen.
    seen: Vec<Place<'p>>,
}

fn intervals(process: &Process, from: u64, to: u64) -> Vec<Interval<'_>> {
    let stacks = &process.features.stacks;
    let mut levels: Vec<(u64, i64)> = process.features.recorder_samples.levels().collect();
    levels.retain(|(at, _)| (from..=to).contains(at));
    levels.sort_unstable();
    // Who holds the interpreter allocates: others of its threads wait for it or for something else.
    let mut samples: Vec<&SampledStack> = stacks.samples.iter().collect();
    samples.retain(|sample| sample.has_interpreter || sample.is_running);
    samples.sort_by_key(|sample| sample.ticks);
    let ns_per_tick = process.facts.anchors.mean_ns_per_tick();
    let mut intervals = Vec::new();
    let mut levels = levels.into_iter();
    let Some((mut from, mut before)) = levels.next() else {
        return intervals;
    };
    for (to, after) in levels {
        let first = samples.partition_point(|sample| sample.ticks <= from);
        let last = samples.partition_point(|sample| sample.ticks <= to);
        let next = samples.get(last).filter(|_| first == last);
        let is_in_next = next.is_some_and(|next| {
            let covered = next.stands_for_ns as f64 / ns_per_tick;
            next.ticks as f64 - covered < to as f64
        });
        if is_in_next {
            // Where looks are rarer than levels, an interval is as long as what its sample stands for.
            continue;
        }
        let seen = samples[first..last].iter();
        intervals.push(Interval {
            ticks: (to - from) as f64,
            bytes: (after - before) as f64,
            seen: seen
                .filter_map(|one| program_function(stacks, one.frame))
                .collect(),
        });
        (from, before) = (to, after);
    }
    intervals
}
