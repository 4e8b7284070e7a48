//! Totals up to a few moments of a process, kept apart while it is read.
//!
//! Where the steady state begins is known only when everything was read, and its numbers
//! would need everything once more. So the totals are cut where a window begins, at every
//! doubling of the windows read: a span belongs after a cut when it stands in that window
//! or a later one and began after that window was opened. What lies after the first cut
//! that follows the start of the steady state is summed up already; the second pass reads
//! only the windows before it, and the few later ones with spans begun before it. When no
//! cut follows, everything is read again: where cuts lie decides how long reading takes,
//! and never a number.

use laptime_core::anchor::Rate;
use laptime_core::format::process::window_offset;
use laptime_core::format::window::WINDOW_LEN;
use laptime_core::{DeviceMemorySpan, DeviceSpan, Span, SpanFlags};

use crate::reading::totals::Totals;

/// Windows before the first cut: fewer are read again in no time.
const FIRST_CUT: u64 = 8;
/// Most cuts; the last one lies at a file of 8 GiB.
const MOST_CUTS: usize = 15;
/// Most paths of a process that is cut, so that totals of all parts stay small.
const MOST_PATHS: usize = 4_096;
/// Most ranges of windows that a cut has of spans begun before it; more are put together.
const MOST_RANGES: usize = 64;

/// A place between two windows where the totals are cut.
#[derive(Debug, Clone)]
pub struct Cut {
    /// Offset of the first window after the cut.
    offset: u64,
    /// First tick after the cut.
    pub from: u64,
    /// First and last offset of windows after it with spans that began before.
    strays: Vec<(u64, u64)>,
}

impl Cut {
    /// Returns before which tick the spans of a window must have begun to lie before the cut; `None` where the
    /// window has no such span.
    pub fn ticks_before(&self, offset: u64) -> Option<u64> {
        let is_stray = |(first, last): &(u64, u64)| (*first..=*last).contains(&offset);
        if offset < self.offset {
            Some(u64::MAX)
        } else {
            self.strays.iter().any(is_stray).then_some(self.from)
        }
    }

    fn precedes(&self, offset: u64, ticks: u64) -> bool {
        self.offset <= offset && self.from <= ticks
    }

    fn stray(&mut self, offset: u64) {
        let is_full = self.strays.len() >= MOST_RANGES;
        match self.strays.last_mut() {
            Some((first, last))
                if is_full || (*first..=*last + WINDOW_LEN as u64).contains(&offset) =>
            {
                (*first, *last) = ((*first).min(offset), (*last).max(offset));
            }
            _ => self.strays.push((offset, offset)),
        }
    }
}

/// The cuts of a process and the totals before each.
#[derive(Debug)]
pub struct CutTotals {
    cuts: Vec<Cut>,
    /// Totals of the parts, as many as cuts: up to the first cut, between it and the second, and so on.
    parts: Vec<Totals>,
    next_offset: u64,
}

impl CutTotals {
    /// Creates totals without a cut.
    pub fn new() -> Self {
        Self {
            cuts: Vec::new(),
            parts: Vec::new(),
            next_offset: window_offset(FIRST_CUT),
        }
    }

    /// Switches cuts off: tests compare results with those of a process that is never cut.
    #[cfg(test)]
    pub fn never_cut(&mut self) {
        self.next_offset = u64::MAX;
    }

    /// Cuts at a window if it is time to; `latest` becomes what follows the cut.
    pub fn cut(&mut self, latest: &mut Totals, paths: usize, offset: u64, opened: u64) {
        if offset < self.next_offset || self.cuts.len() == MOST_CUTS || paths > MOST_PATHS {
            return;
        }
        let later = latest.emptied();
        self.parts.push(std::mem::replace(latest, later));
        self.cuts.push(Cut {
            offset,
            from: self.cuts.last().map_or(0, |cut| cut.from).max(opened),
            strays: Vec::new(),
        });
        self.next_offset = window_offset(2 * (offset - window_offset(0)) / WINDOW_LEN as u64);
    }

    /// Returns the first tick of spans that lie after all cuts, in the window at `offset`: a plain span's start
    /// is compared with it, so that nearly all go their way by one comparison.
    pub fn latest_from(&self, offset: u64) -> u64 {
        match self.cuts.last() {
            Some(cut) if offset < cut.offset => u64::MAX,
            last => last.map_or(0, |cut| cut.from),
        }
    }

    /// Returns the end of the last span before the last cut, in ticks.
    pub fn last_end(&self) -> u64 {
        let ends = self.parts.iter().map(|part| part.last_end);
        ends.max().unwrap_or(0)
    }

    /// Adds a span of the window at `offset` where it belongs.
    #[cold]
    pub fn take(&mut self, latest: &mut Totals, span: &Span, rate: Rate, offset: u64) {
        // A window may hold spans that began before a cut and ended after it. They belong before it, and
        // the second pass must find them: their windows are noted as strays.
        let mut place = self
            .cuts
            .partition_point(|cut| cut.precedes(offset, span.start));
        if span.flags.has(SpanFlags::CONTINUES) {
            place = self.with_its_beginning(latest, span, place);
        }
        for cut in &mut self.cuts[place..] {
            if cut.offset <= offset {
                cut.stray(offset);
            }
        }
        self.parts.get_mut(place).unwrap_or(latest).take(span, rate);
    }

    /// Adds a run of a stretch, recorded in the window at `offset`, where it belongs.
    pub fn ran(&mut self, latest: &mut Totals, stretch: u32, ticks: u64, offset: u64) {
        let totals = self.totals_at(latest, ticks, offset);
        *totals.ran.entry(stretch).or_default() += 1;
    }

    /// Adds a span's time on a device, recorded in the window at `offset`, where the span belongs.
    pub fn on_device(&mut self, latest: &mut Totals, span: &DeviceSpan, offset: u64) {
        let totals = self.totals_at(latest, span.start, offset);
        let told = totals.on_devices.entry(span.path).or_default();
        told.add(span);
    }

    /// Adds a span's memory on a device, recorded in the window at `offset`, where the span belongs.
    pub fn device_memory(&mut self, latest: &mut Totals, span: &DeviceMemorySpan, offset: u64) {
        let totals = self.totals_at(latest, span.start, offset);
        let told = totals.device_memory.entry(span.path).or_default();
        told.add(&span.memory);
    }

    /// Returns the totals to which a record of the window at `offset` belongs, by its moment.
    fn totals_at<'t>(
        &'t mut self,
        latest: &'t mut Totals,
        ticks: u64,
        offset: u64,
    ) -> &'t mut Totals {
        let place = self.cuts.partition_point(|cut| cut.precedes(offset, ticks));
        for cut in &mut self.cuts[place..] {
            if cut.offset <= offset {
                cut.stray(offset);
            }
        }
        self.parts.get_mut(place).unwrap_or(latest)
    }

    /// Undoes the cuts between a piece and the span that it goes on with.
    ///
    /// A span in pieces is one span with one duration, which the totals of its part know; two parts
    /// would each hold a span too short, and minimum, maximum and percentiles would be wrong.
    fn with_its_beginning(&mut self, latest: &mut Totals, span: &Span, mut place: usize) -> usize {
        let has = |totals: &Totals| totals.has(span.path, span.track);
        loop {
            let known = self.parts.get(place).is_some_and(has)
                || (place == self.parts.len() && has(latest));
            if known || !self.parts[..place].iter().any(has) {
                return place;
            }
            place -= 1;
            let cut = self.cuts.remove(place);
            let mut before = self.parts.remove(place);
            let after = self.parts.get_mut(place).unwrap_or(&mut *latest);
            before.append(std::mem::replace(after, before.emptied()));
            *after = before;
            // The next window may do.
            self.next_offset = cut.offset + WINDOW_LEN as u64;
        }
    }

    /// Returns the first cut at or after a tick, and what lies after it.
    pub fn after(&self, latest: &Totals, from: u64) -> (Option<Cut>, Totals) {
        let Some(index) = self.cuts.iter().position(|cut| from <= cut.from) else {
            return (None, latest.emptied());
        };
        let parts = self.parts[index + 1..].iter().chain([latest]).cloned();
        let after = parts.fold(latest.emptied(), |mut sum, part| {
            sum.append(part);
            sum
        });
        (Some(self.cuts[index].clone()), after)
    }

    /// Puts everything together in `latest`, without any cut.
    pub fn join(&mut self, latest: &mut Totals) {
        self.cuts.clear();
        let last = latest.emptied();
        self.parts.push(std::mem::replace(latest, last));
        for part in self.parts.drain(..) {
            latest.append(part);
        }
    }
}

#[cfg(test)]
#[path = "tests/totals_before_cuts.rs"]
mod tests;
