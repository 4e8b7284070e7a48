//! Time that a thread was ready to run while others ran, as the scheduler counts it.
//!
//! With wall and CPU time it tells waiting from a busy machine. From `/proc/thread-self/schedstat`:
//! time on a CPU, time ready and not on one, and how often it got one.

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
            *kept = open().map(|file| (thread, file));
        }
        read(&kept.as_ref()?.1)
    })
}

/// The count of one thread, for others to read.
#[derive(Debug)]
pub struct ThreadDelay {
    /// The system's id of the thread.
    pub thread: u64,
    file: OwnFile,
}

impl ThreadDelay {
    /// The count of the calling thread; `None` where the kernel doesn't count.
    pub fn of_this_thread() -> Option<Self> {
        let thread = platform::thread_id();
        open().map(|file| Self { thread, file })
    }

    /// Nanoseconds so far; `None` once the thread has ended.
    pub fn delayed_ns(&self) -> Option<u64> {
        read(&self.file)
    }
}

/// The calling thread's count as a file, wherever it is read.
fn open() -> Option<OwnFile> {
    let file = File::open("/proc/thread-self/schedstat");
    file.and_then(OwnFile::new).ok()
}

fn read(file: &OwnFile) -> Option<u64> {
    let mut buffer = [0_u8; 96];
    let read = file.get().ok()?.read_at(&mut buffer, 0).ok()?;
    delayed(std::str::from_utf8(buffer.get(..read)?).ok()?)
}

/// `None` of a thread that never got a CPU: then the kernel counts nothing, and says zero.
fn delayed(schedstat: &str) -> Option<u64> {
    let mut numbers = schedstat.split_whitespace().skip(1);
    let delayed_ns = numbers.next()?.parse().ok()?;
    let turns: u64 = numbers.next()?.parse().ok()?;
    (turns > 0).then_some(delayed_ns)
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

    #[test]
    fn a_kernel_that_counts_nothing_is_not_one_where_nobody_waits() {
        assert_eq!(delayed("733012502 1339726058 186\n"), Some(1_339_726_058));
        assert_eq!(delayed("733012502 0 1\n"), Some(0));
        assert_eq!(delayed("0 0 0\n"), None);
        assert_eq!(delayed(""), None);
    }

    #[test]
    fn another_thread_reads_the_count_of_the_one_that_opened_it() {
        let Some(own) = ThreadDelay::of_this_thread() else {
            return; // Not counted here.
        };
        let thread = platform::thread_id();
        let read = std::thread::spawn(move || (own.thread, own.delayed_ns(), own));
        let (named, delayed_ns, own) = read.join().unwrap();
        assert_eq!(named, thread);
        assert!(delayed_ns.unwrap() <= delay_ns().unwrap());
        drop(own);
    }

    #[test]
    fn a_thread_that_has_ended_has_no_count() {
        let ended = std::thread::spawn(ThreadDelay::of_this_thread);
        if let Some(ended) = ended.join().unwrap() {
            // The system may forget it a moment after it was waited for.
            while ended.delayed_ns().is_some() {
                std::thread::yield_now();
            }
        }
    }
}
