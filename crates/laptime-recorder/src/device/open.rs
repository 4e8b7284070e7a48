//! The spans of one stack that are open and timed on a device.

use laptime_core::{DeviceSpan, Span};

use super::closed::{self, HeldTime};
use super::driver::Stream;
use super::pairs::Token;

/// What a span that opened is timed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    pub token: Token,
    /// The device's index.
    pub device: u32,
    pub stream: Stream,
}

/// The device's part of a span of a stack.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// It goes on.
    Runs,
    /// It is over, right before the span closes.
    Over,
}

/// A span of a stack that is timed on a device.
#[derive(Debug, Clone, Copy)]
pub struct OnDevice {
    pub begun: Begun,
    pub part: Part,
}

impl OnDevice {
    /// The span is not written.
    pub fn forget(self) {
        match self.part {
            Part::Runs => super::forget(self.begun.token),
            Part::Over => closed::drop_held(HeldTime::of(self.begun)),
        }
    }

    /// What the span is follows later.
    pub fn hold(self) -> Option<HeldTime> {
        if let Part::Runs = self.part {
            self.forget();
            return None;
        }
        Some(HeldTime::of(self.begun))
    }

    /// The span is this one: what the device told of it, or none yet.
    pub fn give(self, span: &Span) -> Option<DeviceSpan> {
        closed::give(self.hold()?, span)
    }
}

/// Those of a stack, outermost first, by when their spans opened in ticks.
#[derive(Debug, Default)]
pub struct OpenOnDevices(Vec<(u64, OnDevice)>);

impl OpenOnDevices {
    /// A span opened.
    pub fn open(&mut self, start: u64, begun: Begun) {
        let part = Part::Runs;
        self.0.push((start, OnDevice { begun, part }));
    }

    /// The stream of a span that is open; `None` where it isn't timed on a device.
    pub fn stream(&self, start: u64) -> Option<Stream> {
        let open = self.0.iter().rev().find(|(known, _)| *known == start);
        open.map(|(_, open)| open.begun.stream)
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A span is about to close, and the device's part of it ends now; `None` where it isn't timed, or that
    /// has ended.
    pub fn end(&mut self, start: u64) -> Option<Begun> {
        let mut open = self.0.iter_mut().rev();
        let (_, open) =
            open.find(|(known, open)| *known == start && matches!(open.part, Part::Runs))?;
        open.part = Part::Over;
        Some(open.begun)
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
        std::mem::forget(std::mem::take(&mut self.0));
    }
}
