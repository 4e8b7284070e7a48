//! The calling thread's counts: found by one thread-local pointer, written now and then.

use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use laptime_core::PathId;

use super::book::{NewFunction, OTHER};
use super::counted::{CURRENT, Counted, EPOCH, Owner, is_on, with_shared};
use super::counting::{number, write};
use super::table::FunctionKey;
use crate::clock;
use crate::memory::Quiet;

/// The longest time between two times of writing.
const MOST_NS: u64 = 30_000_000_000;

thread_local! {
    static LEAVING: Leaving = const { Leaving };
}

impl Counted {
    #[cold]
    #[inline(never)]
    fn write(&mut self, ticks: u64) {
        let _quiet = Quiet::begin();
        let mut taken = Vec::new();
        self.table.take(self.thread, &mut taken);
        write(&taken, &mut self.defined);
        self.written = ticks;
    }

    #[cold]
    #[inline(never)]
    fn write_in_turn(&mut self, ticks: u64) {
        self.write(ticks);
        let most = (MOST_NS as f64 / clock::nominal_ns_per_tick()) as u64;
        self.wait = (self.wait * 2).min(most);
    }
}

/// The calling thread's counts. They are used by this thread alone, and never while they are in use:
/// whoever asks the interpreter for something lets them go before.
#[inline]
fn current(owner: impl FnOnce() -> usize) -> Option<*mut Counted> {
    let counted = CURRENT.get();
    // SAFETY: null, or made below for this thread.
    if let Some(known) = unsafe { counted.as_ref() }
        && known.epoch == EPOCH.load(Ordering::Relaxed)
    {
        return Some(counted);
    }
    begin(owner())
}

#[cold]
#[inline(never)]
fn begin(owner: usize) -> Option<*mut Counted> {
    let _quiet = Quiet::begin();
    let counted = CURRENT.get();
    // SAFETY: made below for this thread, of an earlier recording.
    if let Some(known) = unsafe { counted.as_mut() } {
        *known = Counted::new(owner);
        return Some(counted);
    }
    // A thread whose thread-local state is being taken down counts nothing any more.
    LEAVING.try_with(|_| ()).ok()?;
    let counted = Box::into_raw(Box::new(Counted::new(owner)));
    CURRENT.set(counted);
    with_shared(|shared| shared.threads.push(Owner(counted)));
    Some(counted)
}

/// A function begins in the calling thread, which the interpreter knows by `owner`, inside the laps of
/// a path.
///
/// **Cost** tens of nanoseconds; more for the first call from a caller in a lap.
#[inline]
pub fn enter(
    key: FunctionKey,
    path: PathId,
    owner: impl FnOnce() -> usize,
    name: impl FnOnce() -> NewFunction,
) {
    let Some(counted) = current(owner) else {
        return;
    };
    // SAFETY: the calling thread's, and nobody else has it in hand.
    let known = unsafe { (*counted).known.number(key) };
    let function = known.unwrap_or_else(|| {
        let _quiet = Quiet::begin();
        let number = number(key, name);
        // SAFETY: as above; what the name needed is over.
        unsafe { (*counted).known.keep(key, number) };
        number
    });
    // SAFETY: as above.
    let table = unsafe { &mut (*counted).table };
    let edge = match table.find(function, path) {
        Some(edge) if table.has_room() => edge,
        found => {
            let _quiet = Quiet::begin();
            let edge = found.unwrap_or_else(|| table.add(function, path, OTHER));
            table.enter(key, edge, clock::now());
            return;
        }
    };
    table.enter(key, edge, clock::now());
}

/// A function ends in the calling thread.
#[inline]
pub fn leave(key: FunctionKey) {
    let ticks = clock::now();
    // SAFETY: as in `enter`.
    let Some(counted) = (unsafe { CURRENT.get().as_mut() }) else {
        return;
    };
    if counted.epoch != EPOCH.load(Ordering::Relaxed) {
        return;
    }
    counted.table.leave(key, ticks);
    let since = ticks.saturating_sub(counted.written);
    if since > counted.wait {
        counted.write_in_turn(ticks);
    } else if since > counted.idle && counted.table.depth() == 0 {
        counted.write(ticks);
    }
}

/// Writes what the calling thread counted: the process may be about to end without a word. If it is
/// sure to, what is open ends here.
pub fn flush(is_sure: bool) {
    // SAFETY: as in `enter`.
    if let Some(counted) = unsafe { CURRENT.get().as_mut() }
        && counted.epoch == EPOCH.load(Ordering::Relaxed)
    {
        let ticks = clock::now();
        if is_sure {
            counted.table.close(ticks);
        }
        counted.write(ticks);
    }
}

/// Hands over what a thread counted when it ends.
struct Leaving;

impl Drop for Leaving {
    fn drop(&mut self) {
        let counted = CURRENT.replace(null_mut());
        if counted.is_null() {
            return;
        }
        let _quiet = Quiet::begin();
        with_shared(|shared| {
            shared.threads.retain(|owner| owner.0 != counted);
            // SAFETY: made by `begin`, and in no list any more.
            let mut counted = unsafe { Box::from_raw(counted) };
            if counted.epoch != EPOCH.load(Ordering::Relaxed) || !is_on() {
                return;
            }
            let table = &mut counted.table;
            // All functions of a thread that ends have returned, if somebody saw it.
            shared.was_replaced |= table.depth() > 0;
            table.close(table.latest());
            shared.disorder += table.disorder();
            table.take(counted.thread, &mut shared.left);
        });
    }
}
