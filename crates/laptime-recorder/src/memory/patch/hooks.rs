//! What takes the place of `malloc` and its kin: call the real function, count its bytes.
//!
//! This object's own table is not patched, so the functions named here are the real ones. A
//! hook must not allocate, block or unwind: it runs wherever the program allocates, in
//! constructors, signal handlers and dying threads. The functions of the loader are entered
//! by a jump, since they ask who called them.

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

use libc::{off_t, size_t};

use super::super::counters::count;
use super::{look_for_new_objects, opening, regions};

/// One function and its replacement.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    name: &'static CStr,
    pub replacement: usize,
    pub real: usize,
    /// Whether it maps memory rather than hands it out.
    pub maps: bool,
}

/// The replacement of a function, if it has one.
pub fn find(name: &CStr) -> Option<&'static Hook> {
    let first = *name.to_bytes().first()?;
    if !b"acdfmpr".contains(&first) {
        return None;
    }
    hooks().iter().find(|hook| hook.name == name)
}

/// Address of the function that hands memory out.
pub fn allocator() -> usize {
    libc::malloc as *const () as usize
}

fn hooks() -> &'static [Hook] {
    static HOOKS: OnceLock<Vec<Hook>> = OnceLock::new();
    HOOKS.get_or_init(|| {
        let hook = |name, replacement: *const (), real: *const (), maps| Hook {
            name,
            replacement: replacement as usize,
            real: real as usize,
            maps,
        };
        let f = false;
        let mut hooks = vec![
            hook(c"malloc", malloc as *const (), libc::malloc as *const (), f),
            hook(c"free", free as *const (), libc::free as *const (), f),
            hook(c"calloc", calloc as *const (), libc::calloc as *const (), f),
            hook(
                c"realloc",
                realloc as *const (),
                libc::realloc as *const (),
                f,
            ),
            hook(
                c"reallocarray",
                reallocarray as *const (),
                libc::reallocarray as *const (),
                f,
            ),
            hook(
                c"posix_memalign",
                posix_memalign as *const (),
                libc::posix_memalign as *const (),
                f,
            ),
            hook(
                c"aligned_alloc",
                aligned_alloc as *const (),
                libc::aligned_alloc as *const (),
                f,
            ),
            hook(
                c"memalign",
                memalign as *const (),
                libc::memalign as *const (),
                f,
            ),
            hook(c"mmap", mmap as *const (), libc::mmap as *const (), true),
            hook(
                c"mmap64",
                mmap as *const (),
                libc::mmap64 as *const (),
                true,
            ),
            hook(
                c"mremap",
                mremap as *const (),
                libc::mremap as *const (),
                true,
            ),
            hook(
                c"munmap",
                munmap as *const (),
                libc::munmap as *const (),
                true,
            ),
            hook(c"dlopen", dlopen as *const (), libc::dlopen as *const (), f),
            hook(
                c"dlmopen",
                dlmopen as *const (),
                libc::dlmopen as *const (),
                f,
            ),
            hook(c"dlsym", dlsym as *const (), libc::dlsym as *const (), f),
        ];
        hooks.shrink_to_fit();
        hooks
    })
}

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

unsafe extern "C" fn malloc(bytes: size_t) -> *mut c_void {
    // SAFETY: the caller's promises are those of the real function, here and below.
    unsafe { counted(libc::malloc(bytes)) }
}

unsafe extern "C" fn calloc(number: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: as above.
    unsafe { counted(libc::calloc(number, bytes)) }
}

unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: as above.
    unsafe {
        count(-size(block));
        libc::free(block);
    }
}

unsafe extern "C" fn realloc(block: *mut c_void, bytes: size_t) -> *mut c_void {
    // SAFETY: as above. When nothing comes back the block is still there, unless it was to be freed.
    unsafe {
        let before = if block.is_null() { 0 } else { size(block) };
        let moved = libc::realloc(block, bytes);
        if !moved.is_null() {
            count(size(moved) - before);
        } else if bytes == 0 && before > 0 {
            count(-before);
        }
        moved
    }
}

unsafe extern "C" fn reallocarray(
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

unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    alignment: size_t,
    bytes: size_t,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let error = libc::posix_memalign(place, alignment, bytes);
        if error == 0 {
            counted(*place);
        }
        error
    }
}

unsafe extern "C" fn aligned_alloc(alignment: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: as above.
    unsafe { counted(libc::aligned_alloc(alignment, bytes)) }
}

unsafe extern "C" fn memalign(alignment: size_t, bytes: size_t) -> *mut c_void {
    // SAFETY: as above.
    unsafe { counted(libc::memalign(alignment, bytes)) }
}

/// Whole pages.
fn pages(bytes: usize) -> usize {
    // SAFETY: no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    bytes.div_ceil(page).saturating_mul(page)
}

unsafe extern "C" fn mmap(
    wanted: *mut c_void,
    bytes: size_t,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: as above.
    let start = unsafe { libc::mmap(wanted, bytes, protection, flags, file, offset) };
    if start == libc::MAP_FAILED {
        return start;
    }
    let is_memory = flags & libc::MAP_ANONYMOUS != 0 && protection & libc::PROT_WRITE != 0;
    if is_memory {
        count(regions::insert(start as usize, pages(bytes)));
    } else if flags & libc::MAP_FIXED != 0 {
        let replaced = regions::remove(start as usize, pages(bytes));
        count(replaced.wrapping_neg());
    }
    start
}

unsafe extern "C" fn munmap(start: *mut c_void, bytes: size_t) -> c_int {
    // Before it is gone: the next moment another thread may have it.
    let removed = regions::remove(start as usize, pages(bytes));
    // SAFETY: as above.
    let result = unsafe { libc::munmap(start, bytes) };
    if result == 0 {
        count(removed.wrapping_neg());
    } else if removed > 0 {
        regions::insert(start as usize, removed as usize);
    }
    result
}

/// The fifth argument is there only when the flags say so; reading it anyway reads a register.
unsafe extern "C" fn mremap(
    start: *mut c_void,
    bytes: size_t,
    wanted: size_t,
    flags: c_int,
    place: *mut c_void,
) -> *mut c_void {
    let removed = regions::remove(start as usize, pages(bytes));
    // SAFETY: as above.
    let moved = unsafe { libc::mremap(start, bytes, wanted, flags, place) };
    if removed > 0 {
        let (start, bytes, lost) = if moved == libc::MAP_FAILED {
            (start, removed as usize, removed)
        } else {
            (moved, pages(wanted), removed)
        };
        let added = regions::insert(start as usize, bytes);
        count(added.wrapping_sub(lost));
    }
    moved
}

/// Jumps to `$real` after calling `$before`, with every argument as it was: the loader looks at the
/// return address to learn who is asking.
macro_rules! jump_after {
    ($name:ident, $before:path, $real:path) => {
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "endbr64",
                "push rdi",
                "push rsi",
                "push rdx",
                "call {before}",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp qword ptr [rip + {real}@GOTPCREL]",
                before = sym $before,
                real = sym $real,
            )
        }

        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "hint #34", // bti c
                "stp x29, x30, [sp, #-48]!",
                "stp x0, x1, [sp, #16]",
                "str x2, [sp, #32]",
                "bl {before}",
                "ldr x2, [sp, #32]",
                "ldp x0, x1, [sp, #16]",
                "ldp x29, x30, [sp], #48",
                "b {real}",
                before = sym $before,
                real = sym $real,
            )
        }
    };
}

jump_after!(dlopen, opening, libc::dlopen);
jump_after!(dlmopen, opening, libc::dlmopen);
jump_after!(dlsym, look_for_new_objects, libc::dlsym);
