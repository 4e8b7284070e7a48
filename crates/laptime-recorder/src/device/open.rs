//! The spans of one stack that are open and timed on a device.

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

/// A span of a stack that is timed on a device.
#[derive(Debug, Clone, Copy)]
pub struct OnDevice {
    pub begun: Begun,
    /// Whether the device's part is over already, right before the span closes.
    pub has_ended: bool,
}

impl OnDevice {
    /// The span is not written.
    pub fn forget(self) {
        if self.has_ended {
            closed::drop_held(HeldTime::of(self.begun));
        } else {
            super::forget(self.begun.token);
        }
    }
}

/// Those of a stack, outermost first, by when their spans opened in ticks.
#[derive(Debug, Default)]
pub struct OpenOnDevices(Vec<(u64, OnDevice)>);

impl OpenOnDevices {
    /// A span opened.
    pub fn open(&mut self, start: u64, begun: Begun) {
        let has_ended = false;
        self.0.push((start, OnDevice { begun, has_ended }));
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
        let (_, open) = open.find(|(known, open)| *known == start && !open.has_ended)?;
        open.has_ended = true;
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
