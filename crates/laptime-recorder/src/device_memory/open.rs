//! The spans of one stack whose memory on devices is followed, and those that just closed.

use laptime_core::PathId;

use super::devices::{self, Token};

/// A span that closed, and is written once the devices were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    pub token: Token,
    pub path: PathId,
    /// When it began, in ticks.
    pub start: u64,
    pub track: u32,
}

/// Those of a stack, outermost first, by when they began in ticks.
#[derive(Debug, Default)]
pub struct OpenWithMemory {
    open: Vec<(u64, Token)>,
    closed: Vec<Closed>,
}

impl OpenWithMemory {
    /// A span opened.
    pub fn open(&mut self, start: u64, token: Token) {
        self.open.push((start, token));
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// A span closes, or a piece of it, that is not written now.
    pub fn take(&mut self, start: u64) -> Option<Token> {
        if self.open.is_empty() {
            return None;
        }
        let at = self.open.iter().rposition(|(known, _)| *known == start)?;
        Some(self.open.remove(at).1)
    }

    /// A span that was written closes. It is told by [`Self::take_closed`].
    #[inline]
    pub fn close(&mut self, path: PathId, start: u64, track: u32) {
        if let Some(token) = self.take(start) {
            self.closed.push(Closed {
                token,
                path,
                start,
                track,
            });
        }
    }

    /// The spans that closed since the last time.
    pub fn take_closed(&mut self) -> Vec<Closed> {
        std::mem::take(&mut self.closed)
    }

    /// A span will never close, or not be recorded.
    #[inline]
    pub fn forget(&mut self, start: u64) {
        if let Some(token) = self.take(start) {
            devices::forget(token);
        }
    }

    /// None of them will close: the thread or the task ends.
    pub fn clear(&mut self) {
        for (_, token) in self.open.drain(..) {
            devices::forget(token);
        }
        for closed in self.closed.drain(..) {
            devices::forget(closed.token);
        }
    }

    /// In a forked child: what is open is the parent's.
    pub fn start_over(&mut self) {
        // Not freed: another thread may have been in the midst of changing it as the fork happened.
        std::mem::forget(std::mem::take(self));
    }
}
