//! What takes the place of `mmap` and its kin: anonymous memory that can be written to counts.

#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic in a hook ends the program"
)]

use std::ffi::{c_int, c_void};

use libc::{off_t, size_t};

use super::super::counters::count;
use super::originals::{MMAP, MREMAP, MUNMAP, original};
use super::{regions, relro};

type Mmap = unsafe extern "C" fn(*mut c_void, size_t, c_int, c_int, c_int, off_t) -> *mut c_void;
type Munmap = unsafe extern "C" fn(*mut c_void, size_t) -> c_int;
type Mremap = unsafe extern "C" fn(*mut c_void, size_t, size_t, c_int, *mut c_void) -> *mut c_void;

/// Whole pages.
fn pages(bytes: usize) -> usize {
    let rest = relro::page().wrapping_sub(1);
    bytes.saturating_add(rest) & !rest
}

/// Takes out what a call is about to unmap, if it can be one that succeeds. Bytes that counted.
fn remove(start: *mut c_void, bytes: usize) -> i64 {
    let end = start.addr().checked_add(bytes);
    let is_valid =
        start.addr().is_multiple_of(relro::page()) && end.is_some_and(|end| end <= regions::END);
    if is_valid {
        regions::remove(start.addr(), pages(bytes))
    } else {
        0
    }
}

/// Puts back what a call did not unmap after all. Which pages counted is known when all did.
fn put_back(start: *mut c_void, bytes: usize, removed: i64) {
    if removed > 0 && removed == pages(bytes) as i64 {
        regions::insert(start.addr(), pages(bytes));
    } else {
        count(removed.wrapping_neg());
    }
}

pub unsafe extern "C" fn mmap(
    wanted: *mut c_void,
    bytes: size_t,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: the caller's promises are those of the real function, here and below.
    let start = unsafe { original!(MMAP as Mmap)(wanted, bytes, protection, flags, file, offset) };
    if start == libc::MAP_FAILED {
        return start;
    }
    if flags & libc::MAP_ANONYMOUS != 0 && protection & libc::PROT_WRITE != 0 {
        count(regions::insert(start.addr(), pages(bytes)));
    } else if flags & libc::MAP_FIXED != 0 {
        count(regions::remove(start.addr(), pages(bytes)).wrapping_neg());
    }
    start
}

pub unsafe extern "C" fn munmap(start: *mut c_void, bytes: size_t) -> c_int {
    // Before it is gone: the next moment another thread may have it.
    let removed = remove(start, bytes);
    // SAFETY: as above.
    let result = unsafe { original!(MUNMAP as Munmap)(start, bytes) };
    if result == 0 {
        count(removed.wrapping_neg());
    } else {
        put_back(start, bytes, removed);
    }
    result
}

/// The fifth argument is there only when the flags say so; reading it anyway reads a register.
pub unsafe extern "C" fn mremap(
    start: *mut c_void,
    bytes: size_t,
    wanted: size_t,
    flags: c_int,
    place: *mut c_void,
) -> *mut c_void {
    let removed = remove(start, bytes);
    // SAFETY: as above.
    let moved = unsafe { original!(MREMAP as Mremap)(start, bytes, wanted, flags, place) };
    if moved == libc::MAP_FAILED {
        put_back(start, bytes, removed);
    } else if removed > 0 {
        let added = regions::insert(moved.addr(), pages(wanted));
        count(added.wrapping_sub(removed));
    }
    moved
}
