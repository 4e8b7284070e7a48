//! Counting the allocations of a program that was not built for it.
//!
//! Every loaded object calls `malloc` through an entry of its relocation table. [`start`] writes
//! the addresses of [`hooks`] into those entries, [`stop`] puts the real ones back; objects that
//! are opened later follow when they are first asked for a symbol, or at the next lap. Left
//! alone are this object, so that the recorder's own memory doesn't count, and the loader.
//! In the object that holds `malloc` itself only `malloc` and its kin are replaced, since what
//! it maps is what it hands out.

mod elf;
mod hooks;
mod regions;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use laptime_core::Unavailable;

use self::elf::Object;
use crate::lock::Lock;

/// How often an opened object is looked for: the loader shows objects a moment before it has
/// filled their tables in.
const LOOKS: u32 = 4;

/// Whether hooks are in place.
static PATCHED: AtomicBool = AtomicBool::new(false);
/// Looks left for objects that were opened.
static PENDING: AtomicU32 = AtomicU32::new(0);

/// What is known about the loaded objects.
#[derive(Debug)]
struct Known {
    /// Base addresses of objects whose entries are all replaced, and how many objects had gone by then.
    done: Vec<usize>,
    gone: u64,
    replaced: usize,
}

static KNOWN: Lock<Known> = Lock::new(Known {
    done: Vec::new(),
    gone: 0,
    replaced: 0,
});

/// Patches what is loaded.
pub fn start() -> Result<(), Unavailable> {
    check()?;
    let mut known = KNOWN.lock();
    known.done.clear();
    known.replaced = 0;
    regions::clear();
    PATCHED.store(true, Ordering::Release);
    patch_all(&mut known);
    if known.replaced > 0 {
        return Ok(());
    }
    PATCHED.store(false, Ordering::Release);
    Err(Unavailable(
        "no loaded object calls malloc through a relocation table that could be changed".to_owned(),
    ))
}

/// Whether it can be done on this machine: a program that is one object can say no more than that
/// it is of the right kind.
pub fn check_machine() -> Result<(), Unavailable> {
    if own_object() == 0 { Ok(()) } else { check() }
}

/// Whether it can be done, without doing it.
fn check() -> Result<(), Unavailable> {
    let own = own_object();
    if own == 0 {
        // The main program comes first, and it is this object.
        return Err(Unavailable(
            "this program's #[global_allocator] is not laptime::alloc::Tally".to_owned(),
        ));
    }
    let mut callers = 0;
    elf::for_each_object(|object| {
        if object.base != own {
            object.for_each_slot(|slot| {
                callers += usize::from(hooks::find(slot.name).is_some());
            });
        }
    });
    if callers == 0 {
        let reason = "no loaded object calls malloc through a relocation table";
        return Err(Unavailable(reason.to_owned()));
    }
    Ok(())
}

/// Puts every entry back.
pub fn stop() {
    PATCHED.store(false, Ordering::Release);
    let mut known = KNOWN.lock();
    known.done.clear();
    elf::for_each_object(|object| {
        object.for_each_slot(|slot| {
            if let Some(hook) = hooks::find(slot.name)
                && slot.value() == hook.replacement
            {
                object.write(slot, hook.real);
            }
        });
    });
}

/// An object is about to be opened.
extern "C" fn opening() {
    look_for_new_objects();
    PENDING.store(LOOKS, Ordering::Release);
}

/// Patches what was opened since the last look.
#[inline]
pub extern "C" fn look_for_new_objects() {
    if PENDING.load(Ordering::Relaxed) > 0 {
        look();
    }
}

#[cold]
#[inline(never)]
fn look() {
    if !PATCHED.load(Ordering::Acquire) {
        PENDING.store(0, Ordering::Relaxed);
        return;
    }
    // Whoever holds it patches too, perhaps while it waits for the loader that called us.
    if let Some(mut known) = KNOWN.try_lock() {
        PENDING
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                Some(left.saturating_sub(1))
            })
            .ok();
        patch_all(&mut known);
    }
}

fn patch_all(known: &mut Known) {
    let own = own_object();
    let allocator = hooks::allocator();
    elf::for_each_object(|object| {
        if object.gone != known.gone {
            known.gone = object.gone;
            known.done.clear();
        }
        if object.base == own || known.done.contains(&object.base) || object.is_loader() {
            return;
        }
        if patch(object, object.holds(allocator), &mut known.replaced) {
            known.done.push(object.base);
        }
    });
}

/// Whether every entry of the object is as it should be.
fn patch(object: &Object<'_>, is_allocator: bool, replaced: &mut usize) -> bool {
    let mut is_done = true;
    object.for_each_slot(|slot| {
        let Some(hook) = hooks::find(slot.name) else {
            return;
        };
        let value = slot.value();
        if value == hook.replacement || (is_allocator && hook.maps) {
            return;
        }
        // An entry that leads elsewhere is another allocator's business, or not filled in yet.
        let leads_there = value == hook.real || (slot.is_lazy && object.holds(value));
        if !leads_there {
            is_done = false;
        } else if object.write(slot, hook.replacement) {
            *replaced += 1;
        }
    });
    is_done
}

/// Base address of the object that this code is in.
fn own_object() -> usize {
    let here = own_object as *const () as usize;
    let mut own = 0;
    elf::for_each_object(|object| {
        if object.holds(here) && !object.is_first {
            own = object.base;
        }
    });
    own
}

/// Locks over a fork.
pub fn lock_for_fork() {
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

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
