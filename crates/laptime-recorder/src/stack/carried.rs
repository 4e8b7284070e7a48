//! What open spans carry besides their time: few do.

use laptime_core::SpanWork;

use super::entry::Entry;

/// By when the spans opened. Those that opened at once are told apart by whether they carry anything: the
/// inner one came last.
#[derive(Debug, Default)]
pub struct Carried {
    /// Their work, where it was given.
    work: Vec<(u64, SpanWork)>,
    /// Until when they were written already.
    written: Vec<(u64, u64)>,
}

fn place<T>(of: &[(u64, T)], entry: Entry) -> Option<usize> {
    if !entry.carries() {
        return None;
    }
    of.iter().rposition(|known| known.0 == entry.start)
}

impl Carried {
    /// Gives a span its work, or more of it. `entry` is what it was before: whether it carried any.
    pub fn give(&mut self, entry: Entry, work: SpanWork) {
        match place(&self.work, entry) {
            Some(place) => self.work[place].1 = self.work[place].1.or_later(work),
            None => self.work.push((entry.start, work)),
        }
    }

    /// The work that a span was given.
    pub fn given(&self, entry: Entry) -> SpanWork {
        let place = place(&self.work, entry);
        place.map_or_else(SpanWork::default, |place| self.work[place].1)
    }

    /// Takes the work of a span that closes, if it was given any.
    #[inline]
    pub fn take_work(&mut self, entry: Entry) -> Option<SpanWork> {
        Some(self.work.remove(place(&self.work, entry)?).1)
    }

    /// A span was written until then.
    pub fn part(&mut self, entry: Entry, until: u64) {
        self.take_start(entry);
        self.written.push((entry.start, until));
    }

    /// From when on the time of a span was not written yet.
    pub fn start(&self, entry: Entry) -> u64 {
        let place = place(&self.written, entry);
        place.map_or(entry.start, |place| self.written[place].1)
    }

    /// As [`Self::start`], of a span that closes.
    #[inline]
    pub fn take_start(&mut self, entry: Entry) -> u64 {
        let place = place(&self.written, entry);
        place.map_or(entry.start, |place| self.written.remove(place).1)
    }

    /// All that the spans carried that opened then.
    pub fn forget(&mut self, start: u64) {
        self.work.retain(|known| known.0 != start);
        self.written.retain(|known| known.0 != start);
    }
}
