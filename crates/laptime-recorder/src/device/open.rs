//! The spans of one stack that are open and timed on a device.

use std::mem;

use laptime_core::Span;

use super::closed::{self, Closed, HeldTime, Subject};
use super::driver::Stream;
use super::here::Place;
use super::{Begun, Over};

/// The device's part of a span of a stack.
#[derive(Debug)]
pub enum Part {
    /// It goes on.
    Runs(Begun),
    /// Its end is being recorded.
    Ends,
    /// It is over, right before the span closes.
    Over(Over),
}

/// A span of a stack that is timed on a device.
#[derive(Debug)]
pub struct OnDevice {
    pub place: Place,
    pub part: Part,
}

impl OnDevice {
    /// The span is not written.
    pub fn forget(self) {
        match self.part {
            Part::Runs(begun) => super::forget(begun),
            Part::Ends => {}
            Part::Over(over) => super::forget_over(over),
        }
    }

    /// What the span is follows later.
    pub fn hold(self) -> Option<HeldTime> {
        if let Part::Over(over) = self.part {
            return Some(closed::hold(self.place, over));
        }
        self.forget();
        None
    }

    /// The span is this one.
    pub fn give(self, span: &Span) {
        match self.part {
            Part::Over(over) => {
                super::closed(Subject::Span(Closed::new(self.place, span)), over);
            }
            _ => self.forget(),
        }
    }
}

/// Those of a stack, outermost first, by when their spans opened in ticks.
#[derive(Debug, Default)]
pub struct OpenOnDevices(Vec<(u64, OnDevice)>);

impl OpenOnDevices {
    /// A span opened.
    pub fn open(&mut self, start: u64, place: Place, begun: Begun) {
        let part = Part::Runs(begun);
        self.0.push((start, OnDevice { place, part }));
    }

    /// The stream of a span that is open; `None` where it isn't timed on a device.
    pub fn stream(&self, start: u64) -> Option<Stream> {
        let open = self.0.iter().rev().find(|(known, _)| *known == start);
        open.map(|(_, open)| open.place.stream)
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A span is about to close, and the device's part of it ends now; `None` where it isn't timed, or that
    /// has ended.
    pub fn end(&mut self, start: u64) -> Option<Begun> {
        let part = self.part(start, |part| matches!(part, Part::Runs(_)))?;
        match mem::replace(part, Part::Ends) {
            Part::Runs(begun) => Some(begun),
            _ => None,
        }
    }

    /// The device's part of a span is over.
    pub fn over(&mut self, start: u64, over: Over) {
        match self.part(start, |part| matches!(part, Part::Ends)) {
            Some(part) => *part = Part::Over(over),
            // The span closed meanwhile.
            None => super::forget_over(over),
        }
    }

    fn part(&mut self, start: u64, is_it: impl Fn(&Part) -> bool) -> Option<&mut Part> {
        let mut open = self.0.iter_mut().rev();
        let (_, open) = open.find(|(known, open)| *known == start && is_it(&open.part))?;
        Some(&mut open.part)
    }

    /// Takes the part of the span that opened last, if it is this one and its part goes on.
    #[inline]
    pub fn take_running(&mut self, start: u64) -> Option<(Place, Begun)> {
        let is_it =
            |last: &mut (u64, OnDevice)| last.0 == start && matches!(last.1.part, Part::Runs(_));
        match self.0.pop_if(is_it)?.1 {
            OnDevice {
                place,
                part: Part::Runs(begun),
            } => Some((place, begun)),
            _ => None,
        }
    }

    /// A span closes; `None` where it isn't timed on a device.
    #[inline]
    pub fn close(&mut self, start: u64) -> Option<OnDevice> {
        if self.0.is_empty() {
            return None;
        }
        let at = self.0.iter().rposition(|(known, _)| *known == start)?;
        Some(self.0.remove(at).1)
    }

    /// A span will never close, or not be recorded.
    #[inline]
    pub fn forget(&mut self, start: u64) {
        if let Some(open) = self.close(start) {
            open.forget();
        }
    }

    /// None of them will close: the thread or the task ends.
    pub fn clear(&mut self) {
        for (_, open) in self.0.drain(..) {
            open.forget();
        }
    }

    /// In a forked child: what is open is the parent's.
    pub fn start_over(&mut self) {
        // Not freed: another thread may have been in the midst of changing it as the fork happened.
        mem::forget(mem::take(&mut self.0));
    }
}
