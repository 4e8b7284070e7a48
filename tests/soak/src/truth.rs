//! The truth page: what the writer knows to have happened, in memory that outlives it.
//!
//! One line per thread:
//!
//! | word | holds |
//! |---|---|
//! | 0 | operations begun |
//! | 1 | operations done |
//! | 2–17 | sum of all durations after span *i*, at word 2 + *i* mod 16 |

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Threads of the writer.
pub const THREADS: usize = 3;
/// Sums kept per thread.
const SUMS: u64 = 16;
/// Words of one thread's line.
const LINE: usize = 32;
const LENGTH: usize = 4096;

/// Makes the file, all zeros.
pub fn create(path: &Path) -> io::Result<()> {
    File::create(path)?.set_len(LENGTH as u64)
}

/// Makes the page say that thread 0 went on for one cycle more than it did.
pub fn claim_one_cycle_more(path: &Path) -> io::Result<()> {
    let mut bytes = std::fs::read(path)?;
    for word in bytes[..16].chunks_exact_mut(8) {
        let value = u64::from_le_bytes(word.try_into().unwrap_or_default());
        word.copy_from_slice(&(value + 8).to_le_bytes());
    }
    std::fs::write(path, bytes)
}

/// The page, mapped.
#[derive(Debug, Clone, Copy)]
pub struct Truth {
    words: &'static [AtomicU64],
}

impl Truth {
    /// Maps the file for the life of this process.
    pub fn map(path: &Path) -> io::Result<Self> {
        use std::os::fd::AsRawFd;
        let file = File::options().read(true).write(true).open(path)?;
        // SAFETY: a fresh shared mapping of a file that is as long.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                LENGTH,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: mapped for ever, aligned to a page, and only accessed atomically.
        let words = unsafe { std::slice::from_raw_parts(base.cast::<AtomicU64>(), LENGTH / 8) };
        Ok(Self { words })
    }

    /// The page of a writer that is dead.
    pub fn read(path: &Path) -> io::Result<[Line; THREADS]> {
        let bytes = std::fs::read(path)?;
        let word = |at: usize| {
            let bytes = bytes
                .get(at * 8..at * 8 + 8)
                .and_then(|word| word.try_into().ok());
            u64::from_le_bytes(bytes.unwrap_or_default())
        };
        Ok(std::array::from_fn(|thread| Line {
            begun: word(thread * LINE),
            done: word(thread * LINE + 1),
            sums: std::array::from_fn(|sum| word(thread * LINE + 2 + sum)),
        }))
    }

    /// An operation of a thread begins.
    pub fn begin(&self, thread: usize, operation: u64) {
        self.words[thread * LINE].store(operation + 1, Ordering::Release);
    }

    /// It is done.
    pub fn done(&self, thread: usize, operation: u64) {
        self.words[thread * LINE + 1].store(operation + 1, Ordering::Release);
    }

    /// A span has finished; `sum` is of all durations so far.
    pub fn finished(&self, thread: usize, index: u64, sum: u64) {
        self.words[thread * LINE + 2 + (index % SUMS) as usize].store(sum, Ordering::Release);
    }
}

/// What is known of one thread.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// Operations begun.
    pub begun: u64,
    /// Operations done.
    pub done: u64,
    sums: [u64; SUMS as usize],
}

impl Line {
    /// Sum of the durations of the first `count` spans, which must be among the latest.
    pub fn sum(&self, count: u64) -> u64 {
        match count.checked_sub(1) {
            Some(last) => self.sums[(last % SUMS) as usize],
            None => 0,
        }
    }
}
