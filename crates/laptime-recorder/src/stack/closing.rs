//! Spans close, in whatever order they do.

use super::entry::Entry;
use super::{Position, Stack};
use crate::device::Begun;

/// Most spans kept as strays: a program that leaks open spans must not leak memory.
pub const MAX_STRAYS: usize = 1_024;

/// What closing a span took off the stack.
#[derive(Debug)]
pub struct Closed {
    pub entry: Entry,
    pub unbalanced: bool,
    pub with_it: Vec<Entry>,
}

impl Stack {
    /// Closes a span wherever it stands.
    ///
    /// Spans above it that close with their parent are returned, innermost first; others become
    /// strays, which close later, and then out of order. `None` when it is not open here at all.
    pub fn close(&mut self, position: Position) -> Option<Closed> {
        let Some(index) = self.find(position) else {
            return self.close_stray(position);
        };
        let mut closed = Closed {
            entry: self.entry(index),
            unbalanced: false,
            with_it: Vec::new(),
        };
        for above in ((index + 1)..=self.len()).rev() {
            let above = self.entry(above);
            if above.is_automatic() {
                closed.with_it.push(above);
            } else {
                closed.unbalanced = true;
                self.strays.push(above);
            }
        }
        self.truncate(index);
        self.bound_strays();
        Some(closed)
    }

    fn close_stray(&mut self, position: Position) -> Option<Closed> {
        let stray = self
            .strays
            .iter()
            .rposition(|stray| stray.start == position.start)?;
        Some(Closed {
            entry: self.strays.remove(stray),
            unbalanced: true,
            with_it: Vec::new(),
        })
    }

    fn bound_strays(&mut self) {
        let surplus = self.strays.len().saturating_sub(MAX_STRAYS);
        for lost in self.strays.drain(..surplus) {
            self.memory.forget(lost.start);
            self.on_devices.forget(lost.start);
            self.device_memory.forget(lost.start);
            self.ranges.close(lost.start);
            self.carried.forget(lost.start);
        }
    }

    /// A stray of a site, the latest first.
    pub fn find_stray(&self, site: u32) -> Option<Position> {
        self.strays
            .iter()
            .rfind(|stray| stray.is_of(site))
            .map(|stray| Position {
                index: u32::MAX,
                start: stray.start,
            })
    }

    /// The device's part ends of a span that is about to close, which is returned by when it opened, and of
    /// those that close with it, which are added to `inside`, innermost first.
    pub fn end_on_devices(
        &mut self,
        position: Position,
        inside: &mut Vec<(u64, Begun)>,
    ) -> Option<(u64, Begun)> {
        if self.on_devices.is_empty() {
            return None;
        }
        if let Some(index) = self.find(position) {
            for above in ((index + 1)..=self.len()).rev() {
                let above = self.entry(above);
                if above.is_automatic()
                    && let Some(begun) = self.on_devices.end(above.start)
                {
                    inside.push((above.start, begun));
                }
            }
        }
        Some((position.start, self.on_devices.end(position.start)?))
    }
}
