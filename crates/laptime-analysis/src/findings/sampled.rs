//! What samples and readings of one process tell together: the function in which its memory rose, and what other
//! threads did while the interpreter waited for them at its end.
//!
//! A sample stands for the time before it. So what happened between two looks is told of the function that was seen
//! then: of single milliseconds that is a guess, of many samples together it is not.

use std::collections::{BTreeMap, HashMap};

use laptime_core::SampledStack;

use super::function::is_library;
use crate::functions::stack_records::Stacks;
use crate::reading::process::Process;
use crate::summary::finding::{MainFunction, ThreadsWait};

/// A function is named that has more than this part of it: surely more than half, of few samples too.
const MOST_RATIO: f64 = 0.6;
/// How fast memory may rise while others run, as a part of how fast it does while the function does.
const OTHERS_RATIO: f64 = 0.25;
/// Of fewer samples that would be known too badly.
const LEAST_SAMPLES: usize = 20;
/// Where the interpreter waits for its threads.
const SHUTDOWN: (&str, &str) = ("_shutdown", "/threading.py");

/// What is added up by function, and by line of it.
#[derive(Default)]
struct Sums<'p> {
    samples: usize,
    own: BTreeMap<(&'p str, &'p str), BTreeMap<u32, f64>>,
}

impl<'p> Sums<'p> {
    fn add(&mut self, (name, file, line): (&'p str, &'p str, u32), amount: f64) {
        let lines = self.own.entry((name, file)).or_default();
        *lines.entry(line).or_default() += amount;
    }

    /// The function that has most of `all`, if that is surely more than half.
    fn longest(&self, all: f64) -> Option<MainFunction> {
        let sum = |lines: &BTreeMap<u32, f64>| lines.values().sum::<f64>();
        let each = self.own.iter();
        let ((name, file), lines) =
            each.max_by(|one, other| sum(one.1).total_cmp(&sum(other.1)))?;
        let (line, _) = lines.iter().max_by(|one, other| one.1.total_cmp(other.1))?;
        let ratio = sum(lines) / all;
        (self.samples >= LEAST_SAMPLES && ratio > MOST_RATIO).then(|| MainFunction {
            name: (*name).to_owned(),
            file: (*file).to_owned(),
            line: *line,
            // What is freed elsewhere makes it more than all.
            ratio: ratio.min(1.0),
        })
    }
}

/// What happened from one reading of the level to the next.
struct Stretch<'p> {
    ticks: f64,
    bytes: f64,
    /// Functions that were seen, with their lines.
    seen: Vec<(&'p str, &'p str, u32)>,
}

/// The function of the program in which the memory of a process rose, between two ticks: in which it rose by more
/// than 60 % of what it rose by in all. `None` where too little was sampled, or no function has as much.
///
/// One that always runs has the rise of others that run for moments only. So memory must rise much less while
/// others run.
pub fn rose_in(process: &Process, from: u64, to: u64) -> Option<MainFunction> {
    let stretches = stretches(process, from, to);
    let risen: f64 = stretches.iter().map(|one| one.bytes).sum();
    let mut sums = Sums::default();
    for Stretch { bytes, seen, .. } in &stretches {
        sums.samples += seen.len();
        for place in seen {
            sums.add(*place, bytes / seen.len() as f64);
        }
    }
    let found = sums.longest(risen).filter(|_| risen > 0.0)?;
    let is_it = |(name, file, _): &(&str, &str, u32)| *name == found.name && *file == found.file;
    let rate = |is_meant: &dyn Fn(&Stretch<'_>) -> bool| {
        let meant = stretches.iter().filter(|one| is_meant(one));
        let (count, bytes, ticks) = meant.fold((0, 0.0, 0.0), |(count, bytes, ticks), one| {
            (count + 1, bytes + one.bytes, ticks + one.ticks)
        });
        (count >= LEAST_SAMPLES).then(|| bytes / f64::max(ticks, 1.0))
    };
    let inside = rate(&|one| !one.seen.is_empty() && one.seen.iter().all(is_it))?;
    let outside = rate(&|one| !one.seen.is_empty() && !one.seen.iter().any(is_it))?;
    (outside <= OTHERS_RATIO * inside).then_some(found)
}

fn stretches(process: &Process, from: u64, to: u64) -> Vec<Stretch<'_>> {
    let stacks = &process.features.stacks;
    let mut levels: Vec<(u64, i64)> = process.features.recorder_samples.levels().collect();
    levels.retain(|(at, _)| (from..=to).contains(at));
    levels.sort_unstable();
    // Who holds the interpreter allocates: others of its threads wait for it or for something else.
    let mut samples: Vec<&SampledStack> = stacks.samples.iter().collect();
    samples.retain(|sample| sample.has_interpreter || sample.is_running);
    samples.sort_by_key(|sample| sample.ticks);
    let between = |pair: &[(u64, i64)]| {
        let ((from, before), (to, after)) = (pair[0], pair[1]);
        let first = samples.partition_point(|sample| sample.ticks <= from);
        let last = samples.partition_point(|sample| sample.ticks <= to);
        let seen = samples[first..last].iter();
        Stretch {
            ticks: (to - from) as f64,
            bytes: (after - before) as f64,
            seen: seen.filter_map(|one| own(stacks, one.frame)).collect(),
        }
    };
    levels.windows(2).map(between).collect()
}

/// How long the interpreter waited for its threads at its end, and the function that these mostly were in then.
pub fn waited_for_threads(process: &Process) -> Option<ThreadsWait> {
    let stacks = &process.features.stacks;
    let ticks = |ns: u64| (ns as f64 / process.facts.anchors.mean_ns_per_tick()) as u64;
    let mut waits: HashMap<u64, (u64, u64, u64)> = HashMap::new();
    for sample in stacks
        .samples
        .iter()
        .filter(|one| is_ending(stacks, one.frame))
    {
        let began = sample.ticks.saturating_sub(ticks(sample.stands_for_ns));
        let wait = waits
            .entry(sample.thread)
            .or_insert((began, sample.ticks, 0));
        *wait = (
            wait.0.min(began),
            wait.1.max(sample.ticks),
            wait.2.saturating_add(sample.stands_for_ns),
        );
    }
    let (thread, (from, to, total_ns)) = waits.into_iter().max_by_key(|(_, wait)| wait.2)?;
    let mut sums = Sums::default();
    let mut all_ns = 0.0;
    let others = stacks.samples.iter().filter(|one| one.thread != thread);
    for sample in others.filter(|one| one.ticks > from && one.ticks <= to) {
        if let Some(place) = own(stacks, sample.frame) {
            sums.samples += 1;
            sums.add(place, sample.stands_for_ns as f64);
            all_ns += sample.stands_for_ns as f64;
        }
    }
    // A thread that waits is looked at less often: then its few samples are all that there is to see.
    sums.samples = sums.samples.max(usize::from(all_ns > 0.0) * LEAST_SAMPLES);
    Some(ThreadsWait {
        total_ns,
        wall_ns: 0,
        function: sums.longest(all_ns),
    })
}

/// The innermost function of the program itself, with its line; where there is none, the innermost of all.
fn own(stacks: &Stacks, innermost: u32) -> Option<(&str, &str, u32)> {
    let mut found = None;
    let mut at = innermost;
    while let Some(frame) = stacks.frames.get(&at) {
        let function = stacks.functions.get(&frame.function)?;
        let place = (function.name.as_str(), function.file.as_str(), frame.line);
        if !is_library(&function.file) {
            return Some(place);
        }
        found = found.or(Some(place));
        at = frame.parent;
    }
    found
}

/// Whether a stack is that of an interpreter that waits for its threads.
fn is_ending(stacks: &Stacks, innermost: u32) -> bool {
    let mut at = innermost;
    while let Some(frame) = stacks.frames.get(&at) {
        let function = stacks.functions.get(&frame.function);
        if frame.parent == 0 {
            return function.is_some_and(|one| is_shutdown(&one.name, &one.file));
        }
        at = frame.parent;
    }
    false
}

/// Whether a function is the one in which the interpreter waits for its threads at its end.
pub fn is_shutdown(name: &str, file: &str) -> bool {
    name == SHUTDOWN.0 && file.ends_with(SHUTDOWN.1)
}

#[cfg(test)]
#[path = "tests/sampled.rs"]
mod tests;
