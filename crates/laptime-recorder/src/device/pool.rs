//! Events, made once and used again, never more than a bound.
//!
//! Making an event takes the driver longer than recording it, and every event holds memory of the
//! driver's. An event belongs to a context, so there is a heap of free ones for each. None is ever
//! destroyed: when the program exits, the driver may be gone before us.

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

    /// A free event of a context, or a new one.
    pub fn take(&mut self, driver: &impl Driver, context: Context) -> Result<Event, Untimed> {
        if let Some(event) = self.heap(context).pop() {
            return Ok(event);
        }
        if self.made >= self.most {
            return Err(Untimed::TooManyPending { most: self.most });
        }
        let event = driver.beside_captures(|| driver.create(context).map_err(Untimed::Failed))?;
        self.made += 1;
        Ok(event)
    }

    /// Two of them, or none.
    pub fn take_pair(
        &mut self,
        driver: &impl Driver,
        context: Context,
    ) -> Result<[Event; 2], Untimed> {
        let first = self.take(driver, context)?;
        match self.take(driver, context) {
            Ok(second) => Ok([first, second]),
            Err(why) => {
                self.give(context, first);
                Err(why)
            }
        }
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
