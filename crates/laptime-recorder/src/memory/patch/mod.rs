//! Counting the allocations of a program that was not built for it.
//!
//! Every loaded object calls `malloc` through an entry of its relocation table. [`start`] writes
//! the addresses of [`hooks`] into those entries, [`stop`] puts the real ones back; objects that
//! are opened later follow when they are first asked for a symbol, or at the next lap. Left
//! alone are this object, so that the recorder's own memory doesn't count, the loader, and
//! objects that the loader is not done with. In the object that holds `malloc` itself only `malloc`
//! and its kin are replaced, since what it maps is what it hands out.

mod allocating;
mod elf;
mod hooks;
mod mapping;
mod opening;
mod originals;
mod regions;
mod relro;
mod stub;

use std::cell::Cell;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicU32, Ordering};

use laptime_core::Unavailable;

use self::elf::Object;
use self::hooks::{Hook, Kind};
use crate::guard::guard;
use crate::lock::Lock;

/// How often an opened object is looked for once all that are listed are finished: the one that is
/// awaited may not be listed yet.
const LOOKS: u32 = 4;
/// How often an opened object is looked for while the loader is at work on one; more than it should take, so that one whose pages
/// somebody made writable does not cost every lap a look.
const LOOKS_AT_WORK: u32 = 10_000;

/// Looks left for objects that were opened.
static PENDING: AtomicU32 = AtomicU32::new(0);
/// Threads that opened an object and have not looked since. Others may use up their looks while one
/// still waits for the loader.
static OPENERS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Whether this thread is one of those.
    static OPENED: Cell<bool> = const { Cell::new(false) };
}

/// Says whether this thread is to look, whatever others did.
fn set_opened(opened: bool) {
    match (OPENED.replace(opened), opened) {
        (false, true) => OPENERS.fetch_add(1, Ordering::Relaxed),
        (true, false) => OPENERS.fetch_sub(1, Ordering::Relaxed),
        _ => 0,
    };
}

/// What is known about the loaded objects.
#[derive(Debug)]
struct Known {
    /// Whether hooks are in place.
    is_on: bool,
    /// Base addresses, in order, of objects whose entries are all replaced.
    done: Vec<usize>,
    /// How many objects had been opened and closed by then.
    changes: (u64, u64),
    /// Whether nothing is left to be done until there are more.
    is_whole: bool,
    /// Whether the loader was at work on one of them.
    is_at_work: bool,
    replaced: usize,
}

static KNOWN: Lock<Known> = Lock::new(Known {
    is_on: false,
    done: Vec::new(),
    changes: (0, 0),
    is_whole: false,
    is_at_work: false,
    replaced: 0,
});

/// Patches what is loaded.
pub fn start() -> Result<(), Unavailable> {
    let mut known = KNOWN.lock();
    check()?;
    hooks::resolve()?;
    regions::clear();
    known.done.clear();
    known.is_whole = false;
    known.replaced = 0;
    patch_all(&mut known);
    if known.replaced > 0 {
        known.is_on = true;
        PENDING.store(LOOKS_AT_WORK, Ordering::Release);
        return Ok(());
    }
    Err(Unavailable(
        "no loaded object calls malloc through a relocation table that could be changed".to_owned(),
    ))
}

/// Whether allocations can be counted on this machine: a program that is one object can say no more than that
/// it is of the right kind.
pub fn check_machine() -> Result<(), Unavailable> {
    let _known = KNOWN.lock();
    if is_one_object() {
        return Ok(());
    }
    check()
}

/// Whether relocation tables can be patched, without doing it.
fn check() -> Result<(), Unavailable> {
    if is_one_object() {
        return Err(Unavailable(
            "this program's #[global_allocator] is not laptime::alloc::Tally".to_owned(),
        ));
    }
    let mut callers = 0;
    elf::for_each_object(|object| {
        if !object.is_own() {
            object.for_each_slot(|slot| {
                callers += usize::from(hooks::find(slot.name).is_some());
            });
        }
        Continue(())
    });
    if callers == 0 {
        let reason = "no loaded object calls malloc through a relocation table";
        return Err(Unavailable(reason.to_owned()));
    }
    Ok(())
}

/// Puts every entry back.
pub fn stop() {
    let mut known = KNOWN.lock();
    known.is_on = false;
    known.done.clear();
    elf::for_each_object(|object| {
        // One that the loader is still at work on was not patched.
        if object.is_finished() {
            let mut pen = object.pen();
            object.for_each_slot(|slot| {
                if let Some(hook) = hooks::find(slot.name)
                    && slot.value() == hook.replacement(object, slot)
                {
                    pen.write(slot, hook.original(slot));
                }
            });
        }
        Continue(())
    });
}

/// An object is about to be opened.
extern "C" fn opening() {
    look_for_new_objects();
    PENDING.store(LOOKS_AT_WORK, Ordering::Release);
    set_opened(true);
}

/// Patches what was opened since the last look.
#[inline]
pub extern "C" fn look_for_new_objects() {
    let is_awaited = OPENERS.load(Ordering::Relaxed) > 0 && OPENED.get();
    if is_awaited || PENDING.load(Ordering::Relaxed) > 0 {
        guard((), look);
    }
}

#[cold]
#[inline(never)]
fn look() {
    // Whoever holds it patches too, perhaps while it waits for the loader that called us.
    let Some(mut known) = KNOWN.try_lock() else {
        return;
    };
    if !known.is_on {
        PENDING.store(0, Ordering::Relaxed);
        set_opened(false);
        return;
    }
    // SAFETY: the calling thread's own variable, which the program may be about to read.
    let error = unsafe { *libc::__errno_location() };
    patch_all(&mut known);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = error };
    let most = if known.is_at_work {
        LOOKS_AT_WORK
    } else {
        set_opened(false);
        LOOKS
    };
    let used = |left: u32| Some(left.min(most).saturating_sub(1));
    PENDING
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, used)
        .ok();
}

fn patch_all(known: &mut Known) {
    let allocator = hooks::allocator();
    elf::for_each_object(|object| {
        if object.is_first {
            if known.is_whole && known.changes == object.changes {
                return Break(());
            }
            if known.changes.1 != object.changes.1 {
                known.done.clear();
            }
            known.changes = object.changes;
            known.is_whole = true;
            known.is_at_work = false;
        }
        visit(known, object, allocator);
        Continue(())
    });
}

fn visit(known: &mut Known, object: &Object<'_>, allocator: usize) {
    let Err(place) = known.done.binary_search(&object.base) else {
        return;
    };
    if !object.is_finished() {
        known.is_whole = false;
        known.is_at_work = true;
        return;
    }
    let is_done = object.is_own()
        || object.is_loader()
        || patch(object, object.holds(allocator), &mut known.replaced);
    // Where there is no memory to remember it, it is looked at again.
    if is_done && known.done.try_reserve(1).is_ok() {
        known.done.insert(place, object.base);
    } else {
        known.is_whole = false;
    }
}

/// Whether every entry of the object was as it should be, and no call in progress can change that.
fn patch(object: &Object<'_>, is_allocator: bool, replaced: &mut usize) -> bool {
    let mut is_done = true;
    let mut pen = object.pen();
    object.for_each_slot(|slot| {
        let hook =
            hooks::find(slot.name).filter(|hook| !is_allocator || is_called_by_it(hook, object));
        let Some(hook) = hook else { return };
        let (value, replacement) = (slot.value(), hook.replacement(object, slot));
        if value == replacement {
            return;
        }
        let is_waiting = slot.is_lazy && object.holds(value);
        if !is_waiting && !hook.is_in(slot) {
            // Another allocator's business, or not filled in yet where nothing tells when it is.
            is_done &= object.is_protected();
        } else if pen.write(slot, replacement) {
            *replaced += 1;
            // The loader may be about to fill it in, for a first call that it is asked for now.
            is_done &= !is_waiting;
        }
    });
    is_done
}

/// Whether the object that has the allocator calls a function as others do. What the C library's
/// own functions allocate counts; what an allocator does within itself has been counted.
fn is_called_by_it(hook: &Hook, object: &Object<'_>) -> bool {
    let is_c_library = object.holds(libc::gnu_get_libc_version as *const () as usize);
    hook.kind != Kind::Maps && (is_c_library || object.is_first)
}

/// Whether this code is in the main program.
fn is_one_object() -> bool {
    let mut is_one = false;
    elf::for_each_object(|object| {
        is_one = object.is_own();
        ControlFlow::Break(())
    });
    is_one
}

/// Locks over a fork. What this thread opened is looked for before: the child cannot ask for the
/// objects when another thread of the parent's was asking.
pub fn lock_for_fork() {
    look_for_new_objects();
    KNOWN.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the locks.
pub unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { KNOWN.release() };
}

/// In a forked child: what other threads were opening will never be finished.
pub fn start_over_after_fork() {
    PENDING.store(0, Ordering::Relaxed);
    OPENERS.store(u32::from(OPENED.get()), Ordering::Relaxed);
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
