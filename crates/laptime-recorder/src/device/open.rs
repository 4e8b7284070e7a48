//! The spans of one stack that are open and timed on a device.

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

/// Those of a stack, outermost first, by when their spans opened in ticks.
#[derive(Debug, Default)]
pub struct OpenOnDevices(Vec<(u64, Begun)>);

impl OpenOnDevices {
    /// A span opened.
    pub fn open(&mut self, start: u64, begun: Begun) {
        self.0.push((start, begun));
    }

    /// The stream of a span that is open; `None` where it isn't timed on a device.
    pub fn stream(&self, start: u64) -> Option<Stream> {
        let open = self.0.iter().rev().find(|(known, _)| *known == start);
        open.map(|(_, begun)| begun.stream)
    }

    /// A span closes; `None` where it isn't timed on a device.
    #[inline]
    pub fn close(&mut self, start: u64) -> Option<Begun> {
        if self.0.is_empty() {
            return None;
        }
        let at = self.0.iter().rposition(|(known, _)| *known == start)?;
        Some(self.0.remove(at).1)
    }

    /// A span will never close, or not be recorded.
    #[inline]
    pub fn forget(&mut self, start: u64) {
        if let Some(begun) = self.close(start) {
            super::forget(begun.token);
        }
    }

    /// None of them will close: the thread or the task ends.
    pub fn clear(&mut self) {
        for (_, begun) in self.0.drain(..) {
            super::forget(begun.token);
        }
    }

    /// In a forked child: what is open is the parent's.
    pub fn start_over(&mut self) {
        // Not freed: another thread may have been in the midst of changing it as the fork happened.
        std::mem::forget(std::mem::take(&mut self.0));
    }
}
