//! Resident memory, read when asked: what the system has given the process, in whole pages.
//!
//! For timers that show memory on a machine without a device. Coarse: memory that is freed and
//! taken again doesn't move it, and a peak between two readings is seen only where it is the
//! highest of the process's life.

use std::cell::RefCell;
use std::fs::File;

use crate::own_file::OwnFile;
use crate::platform;

thread_local! {
    /// Opened at the thread's first reading, and again in a forked child: it names the process.
    static STATM: RefCell<Option<(u32, OwnFile)>> = const { RefCell::new(None) };
}

/// Resident memory of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resident {
    /// Resident memory now.
    pub now_bytes: u64,
    /// The most resident memory there has been since the process began, as far as the system noted it.
    pub most_bytes: u64,
}

/// Reads the process's resident memory; `None` where the system doesn't say.
///
/// **Cost** about 1.2 µs: three system calls.
pub fn resident() -> Option<Resident> {
    let process = std::process::id();
    let now_bytes = STATM.with_borrow_mut(|statm| {
        if statm.as_ref().is_none_or(|(owner, _)| *owner != process) {
            let file = File::open("/proc/self/statm").and_then(OwnFile::new);
            *statm = file.ok().map(|file| (process, file));
        }
        platform::resident_bytes(statm.as_ref()?.1.get().ok()?)
    })?;
    Some(Resident {
        now_bytes,
        most_bytes: platform::most_resident_bytes().max(now_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_touched_becomes_resident() {
        const BYTES: usize = 64 << 20;
        let block = vec![1_u8; BYTES];
        // More than what was there before: other threads of this process free memory meanwhile.
        let now = resident().unwrap();
        assert!(now.now_bytes >= BYTES as u64);
        assert!(now.most_bytes >= now.now_bytes);
        assert_eq!(block[BYTES / 2], 1);
    }
}
