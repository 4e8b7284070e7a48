//! Which pages lie in mappings that were counted, so that unmapping counts exactly those.
//!
//! A program maps files too, and memory that it only reserves; what it unmaps may be any part of
//! anything. A bit a page, in parts that are made when first needed, takes any such piece without a
//! lock: mappings are made in signal handlers and between the two halves of a fork.

#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic in a hook ends the program"
)]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Bytes of a page here; larger ones are several.
const PAGE_BITS: u32 = 12;
/// Pages of a part: one gigabyte of addresses, 32 KiB of bits.
const PART_BITS: u32 = 18;
const WORDS: usize = 1 << (PART_BITS - u64::BITS.ilog2());
/// Parts for 48 bits of address; those that are never used take no memory.
const PARTS: usize = 1 << (48 - PAGE_BITS - PART_BITS);
/// Where the addresses that a program can have end.
pub const END: usize = PARTS << PART_BITS << PAGE_BITS;
/// A mapping above this is room set aside: it is not counted, and takes no bits.
const MOST: usize = 1 << 40;

type Part = [AtomicU64; WORDS];

static TABLE: [AtomicPtr<Part>; PARTS] = [const { AtomicPtr::new(null_mut()) }; PARTS];

/// Adds a range. Bytes that were not in one before.
pub fn insert(start: usize, len: usize) -> i64 {
    if len > MOST {
        return remove(start, len).saturating_neg();
    }
    for_each_word(start, len, make_part, |word, bits| {
        bits & !word.fetch_or(bits, Ordering::Relaxed)
    })
}

/// Takes a range out. Bytes that were in one.
pub fn remove(start: usize, len: usize) -> i64 {
    let load = |part: &AtomicPtr<Part>| part.load(Ordering::Acquire);
    for_each_word(start, len, load, |word, bits| {
        bits & word.fetch_and(!bits, Ordering::Relaxed)
    })
}

/// Takes everything out.
pub fn clear() {
    remove(0, END);
}

/// Changes the bits of a range word by word; bytes of the bits that `change` returns.
fn for_each_word(
    start: usize,
    len: usize,
    find: impl Fn(&AtomicPtr<Part>) -> *mut Part,
    change: impl Fn(&AtomicU64, u64) -> u64,
) -> i64 {
    let last = start.saturating_add(len).saturating_sub(1) >> PAGE_BITS;
    let mut page = start >> PAGE_BITS;
    let mut changed = 0_u32;
    while len > 0 && page <= last {
        let Some(part) = TABLE.get(page >> PART_BITS) else {
            break;
        };
        // SAFETY: made by `make_part` and never unmade.
        let Some(part) = (unsafe { find(part).as_ref() }) else {
            page = (page >> PART_BITS).wrapping_add(1) << PART_BITS;
            continue;
        };
        let from = page % 64;
        let count = last
            .wrapping_sub(page)
            .saturating_add(1)
            .min(64_usize.wrapping_sub(from));
        let bits = (u64::MAX >> 64_usize.wrapping_sub(count)) << from;
        if let Some(word) = part.get(page / 64 % WORDS) {
            changed = changed.wrapping_add(change(word, bits).count_ones());
        }
        page = page.wrapping_add(count);
    }
    i64::from(changed) << PAGE_BITS
}

/// The part, made when there is none; null where there is no memory for it.
fn make_part(place: &AtomicPtr<Part>) -> *mut Part {
    let part = place.load(Ordering::Acquire);
    if !part.is_null() {
        return part;
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: the calling thread's own variable, and a fresh mapping at an address of the kernel's
    // choice: zeros are valid words. Whoever comes second takes its own away again.
    unsafe {
        let error = *libc::__errno_location();
        let mut made = libc::mmap(null_mut(), size_of::<Part>(), protection, flags, -1, 0).cast();
        if made == libc::MAP_FAILED.cast() {
            made = null_mut();
        } else if let Err(first) =
            place.compare_exchange(null_mut(), made, Ordering::AcqRel, Ordering::Acquire)
        {
            libc::munmap(made.cast(), size_of::<Part>());
            made = first;
        }
        *libc::__errno_location() = error;
        made
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::unwrap_used)]
mod tests {
    use super::*;

    const PAGE: usize = 1 << PAGE_BITS;

    #[test]
    fn unmapping_counts_what_was_counted_and_no_more() {
        // On both sides of a border between parts, far from addresses that a program has.
        let border = 5 << PART_BITS;
        let at = |page: usize| (border - 150 + page) * PAGE;
        let pages = |bytes: i64| bytes / PAGE as i64;
        assert_eq!(pages(insert(at(100), 100 * PAGE)), 100);
        assert_eq!(pages(insert(at(300), 100 * PAGE)), 100);
        assert_eq!(pages(remove(at(0), 100 * PAGE)), 0);
        assert_eq!(pages(remove(at(150), 10 * PAGE)), 10);
        assert_eq!(pages(remove(at(120), 200 * PAGE)), 30 + 40 + 20);
        assert_eq!(pages(insert(at(90), 20 * PAGE)), 10);
        assert_eq!(pages(insert(at(90), MOST + 1)), -(30 + 80));
        assert_eq!(pages(remove(at(0), 1_000 * PAGE)), 0);
        assert_eq!(pages(insert(at(0) + 1, 1)), 1);
        assert_eq!(pages(remove(at(0), 0)), 0);
        assert_eq!(pages(remove(at(0), usize::MAX)), 1);
    }
}
