//! What takes the place of `malloc` and its kin: call the real function, count its bytes.

#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic in a hook ends the program"
)]

use std::ffi::{c_int, c_void};

use libc::size_t;

use super::super::counters::count;
use super::originals::{
    ALIGNED_ALLOC, CALLOC, FREE, MALLOC, MEMALIGN, POSIX_MEMALIGN, REALLOC, original,
};

type Malloc = unsafe extern "C" fn(size_t) -> *mut c_void;
type Calloc = unsafe extern "C" fn(size_t, size_t) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Realloc = unsafe extern "C" fn(*mut c_void, size_t) -> *mut c_void;
type PosixMemalign = unsafe extern "C" fn(*mut *mut c_void, size_t, size_t) -> c_int;

/// Bytes that a block really takes.
#[inline]
unsafe fn size(block: *mut c_void) -> i64 {
    // SAFETY: the caller passes a live block of the allocator, or null.
    unsafe { libc::malloc_usable_size(block) as i64 }
}

#[inline]
unsafe fn counted(block: *mut c_void) -> *mut c_void {
    if !block.is_null() {
        // SAFETY: just handed out.
        count(unsafe { size(block) });
    }
    block
}

pub unsafe extern "C" fn malloc(bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's promises are those of the real function, here and below.
    unsafe { counted(original!(MALLOC as Malloc)(bytes)) }
}

pub unsafe extern "C" fn calloc(number: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: as above.
    unsafe { counted(original!(CALLOC as Calloc)(number, bytes)) }
}

pub unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: as above.
    unsafe {
        count(size(block).wrapping_neg());
        original!(FREE as Free)(block);
    }
}

pub unsafe extern "C" fn realloc(block: *mut c_void, bytes: size_t) -> *mut c_void {
    // SAFETY: as above. When nothing comes back the block is still there, unless it was to be freed.
    unsafe {
        let before = if block.is_null() { 0 } else { size(block) };
        let moved = original!(REALLOC as Realloc)(block, bytes);
        if !moved.is_null() {
            count(size(moved).wrapping_sub(before));
        } else if bytes == 0 && before > 0 {
            count(before.wrapping_neg());
        }
        moved
    }
}

pub unsafe extern "C" fn reallocarray(
    block: *mut c_void,
    number: size_t,
    bytes: size_t,
) -> *mut c_void {
    let Some(bytes) = number.checked_mul(bytes) else {
        // SAFETY: the calling thread's own variable.
        unsafe { *libc::__errno_location() = libc::ENOMEM };
        return std::ptr::null_mut();
    };
    // Not the real one, which may come back here for its `realloc`.
    // SAFETY: as above.
    unsafe { realloc(block, bytes) }
}

pub unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    alignment: size_t,
    bytes: size_t,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let error = original!(POSIX_MEMALIGN as PosixMemalign)(place, alignment, bytes);
        if error == 0 {
            counted(*place);
        }
        error
    }
}

pub unsafe extern "C" fn aligned_alloc(alignment: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: as above.
    unsafe { counted(original!(ALIGNED_ALLOC as Calloc)(alignment, bytes)) }
}

pub unsafe extern "C" fn memalign(alignment: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: as above.
    unsafe { counted(original!(MEMALIGN as Calloc)(alignment, bytes)) }
}
