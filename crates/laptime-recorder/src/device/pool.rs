//! Events, made once and used again, never more than a bound.
//!
//! Making an event takes the driver longer than recording it, and every event holds memory of the
//! driver's. An event belongs to a context, so there is a heap of free ones for each. None is ever
//! destroyed: when the program exits, the driver may be gone before us.
//!
//! The pool makes none itself, as that may wait: whoever takes events makes those that are missing, and has
//! their number reserved by then.

use super::driver::{Context, Driver, Event};
use super::reason::Untimed;

/// Most events. Two for each span that waits for its device: 8,192 of those are more than the launch
/// queues of devices hold, and take the driver a few megabytes.
pub const MOST: usize = 16_384;

/// The events.
#[derive(Debug)]
pub struct Pool {
    /// Free events by their contexts: there are few.
    free: Vec<(Context, Vec<Event>)>,
    made: usize,
    most: usize,
}

impl Pool {
    /// An empty one, with a bound.
    pub fn new(most: usize) -> Self {
        Self {
            free: Vec::new(),
            made: 0,
            most,
        }
    }

    /// Events that exist, free ones and others.
    pub fn made(&self) -> usize {
        self.made
    }

    /// Free events of a context; `None` for each that is to be made, and is reserved. All of them, or an error.
    pub fn take<const N: usize>(
        &mut self,
        context: Context,
    ) -> Result<[Option<Event>; N], Untimed> {
        let free = self.heap(context).len().min(N);
        if self.made + N - free > self.most {
            return Err(Untimed::TooManyPending { most: self.most });
        }
        self.made += N - free;
        let heap = self.heap(context);
        Ok(std::array::from_fn(|_| heap.pop()))
    }

    /// So many that were reserved could not be made.
    pub fn unreserve(&mut self, count: usize) {
        self.made = self.made.saturating_sub(count);
    }

    /// Takes an event back. It need not be complete: it is recorded anew before it is asked again.
    pub fn give(&mut self, context: Context, event: Event) {
        self.heap(context).push(event);
    }

    /// As [`Pool::give`], all of a span.
    pub fn give_all(&mut self, context: Context, events: impl IntoIterator<Item = Event>) {
        self.heap(context).extend(events);
    }

    /// Takes events back with which a call failed. If their context is gone, they and its free ones
    /// are forgotten: they are no events any more.
    pub fn give_after(
        &mut self,
        driver: &impl Driver,
        context: Context,
        events: &[Event],
        why: &Untimed,
    ) {
        match why {
            Untimed::Failed(fault) if driver.is_stale(fault) => {
                let free = std::mem::take(self.heap(context)).len();
                self.made = self.made.saturating_sub(free + events.len());
            }
            _ => self.heap(context).extend(events),
        }
    }

    fn heap(&mut self, context: Context) -> &mut Vec<Event> {
        let at = self.free.iter().position(|(of, _)| *of == context);
        let at = at.unwrap_or_else(|| {
            self.free.push((context, Vec::new()));
            self.free.len() - 1
        });
        &mut self.free[at].1
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
