//! Beginning and ending the counting, and writing what was counted.

use std::sync::atomic::Ordering;

use laptime_core::FunctionCalls;
use laptime_core::format::record::Record;

use super::book::{Book, Defined, NewFunction, OWN};
use super::counted::{EPOCH, IS_ON, with_shared};
use super::table::FunctionKey;
use crate::clock;
use crate::memory::Quiet;
use crate::registration;
use crate::start::is_on_or_decide;

/// Counts from now on; false when that goes on already.
pub fn start() -> bool {
    if IS_ON.load(Ordering::Relaxed) {
        return false;
    }
    with_shared(|shared| {
        shared.book = Book::default();
        shared.left.clear();
        (shared.was_replaced, shared.disorder) = (false, 0);
    });
    EPOCH.fetch_add(1, Ordering::Relaxed);
    IS_ON.store(true, Ordering::Relaxed);
    true
}

/// What there is to say of counts that were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stopped {
    /// In a thread, something else took the place of the counting.
    pub was_replaced: bool,
    /// Functions that ended while another one was innermost.
    pub disorder: u64,
    /// There were more functions than get a number.
    pub is_full: bool,
}

/// Ends the counting and writes what is left of all threads. `is_counting` says of a thread, by the
/// number it gave when it began, whether it is counted still.
///
/// # Safety
/// No other thread is in [`super::enter`] or [`super::leave`], nor comes there meanwhile.
pub unsafe fn stop(is_counting: impl Fn(usize) -> bool) -> Stopped {
    let _quiet = Quiet::begin();
    IS_ON.store(false, Ordering::Relaxed);
    let now = clock::now();
    let epoch = EPOCH.load(Ordering::Relaxed);
    let mut taken = Vec::new();
    let stopped = with_shared(|shared| {
        taken.append(&mut shared.left);
        for owner in &mut shared.threads {
            // SAFETY: in the list while it is alive, and the caller's promise.
            let counted = unsafe { &mut *owner.0 };
            if counted.epoch != epoch {
                continue;
            }
            let table = &mut counted.table;
            if is_counting(counted.owner) {
                // What ends the counting.
                table.forget_innermost(OWN);
                table.close(now);
            } else if table.depth() > 0 {
                shared.was_replaced = true;
                table.close(table.latest());
            }
            shared.disorder += table.disorder();
            table.take(counted.thread, &mut taken);
        }
        Stopped {
            was_replaced: shared.was_replaced,
            disorder: shared.disorder,
            is_full: shared.book.is_full(),
        }
    });
    write(&taken, &mut Defined::default());
    stopped
}

/// Writes sums into the calling thread's window.
pub fn write(taken: &[FunctionCalls], defined: &mut Defined) {
    if taken.is_empty() || !is_on_or_decide() {
        return;
    }
    registration::with(|thread| {
        for calls in taken.iter().copied() {
            let functions = [calls.caller, calls.function];
            let record = Record::Calls(calls);
            thread
                .writer
                .record_after(&record, |generation, bytes, cursor| {
                    with_shared(|shared| {
                        defined.define(&shared.book, functions, generation, bytes, cursor);
                    });
                });
        }
    });
}

/// Tells readers of this recording what its calls lack. Unlike [`crate::note`], later recordings of the
/// process don't hear of it.
pub fn say(code: &str, message: &str) {
    if is_on_or_decide() {
        registration::with(|thread| thread.writer.record(&Record::Note { code, message }));
    }
}

/// A function's number; `name` is asked for one that has none.
pub fn number(key: FunctionKey, name: impl FnOnce() -> NewFunction) -> u32 {
    let known = with_shared(|shared| shared.book.number(key));
    known.unwrap_or_else(|| {
        // Not under the lock: it asks the interpreter.
        let function = name();
        with_shared(|shared| shared.book.add(key, &function))
    })
}
