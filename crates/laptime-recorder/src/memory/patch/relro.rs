//! The pages of an object that the loader protects when it has filled them in.
//!
//! Making them read-only is the loader's last act on an object's tables, so they tell when it is
//! done. Nothing else does: an object is listed, and the list is called consistent, while its tables
//! are still being filled in. To write to a page earlier, and to protect it then as it should be
//! in the end, would stop the loader in the middle of its work.

use std::ffi::c_void;
use std::ops::Range;

/// Whole pages that the loader protects.
#[derive(Debug, Clone)]
pub struct Protected(Range<usize>);

/// Bytes of a page of memory.
pub fn page() -> usize {
    // SAFETY: no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(page).unwrap_or(0).max(4096)
}

impl Protected {
    /// The protected pages of a range that an object asks for: the loader leaves the part of a page at its end
    /// alone. `None` when that is all there is.
    pub fn of(asked: &Range<usize>) -> Option<Self> {
        let start_of = |address: usize| address & !(page() - 1);
        let range = start_of(asked.start)..start_of(asked.end);
        (!range.is_empty()).then_some(Self(range))
    }

    /// Whether an address lies in them.
    pub fn hold(&self, address: usize) -> bool {
        self.0.contains(&address)
    }

    /// Whether the pages are read-only now.
    pub fn are_closed(&self) -> bool {
        refuses_writes(self.0.start)
    }

    /// Makes them writable. Whether that was possible.
    pub fn open(&self) -> bool {
        self.set(libc::PROT_READ | libc::PROT_WRITE)
    }

    /// Makes them what the loader had made them.
    pub fn close(&self) {
        self.set(libc::PROT_READ);
    }

    fn set(&self, protection: i32) -> bool {
        let start = self.0.start as *mut c_void;
        // SAFETY: pages of an object that stays loaded meanwhile and that the loader is done with;
        // they stay readable, so nobody who reads them is disturbed.
        unsafe { libc::mprotect(start, self.0.len(), protection) == 0 }
    }
}

/// Whether a word cannot be written to. The kernel is asked to set no bit in it: where it can be
/// written to that is one step which changes nothing, under the loader's hands too.
fn refuses_writes(place: usize) -> bool {
    let operation = libc::FUTEX_OP_OR << 28 | libc::FUTEX_OP_CMP_EQ << 24;
    let nobody = 0_u32;
    // SAFETY: the kernel checks both addresses; nobody waits at either.
    let woken = unsafe {
        libc::syscall(
            libc::SYS_futex,
            &raw const nobody,
            libc::FUTEX_WAKE_OP | libc::FUTEX_PRIVATE_FLAG,
            0,
            0_usize,
            place,
            operation,
        )
    };
    // SAFETY: the calling thread's own variable.
    woken == -1 && unsafe { *libc::__errno_location() } == libc::EFAULT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_closed_when_they_are_read_only() {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping, unmapped below.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), 2 * page(), protection, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let pages = Protected::of(&(start as usize + 8..start as usize + page() + 8)).unwrap();
        assert!(!pages.are_closed());
        // SAFETY: a word of the mapping.
        let word = unsafe { &mut *start.cast::<u64>() };
        *word = u64::MAX;
        assert!(!pages.are_closed());
        assert_eq!(*word, u64::MAX);
        pages.close();
        assert!(pages.are_closed());
        assert!(pages.open());
        assert!(!pages.are_closed());
        // SAFETY: mapped above.
        unsafe { libc::munmap(start, 2 * page()) };
    }

    #[test]
    fn a_range_within_one_page_is_never_protected() {
        assert!(Protected::of(&(page()..2 * page() - 1)).is_none());
    }
}
