//! A page that the kernel wipes in every child: a child knows itself by it, whoever made it.
//!
//! `_Fork` and a raw `clone` run no fork handlers. Such a child finds locks that nobody releases, handles of threads
//! that it doesn't have, and windows and a black box that it shares with its parent. So what decides whether spans are
//! recorded lies on this page ([`crate::state`]): zero sends the child the slow way before it touches any of these.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

/// The kernel's number of `MADV_WIPEONFORK`.
const WIPE_ON_FORK: libc::c_int = 18;

/// A page of its own, as large as pages are.
#[cfg_attr(target_arch = "aarch64", repr(C, align(65536)))]
#[cfg_attr(not(target_arch = "aarch64"), repr(C, align(4096)))]
pub struct Page {
    /// A [`crate::state::Mode`], or 0: not decided.
    pub mode: AtomicU8,
    /// Whether this is the process that it was set up in, or a child whose fork handlers ran.
    is_known: AtomicBool,
}

pub static PAGE: Page = Page {
    mode: AtomicU8::new(0),
    is_known: AtomicBool::new(false),
};
/// Whether the kernel wipes the page.
static IS_SET_UP: AtomicBool = AtomicBool::new(false);

/// Has the kernel wipe the page in children from now on. Kernels before 4.14 can't.
pub fn set_up() {
    let page = &raw const PAGE;
    // SAFETY: the page is this static's alone, which stays for the life of the process; other pages are not touched,
    // or the kernel refuses.
    let done = unsafe {
        let size = libc::sysconf(libc::_SC_PAGESIZE);
        usize::try_from(size).is_ok_and(|size| page.addr().is_multiple_of(size))
            && libc::madvise(page.cast_mut().cast(), size_of::<Page>(), WIPE_ON_FORK) == 0
    };
    know();
    IS_SET_UP.store(done, Relaxed);
}

/// In a forked child whose handlers run: it is taken care of.
pub fn know() {
    PAGE.is_known.store(true, Relaxed);
}

/// Whether this is a child whose fork handlers didn't run. Nothing of the recorder may be touched in it.
#[inline]
pub fn is_unknown_child() -> bool {
    // One load, as a rule: of a page that every span reads anyway.
    !PAGE.is_known.load(Relaxed) && IS_SET_UP.load(Relaxed)
}
