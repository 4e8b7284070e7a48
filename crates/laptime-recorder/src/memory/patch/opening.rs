//! What stands before the loader's own functions: a look for new objects, then the function itself.
//!
//! These functions are entered by a jump, since they look at the return address to learn who is
//! asking.

use super::originals::{DLMOPEN, DLOPEN, DLSYM, ORIGINALS};
use super::{look_for_new_objects, opening};

/// Jumps to the real function after calling `$before`, with every argument as it was.
macro_rules! jump_after {
    ($name:ident, $before:path, $hook:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "endbr64",
                "push rdi",
                "push rsi",
                "push rdx",
                "call {before}",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp qword ptr [rip + {originals} + {offset}]",
                before = sym $before,
                originals = sym ORIGINALS,
                offset = const $hook * size_of::<usize>(),
            )
        }

        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "hint #34", // bti c
                "stp x29, x30, [sp, #-48]!",
                "stp x0, x1, [sp, #16]",
                "str x2, [sp, #32]",
                "bl {before}",
                "ldr x2, [sp, #32]",
                "ldp x0, x1, [sp, #16]",
                "ldp x29, x30, [sp], #48",
                "adrp x16, {originals} + {offset}",
                "ldr x16, [x16, :lo12:{originals} + {offset}]",
                "br x16",
                before = sym $before,
                originals = sym ORIGINALS,
                offset = const $hook * size_of::<usize>(),
            )
        }
    };
}

jump_after!(dlopen, opening, DLOPEN);
jump_after!(dlmopen, opening, DLMOPEN);
jump_after!(dlsym, look_for_new_objects, DLSYM);
