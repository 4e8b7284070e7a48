//! What was seen of each thread, as samples that stand for the time since the look before.
//!
//! A thread that has used no processor time since it was looked at is where it was: it isn't read
//! again, and its looks are taken together as one sample. Policy without a clock: it is told moments
//! and times.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use laptime_core::Runner;

/// A sample of a thread that stands still is written after so much of its time, or after [`HELD_PART`] of the time
/// since the first look: of a program that is killed, no more is missing.
const MOST_HELD_NS: u64 = 1_000_000_000;
/// Of a short program a second is much.
const HELD_PART: u64 = 16;
/// From so many threads on it is as much longer as there are more of them: of hundreds that stand still, what they write
/// would leave no room for the one that works.
const FEW_THREADS: u64 = 16;
/// With many threads each waits longer, so that a program of hundreds that stand still writes no more than one of
/// a few: some ten bytes a sample.
const HELD_FOR_EACH_NS: u64 = 300_000_000;

/// Looks' time that may be told as running later than it was used.
const MOST_KEPT_LOOKS: u64 = 16;

/// The name of what runs when an object goes.
const FINALIZER: &str = "__del__";

/// A function that was seen on a stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SeenFunction {
    /// Its qualified name.
    pub name: String,
    /// The file that it stands in.
    pub file: String,
}

/// A function on a stack, in one of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFrame {
    /// The function.
    pub function: Arc<SeenFunction>,
    /// The line that runs, from 1; 0 where it isn't known.
    pub line: u32,
}

/// One thread's stack, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenStack {
    /// Whether the thread held the interpreter's lock.
    pub has_interpreter: bool,
    /// Who ran on it.
    pub runner: Runner,
    /// How often the thread had changed its context, where that was read together with who ran.
    pub turn: Option<u64>,
    /// Whether others of the event loop that it runs were ready.
    pub others_ready: bool,
    /// Whether it collects garbage: the interpreter does, and only the thread with its lock can.
    pub is_collecting: bool,
    /// Its functions, the innermost first; `None` where they could not be read while it went on.
    pub frames: Option<Vec<SeenFrame>>,
}

/// What a thread was doing, and for how long it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// When, in ticks.
    pub ticks: u64,
    /// How far that may be off.
    pub within_ns: u64,
    /// The time since the thread was looked at before.
    pub stands_for_ns: u64,
    /// The system's id of the thread; 0 when not even the threads could be read.
    pub thread: u64,
    /// Whether it had a processor rather than waited. Of threads that wait for a processor so many count as running as
    /// the program has processors.
    pub is_running: bool,
    /// Whether it changed no context since it was looked at before.
    pub in_same_turn: bool,
    /// Its stack; `None` when not even the threads could be read.
    pub stack: Option<Arc<SeenStack>>,
}

/// When a thread was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The look's number.
    pub look: u64,
    /// In ticks.
    pub ticks: u64,
    /// How far that may be off.
    pub within_ns: u64,
    /// In ns.
    pub ns: u64,
}

/// What the system said of a thread at a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looked {
    /// The system's id of the thread.
    pub thread: u64,
    /// The processor time that it has used, where that is known.
    pub used_ns: Option<u64>,
    /// Whether it had a processor, or waited for one.
    pub is_running: bool,
    /// Whether it used processor time while it was looked at.
    pub is_on_processor: bool,
}

/// A thread, as it was seen last.
#[derive(Debug)]
struct Known {
    used_ns: Option<u64>,
    is_running: bool,
    stack: Arc<SeenStack>,
    /// The last look, and until when its time is counted.
    moment: Moment,
    /// Time in which it stood still that no sample stands for yet.
    held_ns: u64,
}

impl SeenStack {
    /// Whether it runs what the program does when an object goes. In a collection that is the program's own time, and
    /// it may leave the lock to another thread, which then doesn't collect.
    fn has_finalizer(&self) -> bool {
        let is_finalizer =
            |frame: &SeenFrame| frame.function.name.rsplit('.').next() == Some(FINALIZER);
        self.frames.iter().flatten().any(is_finalizer)
    }
}

/// All threads, as they were seen last.
#[derive(Debug, Default)]
pub struct Seen {
    threads: HashMap<u64, Known>,
    /// The first look, in ns.
    first_ns: Option<u64>,
    /// What is ready to be written.
    samples: Vec<Sample>,
    /// Threads that this look found to have a processor, or to wait for one.
    runnable: Vec<Runnable>,
    /// Processor time that threads used by this look, and not yet told as running.
    used_ns: u64,
}

/// A thread that has a processor, or waits for one.
#[derive(Debug)]
struct Runnable {
    /// Whether it had the interpreter or a processor at the moment of the look.
    is_now: bool,
    /// The processor time that it used since the look before.
    since_ns: u64,
    thread: u64,
    /// The place of its sample; `None` for one that stands still and has none yet.
    sample: Option<usize>,
}

impl Known {
    fn held(&mut self, thread: u64) -> Option<Sample> {
        let stands_for_ns = std::mem::take(&mut self.held_ns);
        // What uses no processor can't have changed it.
        (stands_for_ns > 0).then(|| self.sample(thread, stands_for_ns, true))
    }

    fn sample(&self, thread: u64, stands_for_ns: u64, in_same_turn: bool) -> Sample {
        Sample {
            ticks: self.moment.ticks,
            within_ns: self.moment.within_ns,
            stands_for_ns,
            thread,
            is_running: self.is_running,
            in_same_turn,
            stack: Some(Arc::clone(&self.stack)),
        }
    }
}

impl Seen {
    /// Counts the time of a thread that is where it was, which is when it has used no processor time;
    /// whether it is.
    pub fn stands_still(&mut self, thread: u64, used_ns: Option<u64>, moment: Moment) -> bool {
        let threads = self.threads.len() as u64;
        let for_all_ns = HELD_FOR_EACH_NS.saturating_mul(threads);
        let known = self.threads.get_mut(&thread);
        let Some(known) = known.filter(|known| used_ns.is_some() && known.used_ns == used_ns)
        else {
            return false;
        };
        // A stack that could not be read may be readable now.
        if known.stack.frames.is_none() {
            return false;
        }
        known.held_ns += moment.ns.saturating_sub(known.moment.ns);
        known.moment = moment;
        let first_ns = *self.first_ns.get_or_insert(moment.ns);
        let looked_ns = moment.ns.saturating_sub(first_ns);
        let of_short_ns = looked_ns / HELD_PART * threads.div_ceil(FEW_THREADS);
        let is_long = known.held_ns >= MOST_HELD_NS.max(for_all_ns).min(of_short_ns);
        let written = if is_long { known.held(thread) } else { None };
        if known.is_running {
            self.runnable.push(Runnable {
                is_now: false,
                since_ns: 0,
                thread,
                sample: written.is_some().then_some(self.samples.len()),
            });
        }
        self.samples.extend(written);
        true
    }

    /// Takes in a stack that was read. A thread that is new counts from `since_ns` on.
    pub fn take(&mut self, looked: Looked, stack: SeenStack, moment: Moment, since_ns: u64) {
        let Looked {
            thread,
            used_ns,
            is_running,
            is_on_processor,
        } = looked;
        let has_interpreter = stack.has_interpreter;
        let mut before = self.threads.remove(&thread);
        let since_ns = before.as_ref().map_or(since_ns, |known| known.moment.ns);
        let held = before.as_mut().and_then(|known| known.held(thread));
        let turn_before = before.as_ref().and_then(|known| known.stack.turn);
        let in_same_turn = turn_before.is_some() && turn_before == stack.turn;
        let used_before_ns = before.as_ref().and_then(|known| known.used_ns);
        let ran_ns = used_ns
            .unwrap_or(0)
            .saturating_sub(used_before_ns.unwrap_or(0));
        self.used_ns = self.used_ns.saturating_add(ran_ns);
        let known = Known {
            used_ns,
            is_running,
            stack: Arc::new(stack),
            moment,
            held_ns: 0,
        };
        let sample = known.sample(thread, moment.ns.saturating_sub(since_ns), in_same_turn);
        self.threads.insert(thread, known);
        self.samples.extend(held);
        self.samples.push(sample);
        if is_running {
            self.runnable.push(Runnable {
                is_now: has_interpreter || is_on_processor,
                since_ns: ran_ns,
                thread,
                sample: Some(self.samples.len() - 1),
            });
        }
    }

    /// Ends a look of a program that has so many processors, so long after the one before: no more threads than these
    /// ran, and beside the first one no more than the processor time allows that was used. Of more that could have run it
    /// is those that were seen to run, then those that used most processor time since the look before; the others waited for the interpreter or a processor.
    pub fn share_processors(&mut self, processors: u64, since_ns: u64) {
        let mut runnable = std::mem::take(&mut self.runnable);
        runnable.sort_by_key(|one| Reverse((one.is_now, one.since_ns)));
        // The nearest number: what is left over, either way, is of the looks that follow.
        let used = (self.used_ns + since_ns / 2) / since_ns.max(1);
        let most = usize::try_from(processors.min(used).max(1)).unwrap_or(usize::MAX);
        let running = runnable.len().min(most);
        let told_ns = since_ns.saturating_mul(running as u64);
        let kept_ns = since_ns.saturating_mul(MOST_KEPT_LOOKS);
        self.used_ns = self.used_ns.saturating_sub(told_ns).min(kept_ns);
        for waiting in &runnable[running..] {
            let sample = waiting.sample.and_then(|at| self.samples.get_mut(at));
            if let Some(sample) = sample {
                sample.is_running = false;
            }
            if let Some(known) = self.threads.get_mut(&waiting.thread) {
                known.is_running = false;
            }
        }
    }

    /// Ends a look at which garbage was collected: while an object is told that it goes, nobody collects.
    pub fn check_collections(&mut self) {
        let stacks = || self.threads.values().map(|known| &known.stack);
        let is_collecting = stacks().any(|stack| stack.is_collecting);
        if !is_collecting || !stacks().any(|stack| stack.has_finalizer()) {
            return;
        }
        let threads = self.threads.values_mut().map(|known| &mut known.stack);
        let samples = self.samples.iter_mut();
        let samples = samples.filter_map(|sample| sample.stack.as_mut());
        for stack in threads.chain(samples).filter(|stack| stack.is_collecting) {
            Arc::make_mut(stack).is_collecting = false;
        }
    }

    /// Takes in a look at which not even the threads could be read.
    pub fn take_unread(&mut self, moment: Moment, since_ns: u64) {
        self.samples.push(Sample {
            ticks: moment.ticks,
            within_ns: moment.within_ns,
            stands_for_ns: moment.ns.saturating_sub(since_ns),
            thread: 0,
            is_running: false,
            in_same_turn: false,
            stack: None,
        });
        for known in self.threads.values_mut() {
            known.moment.ns = moment.ns;
        }
    }

    /// Forgets threads that a look did not see any more.
    pub fn keep_those_of(&mut self, look: u64) {
        let samples = &mut self.samples;
        self.threads.retain(|thread, known| {
            let is_there = known.moment.look == look;
            if !is_there {
                samples.extend(known.held(*thread));
            }
            is_there
        });
    }

    /// What is ready to be written.
    pub fn ready(&mut self) -> std::vec::Drain<'_, Sample> {
        self.samples.drain(..)
    }

    /// No look follows: what stands still has its time too.
    pub fn finish(&mut self) {
        self.keep_those_of(u64::MAX);
    }
}

#[cfg(test)]
#[path = "seen_tests.rs"]
mod tests;
