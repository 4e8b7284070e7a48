//! The tables that a tool writes its functions into: `NVTX_ETID_CALLBACKS` and `NVTX_ETID_VERSIONINFO`.
//!
//! A tool asks [`export_table`] for the callbacks, and these for the table of a module: addresses of
//! function pointers, by the numbers of `nvtxTypes.h`. Those of the two core modules are read by
//! [`super::tool`]; tools attach to all modules, so the others have places too, which nobody reads.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::attributes::VERSION;
use crate::guard::guard;

/// Numbers of functions in the second core module.
pub const MARK: usize = 1;
pub const START: usize = 2;
pub const END: usize = 3;
pub const PUSH: usize = 4;
pub const POP: usize = 5;
pub const REGISTER: usize = 10;
pub const CREATE: usize = 12;
pub const INITIALIZE: usize = 15;

const CALLBACKS: u32 = 1;
const VERSION_INFO: u32 = 3;

/// The second core module: functions of domains.
const CORE2: usize = 5;

/// Functions of each module, the invalid one at 0 counted: core, CUDA, `OpenCL`, CUDA runtime, core 2,
/// synchronization.
const LENGTHS: [usize; 6] = [16, 9, 15, 7, 16, 7];
/// As many as the longest has.
const LONGEST: usize = 16;

type Function = AtomicPtr<c_void>;

/// Function pointers, by module and number.
static FUNCTIONS: [[Function; LONGEST]; LENGTHS.len()] =
    [const { [const { AtomicPtr::new(null_mut()) }; LONGEST] }; LENGTHS.len()];

/// Addresses of function pointers, with a null at their end.
#[repr(transparent)]
struct Table([*const Function; LONGEST + 1]);

// SAFETY: addresses of statics.
unsafe impl Sync for Table {}

static TABLES: [Table; LENGTHS.len()] = {
    let mut tables = [const { Table([null(); LONGEST + 1]) }; LENGTHS.len()];
    let mut module = 0;
    while module < LENGTHS.len() {
        let mut number = 1;
        while number < LENGTHS[module] {
            tables[module].0[number] = &raw const FUNCTIONS[module][number];
            number += 1;
        }
        module += 1;
    }
    tables
};

#[repr(C)]
struct Callbacks {
    size: usize,
    table_of: extern "C" fn(c_int, *mut *const *const Function, *mut c_uint) -> c_int,
}

#[repr(C)]
struct VersionInfo {
    size: usize,
    version: u32,
    reserved: u32,
    set_tool_version: extern "C" fn(u32),
}

static CALLBACK_TABLE: Callbacks = Callbacks {
    size: size_of::<Callbacks>(),
    table_of,
};

static VERSION_TABLE: VersionInfo = VersionInfo {
    size: size_of::<VersionInfo>(),
    version: VERSION as u32,
    reserved: 0,
    set_tool_version,
};

/// What a tool is handed: gives the table of an id, or null.
pub extern "C" fn export_table(id: u32) -> *const c_void {
    guard(null(), || match id {
        CALLBACKS => (&raw const CALLBACK_TABLE).cast(),
        VERSION_INFO => (&raw const VERSION_TABLE).cast(),
        _ => null(),
    })
}

extern "C" fn table_of(
    module: c_int,
    table: *mut *const *const Function,
    length: *mut c_uint,
) -> c_int {
    guard(0, || write_table(module, table, length))
}

fn write_table(module: c_int, table: *mut *const *const Function, length: *mut c_uint) -> c_int {
    let place = usize::try_from(module).ok().and_then(|module| {
        let place = module.checked_sub(1)?;
        (place < LENGTHS.len()).then_some(place)
    });
    let Some(place) = place else {
        return 0;
    };
    // SAFETY: null, or where the tool wants them written.
    unsafe {
        if !table.is_null() {
            *table = TABLES[place].0.as_ptr();
        }
        if !length.is_null() {
            *length = LENGTHS[place] as c_uint;
        }
    }
    1
}

/// Tools say which version they are; NVTX ignores it too.
extern "C" fn set_tool_version(_version: u32) {
    guard((), || ());
}

/// What the tool wrote for a function of the second core module; null: it doesn't care.
pub fn function(number: usize) -> *mut c_void {
    FUNCTIONS[CORE2 - 1][number].load(Ordering::Acquire)
}

/// Forgets what a tool wrote that then said it can't.
pub fn clear() {
    for function in FUNCTIONS.iter().flatten() {
        function.store(null_mut(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_as_many_places_as_the_headers_say_and_no_others_exist() {
        let (mut table, mut length) = (null(), 0);
        for (module, expected) in (1..).zip([16, 9, 15, 7, 16, 7]) {
            assert_eq!(
                table_of(module, &raw mut table, &raw mut length),
                1,
                "{module}"
            );
            assert_eq!(length, expected);
            // SAFETY: that many places, and a null after them.
            let places = unsafe { std::slice::from_raw_parts(table, length as usize + 1) };
            assert!(places[0].is_null() && places[length as usize].is_null());
            assert!(
                places[1..length as usize]
                    .iter()
                    .all(|place| !place.is_null())
            );
        }
        for module in [-1, 0, 7] {
            assert_eq!(table_of(module, &raw mut table, &raw mut length), 0);
        }
    }
}
