//! Where the interpreter keeps what is read of it, as the shim knows from its headers.

use std::ffi::{CStr, c_char, c_void};

/// Offsets and lengths in bytes; the same as `laptime_layout` in shim/stack.c.
#[repr(C)]
#[derive(Debug)]
pub struct Layout {
    pub state_len: u64,
    pub state_next: u64,
    pub state_context: u64,
    /// How often the context has changed.
    pub state_version: u64,
    pub state_thread: u64,
    /// 1: what stands there is the system's id, and not a `pthread_t`.
    pub state_is_native: u64,
    pub state_frame: u64,
    /// Where the frame stands in what the thread state points to; [`NOWHERE`]: it points to the frame.
    pub frame_in_state: u64,
    pub frame_len: u64,
    pub frame_code: u64,
    pub frame_previous: u64,
    pub frame_instruction: u64,
    /// Who owns a frame; [`NOWHERE`] where all are functions of Python.
    pub frame_owner: u64,
    /// Where the local variables of a frame begin.
    pub frame_locals: u64,
    pub code_len: u64,
    pub code_first: u64,
    pub code_filename: u64,
    pub code_name: u64,
    pub code_table: u64,
    /// The names of a code's local variables, a tuple.
    pub code_locals: u64,
    pub bytes_len: u64,
    pub bytes_data: u64,
    pub text_len: u64,
    /// In the interpreter; [`NOWHERE`] where [`lock_holder`] says who has the lock.
    pub gil: u64,
    pub gil_holder: u64,
    pub gil_locked: u64,
    pub context_len: u64,
    pub context_vars: u64,
    pub context_entered: u64,
    /// The context that was current before; [`NOWHERE`] where threads begin in none.
    pub context_previous: u64,
    pub root: u64,
    pub bitmap: u64,
    pub bitmap_items: u64,
    pub array_items: u64,
    pub type_of: u64,
    pub type_name: u64,
    pub tuple_items: u64,
    pub digit: u64,
    pub referent: u64,
    /// Where a list says at which address its items stand; how many there are stands at `bytes_len`.
    pub list_items: u64,
}

/// An offset that isn't.
pub const NOWHERE: u64 = u64::MAX;

unsafe extern "C" {
    fn laptime_unknown_stacks() -> *const c_char;
    fn laptime_stack_layout() -> *const Layout;
    fn laptime_interpreter() -> *mut c_void;
    fn laptime_first_state(interpreter: *mut c_void) -> *mut c_void;
    fn laptime_lock_holder() -> *const c_void;
    fn laptime_collecting() -> u64;
    fn laptime_line(code: *mut u8, code_at: u64, table: *mut u8, instruction: u64) -> i32;
    fn laptime_text(head: *mut u8, at: &mut u64, width: &mut u64, length: &mut u64) -> i32;
}

/// Why nothing of this interpreter may be read, if so: it isn't known where things stand, and nothing
/// else here may be called.
pub fn unknown() -> Option<&'static str> {
    // SAFETY: a constant text, or null.
    unsafe {
        let why = laptime_unknown_stacks();
        (!why.is_null()).then(|| CStr::from_ptr(why).to_str().unwrap_or_default())
    }
}

/// That of the interpreter that the extension was built for.
pub fn layout() -> &'static Layout {
    // SAFETY: a constant.
    unsafe { &*laptime_stack_layout() }
}

/// The main interpreter and its first thread state; 0 where there is none.
pub fn interpreter() -> (u64, u64) {
    // SAFETY: reads two words that are there as long as the process is.
    let (interpreter, state) = unsafe {
        let interpreter = laptime_interpreter();
        (interpreter, laptime_first_state(interpreter))
    };
    (interpreter.addr() as u64, state.addr() as u64)
}

/// Where the address of the thread state stands that has the lock; 0 in interpreters that have it elsewhere.
pub fn lock_holder() -> u64 {
    // SAFETY: tells an address.
    unsafe { laptime_lock_holder() }.addr() as u64
}

/// Where the interpreter notes whether it collects garbage, by the headers that the extension was built for.
pub fn collecting() -> u64 {
    // SAFETY: tells a constant.
    unsafe { laptime_collecting() }
}

/// Room behind a line table: its last entry may be half new, and look as if it went on.
pub const TABLE_ROOM: usize = 16;

/// The line of an instruction; of one that has none, that at which its code begins.
///
/// `code` is a copy of the code at `code_at`, and `table` one of its line table with [`TABLE_ROOM`] behind.
pub fn line(code: &mut [u64], code_at: u64, table: &mut [u64], instruction: u64) -> u32 {
    // SAFETY: copies of all that is read, in words as the interpreter aligns them.
    let line = unsafe {
        let (code, table) = (code.as_mut_ptr().cast(), table.as_mut_ptr().cast());
        laptime_line(code, code_at, table, instruction)
    };
    u32::try_from(line).unwrap_or(0)
}

/// Where the characters of a string stand, by a copy of its head: offset, bytes of each, and how many.
pub fn text(head: &mut [u64]) -> Option<(u64, u64, u64)> {
    let (mut at, mut width, mut length) = (0, 0, 0);
    // SAFETY: a copy of all that is read.
    let found = unsafe {
        let head = head.as_mut_ptr().cast();
        laptime_text(head, &mut at, &mut width, &mut length)
    };
    (found != 0).then_some((at, width, length))
}
