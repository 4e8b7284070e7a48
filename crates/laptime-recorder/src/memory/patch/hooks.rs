//! The functions that are replaced, and what takes their places.
//!
//! This object's own table is not patched, so what it calls is not replaced. A hook must not
//! allocate, wait or unwind, and leaves `errno` as the real function did: it runs wherever the
//! program allocates, in constructors, signal handlers, dying threads and halfway through a fork.

use std::ffi::CStr;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_core::Unavailable;

use super::elf::{self, Object, Slot};
use super::originals::{
    ALIGNED_ALLOC, CALLOC, COUNT, DLMOPEN, DLOPEN, DLSYM, FREE, MALLOC, MEMALIGN, MMAP, MMAP64,
    MREMAP, MUNMAP, ORIGINALS, POSIX_MEMALIGN, REALLOC, REALLOCARRAY,
};
use super::{allocating, mapping, opening, stub};

/// What a function is to the object that has the allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A function that takes part in the allocator.
    Core,
    /// A function that hands out blocks that the allocator takes back, if both are of one object.
    Aligned,
    /// A function that maps what the allocator hands out.
    Maps,
    /// A function that makes use of the others.
    Outside,
}

/// One function and its replacement.
#[derive(Debug)]
pub struct Hook {
    /// Which of [`ORIGINALS`] it replaces.
    original: usize,
    name: &'static CStr,
    replacement: *const (),
    /// The replacement where the program stands in for the function.
    stub: *const (),
    /// What the loader gives as the function's address: the program's own stand-in for it, maybe.
    address: *const (),
    is_usable: AtomicBool,
    pub kind: Kind,
}

// SAFETY: the pointers are addresses of functions.
unsafe impl Sync for Hook {}

macro_rules! hooks {
    ($($index:ident $name:literal $kind:ident $replacement:path, $real:path, $stub:path;)*) => {
        static HOOKS: [Hook; COUNT] = [$(Hook {
            original: $index,
            name: $name,
            replacement: $replacement as *const (),
            stub: $stub as *const (),
            address: $real as *const (),
            is_usable: AtomicBool::new(true),
            kind: Kind::$kind,
        }),*];
    };
}

hooks! {
    MALLOC c"malloc" Core allocating::malloc, libc::malloc, stub::malloc;
    FREE c"free" Core allocating::free, libc::free, stub::free;
    CALLOC c"calloc" Core allocating::calloc, libc::calloc, stub::calloc;
    REALLOC c"realloc" Core allocating::realloc, libc::realloc, stub::realloc;
    REALLOCARRAY c"reallocarray" Outside allocating::reallocarray, libc::reallocarray, allocating::reallocarray;
    POSIX_MEMALIGN c"posix_memalign" Aligned allocating::posix_memalign, libc::posix_memalign, stub::posix_memalign;
    ALIGNED_ALLOC c"aligned_alloc" Aligned allocating::aligned_alloc, libc::aligned_alloc, allocating::aligned_alloc;
    MEMALIGN c"memalign" Aligned allocating::memalign, libc::memalign, allocating::memalign;
    MMAP c"mmap" Maps mapping::mmap, libc::mmap, stub::mmap;
    MMAP64 c"mmap64" Maps mapping::mmap, libc::mmap64, stub::mmap;
    MREMAP c"mremap" Maps mapping::mremap, libc::mremap, stub::mremap;
    MUNMAP c"munmap" Maps mapping::munmap, libc::munmap, stub::munmap;
    DLOPEN c"dlopen" Outside opening::dlopen, libc::dlopen, opening::dlopen;
    DLMOPEN c"dlmopen" Outside opening::dlmopen, libc::dlmopen, opening::dlmopen;
    DLSYM c"dlsym" Outside opening::dlsym, libc::dlsym, opening::dlsym;
}

impl Hook {
    fn real(&self) -> *mut () {
        ORIGINALS[self.original].load(Relaxed)
    }

    /// What is to take its place in an entry.
    pub fn replacement(&self, object: &Object<'_>, slot: Slot<'_>) -> usize {
        if self.stands_in(object, slot) {
            self.stub.addr()
        } else {
            self.replacement.addr()
        }
    }

    /// Whether the address of the function is that of a stub which calls what an entry holds.
    fn stands_in(&self, object: &Object<'_>, slot: Slot<'_>) -> bool {
        object.is_first && slot.is_lazy && object.holds(self.address.addr())
    }

    /// Whether an entry holds the function, rather than somebody's replacement for it.
    pub fn is_in(&self, slot: Slot<'_>) -> bool {
        let value = slot.value();
        value == self.real().addr() || value == self.address.addr()
    }

    /// What the loader had written into an entry.
    pub fn original(&self, slot: Slot<'_>) -> usize {
        if slot.is_call {
            self.real().addr()
        } else {
            self.address.addr()
        }
    }
}

/// The replacement of a function, if it has one.
pub fn find(name: &CStr) -> Option<&'static Hook> {
    let first = *name.to_bytes().first()?;
    if !b"acdfmpr".contains(&first) {
        return None;
    }
    let hook = HOOKS.iter().find(|hook| hook.name == name)?;
    hook.is_usable.load(Relaxed).then_some(hook)
}

/// Address of the function that hands memory out.
pub fn allocator() -> usize {
    ORIGINALS[MALLOC].load(Relaxed).addr()
}

/// Finds the real functions. **Errors** where the allocator cannot tell the size of its blocks.
///
/// In a program at fixed addresses, a function whose address the program takes has the address of a
/// stub in the program everywhere, but in entries for calls; the stub calls what stands in the
/// program's own entry, which will be the hook.
pub fn resolve() -> Result<(), Unavailable> {
    let mut stands_in = [false; COUNT];
    elf::for_each_object(|object| {
        match object.extent() {
            Some(range) if object.is_loader() => stub::set_loader(&range),
            Some(range) if object.is_own() => stub::set_own(&range),
            _ => {}
        }
        object.for_each_slot(|slot| {
            let hooks = HOOKS.iter().zip(&mut stands_in);
            let Some((hook, stands_in)) =
                hooks.into_iter().find(|(hook, _)| hook.name == slot.name)
            else {
                return;
            };
            if hook.stands_in(object, slot) {
                *stands_in = true;
                hook.is_usable.store(false, Relaxed);
            }
            let value = slot.value();
            let is_ours = value == hook.replacement(object, slot);
            if *stands_in && slot.is_lazy && !object.holds(value) && !is_ours {
                *stands_in = false;
                ORIGINALS[hook.original].store(value as *mut (), Relaxed);
                hook.is_usable.store(true, Relaxed);
            }
        });
        ControlFlow::Continue(())
    });
    let mut without = None;
    elf::for_each_object(|object| {
        if !object.holds(allocator()) {
            return ControlFlow::Continue(());
        }
        let mut is_whole = object.holds(libc::malloc_usable_size as *const () as usize);
        for hook in &HOOKS {
            let is_its_own = object.holds(hook.real().addr());
            match hook.kind {
                Kind::Core => is_whole &= is_its_own,
                Kind::Aligned if !is_its_own => hook.is_usable.store(false, Relaxed),
                _ => {}
            }
        }
        if !is_whole {
            without = Some(String::from_utf8_lossy(object.file_name()).into_owned());
        }
        ControlFlow::Break(())
    });
    match without {
        None => Ok(()),
        Some(file) => Err(Unavailable(format!(
            "the program's malloc is that of {file}, which has no malloc_usable_size of its own to tell how large a block is"
        ))),
    }
}
