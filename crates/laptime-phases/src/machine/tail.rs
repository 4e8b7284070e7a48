//! The phases of a unit that nothing has settled.
//!
//! A forward belongs to the step whose backward follows it. Until that comes, or something shows that
//! none will, it waits here, and so do the batches around it. How many there are of a kind is counted as they
//! come: an episode has thousands of forwards, and each asks.

use std::sync::Arc;

use super::part::{Entry, Part};
use crate::loader::Iteration;

/// Phases in the order of their times.
#[derive(Debug, Default)]
pub struct Tail {
    entries: Vec<Entry>,
    counts: Counts,
}

/// How many there are of a kind.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    forwards: usize,
    /// Forwards with gradients.
    trained: usize,
    batches: usize,
    /// Waits for data, batches among them.
    data: usize,
    zeroed: usize,
    /// Written, or with laps inside that were.
    fixed: usize,
}

impl Counts {
    fn of(entries: &[Entry]) -> Self {
        let mut counts = Self::default();
        for entry in entries {
            counts.add(entry);
        }
        counts
    }

    fn add(&mut self, entry: &Entry) {
        match &entry.part {
            Part::Forward(called) => {
                self.forwards += 1;
                self.trained += usize::from(called.grad);
            }
            Part::Batch(_) => {
                self.batches += 1;
                self.data += 1;
            }
            Part::Start(_) | Part::End(_) => self.data += 1,
            Part::Zero => self.zeroed += 1,
            Part::Other => {}
        }
        self.fixed += usize::from(entry.is_fixed);
    }
}

impl Tail {
    /// Nothing, with room for so many.
    pub fn with_capacity(count: usize) -> Self {
        Self {
            entries: Vec::with_capacity(count),
            counts: Counts::default(),
        }
    }

    /// Those of something that is over.
    pub fn new(entries: Vec<Entry>) -> Self {
        let counts = Counts::of(&entries);
        Self { entries, counts }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds one.
    pub fn push(&mut self, entry: Entry) {
        self.counts.add(&entry);
        self.entries.push(entry);
    }

    /// Puts one between the others.
    pub fn insert(&mut self, index: usize, entry: Entry) {
        self.counts.add(&entry);
        self.entries.insert(index, entry);
    }

    /// All of them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The flags of all of them are changed.
    pub fn each(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    /// Takes them all out, in order.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Entry> {
        self.counts = Counts::default();
        self.entries.drain(..)
    }

    /// Takes out those before an index.
    pub fn take_before(&mut self, index: usize) -> Vec<Entry> {
        if index >= self.entries.len() {
            self.counts = Counts::default();
            return std::mem::take(&mut self.entries);
        }
        let rest = self.entries.split_off(index);
        let before = std::mem::replace(&mut self.entries, rest);
        self.counts = Counts::of(&self.entries);
        before
    }

    /// How many starts of passes there are before anything else.
    pub fn leading_starts(&self) -> usize {
        let starts = self.entries.iter().take_while(|entry| entry.is_start());
        starts.count()
    }

    /// When the first began.
    pub fn start(&self) -> Option<u64> {
        self.entries.first().map(|first| first.held.start)
    }

    /// Whether something of them was written under the name of the moment.
    pub fn is_fixed(&self) -> bool {
        self.counts.fixed > 0
    }

    /// Whether something of those from an index on was written under the name of the moment.
    pub fn is_fixed_from(&self, index: usize) -> bool {
        self.is_fixed() && self.entries.iter().skip(index).any(|entry| entry.is_fixed)
    }

    /// They are of a step of their own, and go on with none before it.
    pub fn begin_anew(&mut self) {
        if let Some(first) = self.entries.iter_mut().find(|entry| entry.is_zero()) {
            first.goes_on_if(false);
        }
    }

    /// How many modules were called.
    pub fn forward_count(&self) -> usize {
        self.counts.forwards
    }

    /// The modules that were called with gradients.
    pub fn learners(&self) -> impl Iterator<Item = usize> {
        self.entries.iter().filter_map(Entry::learner)
    }

    /// Whether there are calls of modules and nothing else.
    pub fn is_only_forwards(&self) -> bool {
        !self.is_empty() && self.counts.forwards == self.len()
    }

    /// Whether the calls of modules would be one evaluation.
    pub fn is_one_evaluation(&self) -> bool {
        let calls = self.entries.iter().filter_map(|entry| entry.part.called());
        calls.filter(|called| called.begins).count() == 1
    }

    /// Whether modules were called, and none of them with gradients.
    pub fn has_only_answers(&self) -> bool {
        self.counts.forwards > 0 && self.counts.trained == 0
    }

    /// Whether modules were called, and data was waited for.
    pub fn has_forwards_and_data(&self) -> bool {
        self.counts.forwards > 0 && self.counts.data > 0
    }

    /// Whether weights were zeroed.
    pub fn has_zeroed(&self) -> bool {
        self.counts.zeroed > 0
    }

    /// Whether weights were zeroed, and nothing else was done.
    pub fn is_only_zeroed(&self) -> bool {
        !self.is_empty() && self.counts.zeroed == self.len()
    }

    /// How many batches there are.
    pub fn batch_count(&self) -> usize {
        self.counts.batches
    }

    /// The passes that the batches are of.
    pub fn iterations(&self) -> impl DoubleEndedIterator<Item = &Arc<Iteration>> {
        let batches = self.entries.iter().filter(|entry| entry.is_batch());
        batches.filter_map(|entry| entry.part.iteration())
    }

    /// The pass that the last batch is of.
    pub fn last_iteration(&self) -> Option<Arc<Iteration>> {
        self.iterations().next_back().cloned()
    }

    /// When the last batch was there.
    pub fn last_batch_end(&self) -> Option<u64> {
        let last = self.entries.iter().rfind(|entry| entry.is_batch());
        last.map(Entry::end)
    }

    /// Whether the last batch has been given to no module.
    pub fn has_unused_batch(&self) -> bool {
        self.has_unused_batch_before(self.len())
    }

    /// Whether a batch lies between a forward and the end.
    pub fn has_batch_after_forward(&self) -> bool {
        self.counts.forwards > 0 && self.has_unused_batch()
    }

    /// Whether a batch before an index waits for its forward.
    pub fn has_unused_batch_before(&self, index: usize) -> bool {
        if self.counts.batches == 0 {
            return false;
        }
        let uses = |entry: &Entry| entry.part.called().is_some_and(|called| called.uses_batch);
        let is_either = |entry: &&Entry| entry.is_batch() || uses(entry);
        let last = self.entries[..index].iter().rev().find(is_either);
        last.is_some_and(Entry::is_batch)
    }
}
