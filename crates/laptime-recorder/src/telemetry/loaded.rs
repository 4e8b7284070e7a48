//! Whether the program has loaded NVIDIA's driver, without loading it or waiting for whoever loads something.
//!
//! The linker counts what was ever loaded: where the count is as it was, nothing is looked through. It is
//! asked through `dl_iterate_phdr`, whose lock is held for moments only, whereas `dlopen` would wait for a
//! whole `import torch` on another thread.

use std::ffi::{CStr, OsStr, OsString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;

use crate::guard::guard;
use crate::lock::Lock;

/// How the file of the driver's library begins, whatever its version.
const LIBRARY: &[u8] = b"libcuda.so.";

/// Held while the linker is asked: a child that is forked meanwhile would find the linker's own lock held for ever.
static ASKING: Lock<()> = Lock::new(());

/// Waits until the linker isn't asked, and keeps it so.
pub fn lock_for_fork() {
    ASKING.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
///
/// This thread locked it.
pub unsafe fn unlock_after_fork() {
    // SAFETY: as the caller promises.
    unsafe { ASKING.release() };
}

/// What was seen of loaded libraries.
#[derive(Debug, Default)]
pub struct Loaded {
    /// How many were loaded so far when it was looked last.
    seen: u64,
}

/// One look.
struct Look {
    seen: u64,
    is_first: bool,
    found: Option<OsString>,
}

impl Loaded {
    /// The file of the driver, once it is loaded.
    pub fn look(&mut self) -> Option<OsString> {
        let mut look = Look {
            seen: self.seen,
            is_first: true,
            found: None,
        };
        let asking = ASKING.lock();
        // SAFETY: the callback takes what is handed on, which lives until the call is over.
        unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut look).cast()) };
        drop(asking);
        self.seen = look.seen;
        look.found
    }
}

/// Takes in one loaded library; anything but 0 ends the look.
unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, look: *mut c_void) -> c_int {
    guard(1, || {
        // SAFETY: the linker's record of a library, and the caller's look.
        let (info, look) = unsafe { (&*info, &mut *look.cast::<Look>()) };
        c_int::from(look.is_over_with(info))
    })
}

impl Look {
    /// Takes in one library; whether it is the last to be looked at.
    fn is_over_with(&mut self, info: &libc::dl_phdr_info) -> bool {
        if std::mem::take(&mut self.is_first) {
            if info.dlpi_adds == self.seen {
                return true;
            }
            self.seen = info.dlpi_adds;
        }
        if info.dlpi_name.is_null() {
            return false;
        }
        // SAFETY: a text of the linker's.
        let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let is_driver = file.starts_with(LIBRARY);
        if is_driver {
            self.found = Some(OsStr::from_bytes(path).to_owned());
        }
        is_driver
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use laptime_fakes::Fake;

    #[test]
    fn the_driver_is_found_by_its_file_once_it_is_loaded() {
        let fake = Fake::new();
        let found = Loaded::default().look().expect("it is loaded");
        assert!(found.as_bytes().ends_with(b"libcuda.so.1"));
        assert!(fake.path().exists());
    }
}
