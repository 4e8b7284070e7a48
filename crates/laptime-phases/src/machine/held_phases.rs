//! What a unit holds back: its phases that nothing has settled, and what came before it was opened.

use laptime_core::SpanFlags;

use super::part::Entry;
use super::phase::Phase;
use super::tail::Tail;
use super::unit::{Unit, UnitState};
use super::write_unit;
use crate::laps::{Held, Laps, SpanId, flag_if};

/// Phases that a unit holds back at most, 200 bytes each; further ones are written under its name of the
/// moment.
const MOST_HELD: usize = 1 << 14;

/// What goes on with something of another name is a part of it.
pub fn as_part(flags: SpanFlags, is_astray: bool) -> SpanFlags {
    let is_part = is_astray && flags.has(SpanFlags::CONTINUES);
    flags.with(flag_if(is_part, SpanFlags::UNFINISHED))
}

impl Unit {
    /// Ends a phase of the unit: holds it back, or writes it where that isn't needed or possible.
    pub fn end(&mut self, laps: &dyn Laps, phase: &Phase, span: SpanId, end: u64) {
        let waits = !self.is_settled() || !self.tail.is_empty() || phase.waits();
        if !waits || self.is_full() {
            laps.close(span, end, self.as_it_stands(phase.flags));
            self.settled_until = end;
            return;
        }
        let is_named = laps.last_written() != phase.written;
        let taken = self.holds(span).then(|| laps.suspend(span)).flatten();
        let is_written = taken.is_none();
        if is_written {
            laps.close(span, end, self.as_it_stands(phase.flags));
        }
        self.tail.push(Entry {
            held: phase.held(taken.as_ref(), end),
            part: phase.part.clone(),
            is_fixed: is_named || is_written,
            is_written,
            is_apart: false,
        });
    }

    /// Writes the phases that the unit held back: it stays what it is.
    pub fn settle(&mut self, laps: &dyn Laps) {
        self.settle_before(laps, self.tail.len());
        self.state = UnitState::Settled;
    }

    /// Writes the phases before an index.
    pub fn settle_before(&mut self, laps: &dyn Laps, index: usize) {
        self.write_before(laps);
        let (path, is_astray) = (self.path, self.is_astray());
        for entry in self.tail.take_before(index) {
            self.settled_until = entry.end();
            if !entry.is_written {
                let flags = as_part(entry.held.flags, is_astray);
                laps.emit(
                    &Held {
                        flags,
                        ..entry.held
                    },
                    path,
                );
            }
        }
    }

    /// Writes what came before the unit as pieces of it, which goes on with them.
    fn write_before(&mut self, laps: &dyn Laps) {
        let mut before = std::mem::take(&mut self.before);
        if before.is_empty() {
            return;
        }
        let goes_on = self.goes_on();
        for (index, entry) in before.iter_mut().enumerate() {
            let flags = if self.is_aside {
                entry.is_part(); // the unit has another name
                SpanFlags::UNFINISHED
            } else {
                flag_if(goes_on || index > 0, SpanFlags::CONTINUES)
            };
            let piece = std::slice::from_ref(entry);
            write_unit::write(laps, self.kind, self.parent, piece, entry.end(), flags);
        }
        if self.is_aside {
            // Under its own name the first wait for a batch goes on with nothing.
            let mut batches = self.tail.each().filter(|entry| entry.is_batch());
            if let Some(first) = batches.next() {
                first.goes_on_if(false);
            }
        } else if !goes_on {
            self.is_piece(laps, None);
        }
    }

    /// What came of the unit's batches before it was opened, as far as it lies in the same place.
    pub fn came_before(&mut self, entries: impl Iterator<Item = Entry>) {
        self.before.extend(entries);
        self.before.sort_by_key(|entry| entry.held.start);
    }

    /// What came before the unit is a part of another one.
    pub fn take_what_came_before(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.before)
    }

    /// Where weights were zeroed before the unit was opened, that is the first of what its optimizer does, of so many
    /// parts in the step so far.
    pub fn order_zeroed(&mut self, updates: u32) {
        if self.is_settled() || !self.before.iter().any(Entry::is_zero) {
            return;
        }
        let all = self.before.iter_mut().chain(self.tail.each());
        let zeroed: Vec<&mut Entry> = all.filter(|entry| entry.is_zero()).collect();
        let earlier = updates as usize > zeroed.len();
        for (index, entry) in zeroed.into_iter().enumerate() {
            entry.goes_on_if(earlier || index > 0);
        }
    }

    /// When the unit began, with what came before it.
    pub fn since(&self) -> u64 {
        self.before
            .first()
            .map_or(self.start, |entry| entry.held.start)
    }

    /// Whether the unit holds back as many phases as it may.
    pub fn is_full(&self) -> bool {
        self.tail.len() >= MOST_HELD
    }

    /// Whether the unit has phases that were settled.
    pub fn is_settled(&self) -> bool {
        self.state == UnitState::Settled
    }

    /// Whether the unit is forwards without a batch of their own, which nothing has made a step so far.
    pub fn is_only_forwards(&self) -> bool {
        !self.is_settled() && !self.is_cut_short() && self.tail.is_only_forwards()
    }

    /// Batches of the unit that nothing has settled yet.
    pub fn batch_count(&self) -> usize {
        self.before.len() + self.tail.batch_count()
    }

    /// End of the last phase that was settled.
    pub fn settled_until(&self) -> u64 {
        self.settled_until
    }

    /// Whether nothing is open inside the unit.
    pub fn is_innermost(&self, laps: &dyn Laps) -> bool {
        laps.here().path == self.path
    }

    /// The unit has phases that are over.
    pub fn take_up(&mut self, tail: Tail) {
        self.fetches = u32::try_from(tail.batch_count()).unwrap_or(u32::MAX);
        self.fetch_end = tail.last_batch_end();
        self.tail = tail;
    }

    /// The unit was nothing, and what it held back is handed back, the time before it included: `None` where it can't
    /// be taken back, as something lies inside.
    pub fn take_back(&mut self, laps: &dyn Laps) -> Option<(Vec<Entry>, Tail)> {
        let is_empty = laps.last_written() == self.written && laps.here().path == self.path;
        let is_plain = is_empty && !self.is_aside && !self.is_settled();
        let is_gone = is_plain && laps.suspend(self.span).is_some();
        let tail = |unit: &mut Self| std::mem::take(&mut unit.tail);
        is_gone.then(|| (std::mem::take(&mut self.before), tail(self)))
    }

    /// Nothing came of the unit: what was done for it is no whole phase of anything.
    pub fn gives_up(&mut self) {
        self.cut_short();
        for entry in self.tail.each() {
            entry.is_part();
        }
    }

    /// The unit was closed from outside, and what it has was not written yet.
    pub fn was_closed(mut self, laps: &dyn Laps) {
        self.end_if_well = SpanFlags::CONTINUES;
        self.settle(laps);
    }

    /// Something was written since [`Laps::last_written`] was `before` that doesn't lie in the unit.
    pub fn wrote_elsewhere(&mut self, before: u64, written: u64) {
        if self.written == before {
            self.written = written;
        }
    }

    /// The modules that were called with gradients since the unit was settled.
    pub fn learners(&self) -> impl Iterator<Item = usize> {
        let before = self.before.iter().filter_map(Entry::learner);
        before.chain(self.tail.learners())
    }
}
