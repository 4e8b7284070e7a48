//! What takes the place of `malloc` and its kin where a program at fixed addresses stands in for them.
//!
//! The loader itself comes through those entries, for the storage of thread-locals among others, and so
//! does this object. A hook needs such storage in its turn, and our own memory doesn't count: calls
//! of both, told by where they return to, go on to the real function by a jump.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::originals::{
    CALLOC, FREE, MALLOC, MMAP, MREMAP, MUNMAP, ORIGINALS, POSIX_MEMALIGN, REALLOC,
};
use super::{allocating, mapping};

/// Where the loader and this object are: the start of each, and how many bytes it takes.
static PASSED: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// Says where the loader is.
pub fn set_loader(range: &std::ops::Range<usize>) {
    PASSED[0].store(range.start, Relaxed);
    PASSED[1].store(range.len(), Relaxed);
}

/// Says where this object is.
pub fn set_own(range: &std::ops::Range<usize>) {
    PASSED[2].store(range.start, Relaxed);
    PASSED[3].store(range.len(), Relaxed);
}

/// Jumps to the real function for the two, and to the replacement for others.
macro_rules! unless_passed {
    ($name:ident, $replacement:path, $hook:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "endbr64",
                "mov rax, qword ptr [rsp]",
                "sub rax, qword ptr [rip + {passed}]",
                "cmp rax, qword ptr [rip + {passed} + 8]",
                "jb 2f",
                "mov rax, qword ptr [rsp]",
                "sub rax, qword ptr [rip + {passed} + 16]",
                "cmp rax, qword ptr [rip + {passed} + 24]",
                "jb 2f",
                "jmp {replacement}",
                "2:",
                "jmp qword ptr [rip + {originals} + {offset}]",
                passed = sym PASSED,
                replacement = sym $replacement,
                originals = sym ORIGINALS,
                offset = const $hook * size_of::<usize>(),
            )
        }

        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "hint #34", // bti c
                "adrp x16, {passed}",
                "add x16, x16, :lo12:{passed}",
                "ldp x17, x16, [x16]",
                "sub x17, x30, x17",
                "cmp x17, x16",
                "b.lo 2f",
                "adrp x16, {passed}",
                "add x16, x16, :lo12:{passed}",
                "ldp x17, x16, [x16, #16]",
                "sub x17, x30, x17",
                "cmp x17, x16",
                "b.lo 2f",
                "b {replacement}",
                "2:",
                "adrp x16, {originals} + {offset}",
                "ldr x16, [x16, :lo12:{originals} + {offset}]",
                "br x16",
                passed = sym PASSED,
                replacement = sym $replacement,
                originals = sym ORIGINALS,
                offset = const $hook * size_of::<usize>(),
            )
        }
    };
}

unless_passed!(malloc, allocating::malloc, MALLOC);
unless_passed!(calloc, allocating::calloc, CALLOC);
unless_passed!(realloc, allocating::realloc, REALLOC);
unless_passed!(free, allocating::free, FREE);
unless_passed!(posix_memalign, allocating::posix_memalign, POSIX_MEMALIGN);
unless_passed!(mmap, mapping::mmap, MMAP);
unless_passed!(mremap, mapping::mremap, MREMAP);
unless_passed!(munmap, mapping::munmap, MUNMAP);
