use super::*;
use crate::device::driver::Stream;
use crate::device::reason::Fault;

/// A driver of which only errors are asked.
#[derive(Debug)]
struct Scripted;

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

    fn is_idle(&self, _: Stream) -> Result<bool, Fault> {
        Ok(true)
    }

    fn create(&self, _: Context) -> Result<Event, Fault> {
        Ok(Event(1))
    }

    fn record(&self, _: Event, _: Stream) -> Result<(), Fault> {
        Ok(())
    }

    fn is_complete(&self, _: Event) -> Result<bool, Fault> {
        Ok(true)
    }

    fn elapsed_ms(&self, _: Event, _: Event) -> Result<Option<f32>, Fault> {
        Ok(None)
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

/// Takes events; those that are to be made are made from a number on.
fn taken<const N: usize>(pool: &mut Pool, context: Context, next: usize) -> [Event; N] {
    let taken = pool.take::<N>(context).unwrap();
    let mut next = next..;
    taken.map(|event| event.unwrap_or_else(|| Event(next.next().unwrap())))
}

#[test]
fn an_event_that_came_back_is_used_again_in_its_own_context_only() {
    let mut pool = Pool::new(4);
    let [first] = taken(&mut pool, Context(1), 10);
    pool.give(Context(1), first);
    assert_eq!(pool.take(Context(2)), Ok([None]));
    assert_eq!(pool.take(Context(1)), Ok([Some(first)]));
    assert_eq!(pool.made(), 2);
}

#[test]
fn beyond_the_bound_there_is_a_reason_and_half_a_pair_is_kept_for_others() {
    let mut pool = Pool::new(3);
    taken::<2>(&mut pool, Context(1), 10);
    let most = 3;
    let full = Err(Untimed::TooManyPending { most });
    assert_eq!(pool.take::<2>(Context(1)), full);
    assert_eq!(pool.take(Context(1)), Ok([None]));
    assert_eq!(pool.made(), 3);
}

#[test]
fn what_is_free_is_taken_before_more_is_made() {
    let mut pool = Pool::new(3);
    let [one, other] = taken(&mut pool, Context(1), 10);
    pool.give(Context(1), one);
    assert_eq!(pool.take(Context(1)), Ok([Some(one), None]));
    assert_eq!(pool.made(), 3);
    pool.give_all(Context(1), [one, other]);
    assert!(
        pool.take::<2>(Context(1))
            .unwrap()
            .iter()
            .all(Option::is_some)
    );
}

#[test]
fn an_event_that_could_not_be_made_does_not_count() {
    let mut pool = Pool::new(2);
    let [one, _] = taken(&mut pool, Context(1), 10);
    pool.unreserve(1);
    pool.give(Context(1), one);
    assert_eq!(pool.made(), 1);
    assert_eq!(pool.take(Context(1)), Ok([Some(one), None]));
}

#[test]
fn events_of_a_context_that_is_gone_make_room() {
    let mut pool = Pool::new(3);
    let pair: [Event; 2] = taken(&mut pool, Context(1), 10);
    let [free] = taken(&mut pool, Context(1), 20);
    pool.give(Context(1), free);
    let why = Untimed::Failed(fault(GONE));
    pool.give_after(&Scripted, Context(1), &pair, &why);
    assert_eq!(pool.made(), 0);
    let busy = Untimed::Failed(fault(2));
    let pair: [Event; 2] = taken(&mut pool, Context(1), 30);
    pool.give_after(&Scripted, Context(1), &pair, &busy);
    assert_eq!(pool.made(), 2);
}
