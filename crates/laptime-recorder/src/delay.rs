//! Time that the calling thread was ready to run while others ran, as the scheduler counts it.
//!
//! With wall and CPU time it tells waiting from a busy machine. From `/proc/thread-self/schedstat`.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::own_file::OwnFile;
use crate::platform;

thread_local! {
    /// Opened at the thread's first reading, and again in a forked child: it names the thread.
    static SCHEDSTAT: RefCell<Option<(u64, OwnFile)>> = const { RefCell::new(None) };
}

/// Nanoseconds so far; `None` where the kernel doesn't count them.
///
/// **Cost** about 1 µs: three system calls.
pub fn delay_ns() -> Option<u64> {
    let thread = platform::thread_id();
    SCHEDSTAT.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|(owner, _)| *owner != thread) {
            let file = File::open("/proc/thread-self/schedstat").and_then(OwnFile::new);
            *kept = file.ok().map(|file| (thread, file));
        }
        let mut buffer = [0_u8; 96];
        let read = kept.as_ref()?.1.get().ok()?.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(buffer.get(..read)?).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_only_grows() {
        if let Some(before) = delay_ns() {
            let spun = (0..200_000_u64).fold(0, u64::wrapping_add);
            assert!(spun > 0);
            assert!(delay_ns().unwrap() >= before);
        }
    }
}
