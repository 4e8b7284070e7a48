use std::cell::Cell;

use super::*;
use crate::device::driver::Stream;
use crate::device::reason::Fault;

/// A driver that makes events by counting.
#[derive(Debug, Default)]
struct Scripted {
    made: Cell<usize>,
    /// The number of the event that can't be made.
    fails_at: Option<usize>,
}

const GONE: i32 = 709;

fn fault(code: i32) -> Fault {
    Fault {
        call: "create",
        code,
        name: "a scripted error".to_owned(),
    }
}

impl Driver for Scripted {
    fn context(&self, _: Stream) -> Result<Context, Fault> {
        Ok(Context(1))
    }

    fn is_capturing(&self, _: Stream) -> Result<bool, Fault> {
        Ok(false)
    }

    fn beside_captures<T>(&self, work: impl FnOnce() -> Result<T, Untimed>) -> Result<T, Untimed> {
        work()
    }

    fn create(&self, _: Context) -> Result<Event, Fault> {
        self.made.set(self.made.get() + 1);
        if self.fails_at == Some(self.made.get()) {
            return Err(fault(2));
        }
        Ok(Event(self.made.get()))
    }

    fn record(&self, _: Event, _: Stream) -> Result<(), Fault> {
        Ok(())
    }

    fn is_complete(&self, _: Event) -> Result<bool, Fault> {
        Ok(true)
    }

    fn elapsed_ms(&self, from: Event, to: Event) -> Result<f32, Fault> {
        Ok(to.0 as f32 - from.0 as f32)
    }

    fn synchronize(&self, _: Stream) -> Result<(), Fault> {
        Ok(())
    }

    fn is_end(&self, _: &Fault) -> bool {
        false
    }

    fn is_stale(&self, fault: &Fault) -> bool {
        fault.code == GONE
    }
}

#[test]
fn an_event_that_came_back_is_used_again_in_its_own_context_only() {
    let driver = Scripted::default();
    let mut pool = Pool::new(4);
    let first = pool.take(&driver, Context(1)).unwrap();
    pool.give(Context(1), first);
    assert_ne!(pool.take(&driver, Context(2)).unwrap(), first);
    assert_eq!(pool.take(&driver, Context(1)).unwrap(), first);
    assert_eq!(pool.made(), 2);
}

#[test]
fn beyond_the_bound_there_is_a_reason_and_half_a_pair_is_kept_for_others() {
    let driver = Scripted::default();
    let mut pool = Pool::new(3);
    pool.take_pair(&driver, Context(1)).unwrap();
    let most = 3;
    let full = Err(Untimed::TooManyPending { most });
    assert_eq!(pool.take_pair(&driver, Context(1)), full);
    assert!(pool.take(&driver, Context(1)).is_ok());
    assert_eq!(pool.made(), 3);
}

#[test]
fn an_event_that_could_not_be_made_does_not_count() {
    let driver = Scripted {
        fails_at: Some(2),
        ..Scripted::default()
    };
    let mut pool = Pool::new(2);
    let failed = pool.take_pair(&driver, Context(1));
    assert_eq!(failed, Err(Untimed::Failed(fault(2))));
    assert_eq!(pool.made(), 1);
    assert!(pool.take_pair(&driver, Context(1)).is_ok());
}

#[test]
fn events_of_a_context_that_is_gone_make_room() {
    let driver = Scripted::default();
    let mut pool = Pool::new(3);
    let pair = pool.take_pair(&driver, Context(1)).unwrap();
    let free = pool.take(&driver, Context(1)).unwrap();
    pool.give(Context(1), free);
    let why = Untimed::Failed(fault(GONE));
    pool.give_after(&driver, Context(1), &pair, &why);
    assert_eq!(pool.made(), 0);
    let busy = Untimed::Failed(fault(2));
    let pair = pool.take_pair(&driver, Context(1)).unwrap();
    pool.give_after(&driver, Context(1), &pair, &busy);
    assert_eq!(pool.made(), 2);
}
