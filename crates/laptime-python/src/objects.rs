//! Small Python objects, one by one: what `memory="objects"` adds.
//!
//! Python hands out up to 512 bytes from pools of equal blocks, and takes the pools from arenas
//! that it maps. Here its allocators are wrapped: an arena no longer counts, its blocks do. A free
//! names no size, so a table by page remembers the size of the blocks there; pages that no block
//! came from since counting began are unknown, and blocks freed in them don't count.

use std::alloc::{Layout, alloc_zeroed};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering::Relaxed};

use laptime_recorder::guard;
use laptime_recorder::memory::count;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::fast::Locked;

/// Python's own bound on what comes from a pool, and its unit.
const MOST_SMALL: usize = 512;
const UNIT: usize = 16;
/// Pools are a multiple of this, and aligned to it.
const PAGE_BITS: u32 = 12;
/// Pages in a part of the table: one gigabyte of addresses.
const PART_BITS: u32 = 18;
const PART: usize = 1 << PART_BITS;
/// Parts for 48 bits of address; the parts that are never used take no memory.
const PARTS: usize = 1 << (48 - PAGE_BITS - PART_BITS);

static TABLE: [AtomicPtr<AtomicU8>; PARTS] = [const { AtomicPtr::new(null_mut()) }; PARTS];
/// Whether blocks are counted; the wrappers may stay when they are not.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// What was wrapped, by domain.
static WRAPPED: Locked<[ffi::PyMemAllocatorEx; 2]> = Locked::new([NOTHING; 2]);
static WRAPPED_ARENAS: Locked<ffi::PyObjectArenaAllocator> =
    Locked::new(ffi::PyObjectArenaAllocator {
        ctx: null_mut(),
        alloc: None,
        free: None,
    });
const NOTHING: ffi::PyMemAllocatorEx = ffi::PyMemAllocatorEx {
    ctx: null_mut(),
    malloc: None,
    calloc: None,
    realloc: None,
    free: None,
};
const DOMAINS: [ffi::PyMemAllocatorDomain; 2] = [
    ffi::PyMemAllocatorDomain::PYMEM_DOMAIN_MEM,
    ffi::PyMemAllocatorDomain::PYMEM_DOMAIN_OBJ,
];

/// Units of a block that comes from a pool; 0 for others, which `malloc` counts.
#[inline]
fn units(bytes: usize) -> u8 {
    if bytes <= MOST_SMALL {
        bytes.div_ceil(UNIT) as u8
    } else {
        0
    }
}

#[inline]
fn bytes_of(units: u8) -> i64 {
    i64::from(units) * UNIT as i64
}

#[inline]
fn entry(address: usize) -> Option<&'static AtomicU8> {
    let page = address >> PAGE_BITS;
    let part = TABLE.get(page >> PART_BITS)?.load(Relaxed);
    if part.is_null() {
        return None;
    }
    // SAFETY: a part has `PART` entries and is never freed.
    Some(unsafe { &*part.add(page % PART) })
}

/// Units of the blocks where this one lies; 0 when unknown.
#[inline]
fn known(block: *mut c_void) -> u8 {
    entry(block.addr()).map_or(0, |units| units.load(Relaxed))
}

/// A block that was handed out.
#[inline]
fn add(block: *mut c_void, units: u8) {
    match entry(block.addr()) {
        Some(entry) if entry.load(Relaxed) == units => {}
        Some(entry) => entry.store(units, Relaxed),
        None => make_part(block.addr(), units),
    }
    count(bytes_of(units));
}

#[cold]
fn make_part(address: usize, units: u8) {
    let Some(part) = TABLE.get(address >> PAGE_BITS >> PART_BITS) else {
        return;
    };
    // SAFETY: a layout with a size; zeros are valid entries. The lock is held: nobody else makes one.
    part.store(
        unsafe { alloc_zeroed(Layout::new::<[u8; PART]>()) }.cast(),
        Relaxed,
    );
    if let Some(entry) = entry(address) {
        entry.store(units, Relaxed);
    }
}

type Context = *mut c_void;

/// The allocator that a context stands for.
#[inline]
unsafe fn wrapped(context: Context) -> &'static ffi::PyMemAllocatorEx {
    // SAFETY: contexts are pointers into `WRAPPED`, which does not change while they are in use.
    unsafe { &*context.cast::<ffi::PyMemAllocatorEx>() }
}

extern "C" fn malloc(context: Context, bytes: usize) -> *mut c_void {
    // SAFETY: the interpreter's promises are those of the wrapped allocator, here and below.
    unsafe {
        let inner = wrapped(context);
        let block = inner.malloc.map_or(null_mut(), |f| f(inner.ctx, bytes));
        handed_out(block, bytes)
    }
}

extern "C" fn calloc(context: Context, number: usize, bytes: usize) -> *mut c_void {
    // SAFETY: as above.
    unsafe {
        let inner = wrapped(context);
        let block = inner
            .calloc
            .map_or(null_mut(), |f| f(inner.ctx, number, bytes));
        handed_out(block, number.saturating_mul(bytes))
    }
}

#[inline]
fn handed_out(block: *mut c_void, bytes: usize) -> *mut c_void {
    let units = units(bytes);
    if units > 0 && !block.is_null() && COUNTS.load(Relaxed) {
        guard((), || add(block, units));
    }
    block
}

extern "C" fn realloc(context: Context, block: *mut c_void, bytes: usize) -> *mut c_void {
    if block.is_null() {
        return malloc(context, bytes);
    }
    let before = known(block);
    // SAFETY: as above.
    let moved = unsafe {
        let inner = wrapped(context);
        inner
            .realloc
            .map_or(null_mut(), |f| f(inner.ctx, block, bytes))
    };
    if moved.is_null() || moved == block || !COUNTS.load(Relaxed) {
        return moved;
    }
    let after = units(bytes);
    guard((), || {
        if before > 0 {
            count(-bytes_of(before));
            if after > 0 {
                add(moved, after);
            }
        } else if after > 0 && known(moved) == after {
            add(moved, after);
        }
    });
    moved
}

extern "C" fn free(context: Context, block: *mut c_void) {
    if !block.is_null() && COUNTS.load(Relaxed) {
        let units = known(block);
        if units > 0 {
            guard((), || count(-bytes_of(units)));
        }
    }
    // SAFETY: as above.
    unsafe {
        let inner = wrapped(context);
        if let Some(free) = inner.free {
            free(inner.ctx, block);
        }
    }
}

/// Maps an arena as Python does, but from here, where mappings are not counted.
extern "C" fn map_arena(_context: Context, bytes: usize) -> *mut c_void {
    let (protection, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    let arena = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
    if arena == libc::MAP_FAILED {
        null_mut()
    } else {
        arena
    }
}

extern "C" fn unmap_arena(_context: Context, arena: *mut c_void, bytes: usize) {
    // The addresses may come back as somebody else's.
    guard((), || {
        for page in (arena.addr()..arena.addr() + bytes).step_by(1 << PAGE_BITS) {
            if let Some(entry) = entry(page) {
                entry.store(0, Relaxed);
            }
        }
    });
    // SAFETY: an arena of Python's, mapped by it or by `map_arena`, that it has done with.
    unsafe { libc::munmap(arena, bytes) };
}

/// Counts small objects from now on. **Errors** with the reason why it cannot.
pub fn start(python: Python<'_>) -> Result<(), String> {
    if COUNTS.load(Relaxed) {
        return Ok(());
    }
    if cfg!(Py_GIL_DISABLED) || is_debugged(python).unwrap_or(true) {
        return Err(
            "objects are not counted one by one: Python uses another allocator than its usual one"
                .to_owned(),
        );
    }
    // SAFETY: the lock is held; what is set wraps what was there, as the interpreter asks.
    unsafe {
        let held = WRAPPED.get();
        for (domain, inner) in DOMAINS.into_iter().zip(held) {
            let mut current = NOTHING;
            ffi::PyMem_GetAllocator(domain, &raw mut current);
            // Or below a wrapper of somebody else's, from where it counts again.
            if inner.malloc.is_some() {
                continue;
            }
            *inner = current;
            let mut wrapper = ffi::PyMemAllocatorEx {
                ctx: std::ptr::from_mut(inner).cast(),
                malloc: Some(malloc),
                calloc: Some(calloc),
                realloc: Some(realloc),
                free: Some(free),
            };
            ffi::PyMem_SetAllocator(domain, &raw mut wrapper);
        }
        ffi::PyObject_GetArenaAllocator(std::ptr::from_mut(WRAPPED_ARENAS.get()));
        let mut arenas = ffi::PyObjectArenaAllocator {
            ctx: null_mut(),
            alloc: Some(map_arena),
            free: Some(unmap_arena),
        };
        ffi::PyObject_SetArenaAllocator(&raw mut arenas);
    }
    COUNTS.store(true, Relaxed);
    Ok(())
}

/// Counts small objects no more. Wrappers that others wrapped stay, and only pass on.
pub fn stop() {
    if !COUNTS.swap(false, Relaxed) {
        return;
    }
    // SAFETY: the lock is held; what is set is what was there before.
    unsafe {
        for (domain, inner) in DOMAINS.into_iter().zip(WRAPPED.get()) {
            let mut current = NOTHING;
            ffi::PyMem_GetAllocator(domain, &raw mut current);
            if is_ours(&current) {
                ffi::PyMem_SetAllocator(domain, inner);
                *inner = NOTHING;
            }
        }
        ffi::PyObject_SetArenaAllocator(std::ptr::from_mut(WRAPPED_ARENAS.get()));
    }
    for part in &TABLE {
        let part = part.load(Relaxed);
        for page in 0..if part.is_null() { 0 } else { PART } {
            // SAFETY: inside the part.
            unsafe { &*part.add(page) }.store(0, Relaxed);
        }
    }
}

#[allow(
    unpredictable_function_pointer_comparisons,
    reason = "a copy elsewhere would only leave a wrapper in place"
)]
fn is_ours(allocator: &ffi::PyMemAllocatorEx) -> bool {
    allocator.malloc == Some(malloc as extern "C" fn(Context, usize) -> *mut c_void)
}

/// Whether Python's allocators were chosen by its developer settings.
fn is_debugged(python: Python<'_>) -> PyResult<bool> {
    let system = python.import("sys")?;
    let chosen = std::env::var("PYTHONMALLOC").unwrap_or_default();
    Ok(!matches!(chosen.as_str(), "" | "default" | "pymalloc")
        || system.getattr("flags")?.getattr("dev_mode")?.is_truthy()?
        || system.hasattr("gettotalrefcount")?)
}
