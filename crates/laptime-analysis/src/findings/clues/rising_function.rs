//! The function in which memory rises, by what ran between readings of its level.
//!
//! Input are levels of a process's memory, counted or resident, and the stacks that were sampled meanwhile. What rose
//! between two levels is told of the functions that were seen in between.

use std::ops::RangeInclusive;

use laptime_core::SampledStack;

use super::function_sums::{
    FunctionSums, LEAST_SAMPLES, Place, program_function, program_functions,
};
use crate::functions::stack_records::Stacks;
use crate::reading::process::Process;
use crate::summary::finding::MainFunction;

/// The highest speed at which memory may rise while other functions run, as a part of that while the function runs.
const OTHERS_RATIO: f64 = 0.25;
/// The file of the functions that import modules.
const IMPORTS: &str = "<frozen importlib._bootstrap";

/// The function that ran while memory rose. Each of its parts is absent where too little was sampled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RisingFunction {
    /// The function in which memory rises by more than 60 % of what it rises by, and much less while others run.
    pub only: Option<MainFunction>,
    /// The function that ran during more than 60 % of the rise, where what it takes turns with can't be told from it; of a
    /// program that mostly waits or calls several in turn, the one around more than 60 % of its samples at work.
    pub mostly: Option<MainFunction>,
    /// The part of the rise in which modules were imported.
    pub imports_ratio: f64,
}

impl RisingFunction {
    /// Finds the function of the program in which the memory of a process rose, between two ticks.
    ///
    /// One that always runs has the rise of others that run for moments only. So memory must rise much less while
    /// others run.
    pub fn find(
        process: &Process,
        levels: impl Iterator<Item = (u64, i64)>,
        during: &RangeInclusive<u64>,
    ) -> Self {
        let mut levels: Vec<(u64, i64)> = levels.filter(|(at, _)| during.contains(at)).collect();
        levels.sort_unstable();
        let intervals = intervals(process, &levels);
        let risen: f64 = intervals.iter().map(|one| one.bytes).sum();
        if risen <= 0.0 {
            return Self::default();
        }
        let mut sums = FunctionSums::default();
        for Interval { bytes, seen, .. } in &intervals {
            sums.samples += seen.len();
            for place in seen {
                sums.add(*place, bytes / seen.len() as f64);
            }
        }
        let imported = intervals.iter().filter(|one| one.imports);
        let imports_ratio = imported.map(|one| one.bytes).sum::<f64>() / risen;
        let found = sums.main_function(risen);
        let is_only = found
            .as_ref()
            .is_some_and(|found| is_only(&intervals, found));
        let (only, mostly) = if is_only {
            (found, None)
        } else {
            (None, found.or_else(|| busy(process, during)))
        };
        Self {
            only,
            mostly,
            imports_ratio,
        }
    }
}

/// Returns the innermost function of the program that computed, itself or in what it calls, most of the time between two
/// ticks.
fn busy(process: &Process, during: &RangeInclusive<u64>) -> Option<MainFunction> {
    let stacks = &process.features.stacks;
    let at_work = stacks.samples.iter();
    let at_work = at_work.filter(|one| one.is_running && during.contains(&one.ticks));
    let mut looks: Vec<(Vec<Place<'_>>, f64)> = at_work
        .map(|one| {
            (
                program_functions(stacks, one.frame),
                one.stands_for_ns as f64,
            )
        })
        .collect();
    let all_ns = looks.iter().map(|(_, ns)| ns).sum();
    let mut found = None;
    for depth in 0.. {
        let mut sums = FunctionSums::default();
        for (places, ns) in &looks {
            if let Some(place) = places.get(depth) {
                sums.samples += 1;
                sums.add(*place, *ns);
            }
        }
        let most = sums.main_function(all_ns);
        let Some(most) = most.or_else(|| sums.main_of_few(all_ns)) else {
            break;
        };
        looks.retain(|(places, _)| {
            let place = places.get(depth);
            place.is_some_and(|(name, file, _)| *name == most.name && *file == most.file)
        });
        found = Some(most);
    }
    found
}

/// Whether memory rises much less while others run than while a function does.
fn is_only(intervals: &[Interval<'_>], found: &MainFunction) -> bool {
    let is_it = |(name, file, _): &Place<'_>| *name == found.name && *file == found.file;
    let rate = |is_meant: &dyn Fn(&Interval<'_>) -> bool| {
        let meant = intervals.iter().filter(|one| is_meant(one));
        let (count, bytes, ticks) = meant.fold((0, 0.0, 0.0), |(count, bytes, ticks), one| {
            (count + 1, bytes + one.bytes, ticks + one.ticks)
        });
        (count >= LEAST_SAMPLES).then(|| bytes / f64::max(ticks, 1.0))
    };
    let inside = rate(&|one| !one.seen.is_empty() && one.seen.iter().all(is_it));
    let outside = rate(&|one| !one.seen.is_empty() && !one.seen.iter().any(is_it));
    let both = inside.zip(outside);
    both.is_some_and(|(inside, outside)| outside <= OTHERS_RATIO * inside)
}

/// The time from one reading of the level to the next.
struct Interval<'p> {
    ticks: f64,
    /// The bytes by which the level rose.
    bytes: f64,
    /// Functions that were seen.
    seen: Vec<Place<'p>>,
    /// Whether modules were imported.
    imports: bool,
}

fn intervals<'p>(process: &'p Process, levels: &[(u64, i64)]) -> Vec<Interval<'p>> {
    let stacks = &process.features.stacks;
    // Who holds the interpreter allocates: others of its threads wait for it or for something else.
    let mut samples: Vec<&SampledStack> = stacks.samples.iter().collect();
    samples.retain(|sample| sample.has_interpreter || sample.is_running);
    samples.sort_by_key(|sample| sample.ticks);
    let ns_per_tick = process.facts.anchors.mean_ns_per_tick();
    let mut intervals = Vec::new();
    let mut levels = levels.iter().copied();
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
        let seen = &samples[first..last];
        intervals.push(Interval {
            ticks: (to - from) as f64,
            bytes: (after - before) as f64,
            imports: seen.iter().any(|one| is_importing(stacks, one.frame)),
            seen: seen
                .iter()
                .filter_map(|one| program_function(stacks, one.frame))
                .collect(),
        });
        (from, before) = (to, after);
    }
    intervals
}

/// Whether a stack runs below an import.
pub(super) fn is_importing(stacks: &Stacks, innermost: u32) -> bool {
    let mut at = innermost;
    while let Some(frame) = stacks.frames.get(&at) {
        let function = stacks.functions.get(&frame.function);
        if function.is_some_and(|function| function.file.starts_with(IMPORTS)) {
            return true;
        }
        at = frame.parent;
    }
    false
}
