//! Where the real functions are: what the replacements call.
//!
//! Apart from the table of replacements, so that a replacement needs to know of no other.

use std::sync::atomic::AtomicPtr;

macro_rules! originals {
    ($($index:ident $function:path;)*) => {
        originals!(@count 0; $($index)*);
        pub static ORIGINALS: [AtomicPtr<()>; COUNT] = [$(AtomicPtr::new($function as *mut ())),*];
    };
    (@count $number:expr; $index:ident $($rest:ident)*) => {
        pub const $index: usize = $number;
        originals!(@count $number + 1; $($rest)*);
    };
    (@count $number:expr;) => { pub const COUNT: usize = $number; };
}

originals! {
    MALLOC libc::malloc;
    FREE libc::free;
    CALLOC libc::calloc;
    REALLOC libc::realloc;
    REALLOCARRAY libc::reallocarray;
    POSIX_MEMALIGN libc::posix_memalign;
    ALIGNED_ALLOC libc::aligned_alloc;
    MEMALIGN libc::memalign;
    MMAP libc::mmap;
    MMAP64 libc::mmap64;
    MREMAP libc::mremap;
    MUNMAP libc::munmap;
    DLOPEN libc::dlopen;
    DLMOPEN libc::dlmopen;
    DLSYM libc::dlsym;
}

/// A real function, as one of the given type.
macro_rules! original {
    ($index:ident as $type:ty) => {
        std::mem::transmute::<*mut (), $type>(
            crate::memory::patch::originals::ORIGINALS[$index]
                .load(std::sync::atomic::Ordering::Relaxed),
        )
    };
}
pub(super) use original;
