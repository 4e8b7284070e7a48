//! Sampled stacks: which functions the threads of the process are in, looked at from outside.
//!
//! A thread of its own looks at a [`StackSource`] again and again (`sampler`), as often as `pace`
//! allows by what looks cost and how the machine is loaded (`load`), and takes together what it saw of threads that stand still (`seen`); the collector numbers
//! the frames (`book`) and writes them into the recording. The program's threads are neither stopped
//! nor asked. Who knows how to read a stack, such as the Python door, says so with [`sample_stacks`].

mod book;
mod load;
mod pace;
mod sampler;
mod seen;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub use book::Book;
pub use sampler::Sampler;
pub use seen::{Sample, SeenFrame, SeenFunction, SeenStack};

use crate::lock::Lock;
pub use crate::platform::thread_id_of;

/// Something that can look at the stacks of this process's threads.
pub trait StackSource {
    /// The system's ids of the threads that may have a stack. `None` when they could not be read.
    fn threads(&mut self) -> Option<Vec<u64>>;

    /// The stack of one of them; `None` if it has none, or is gone.
    fn look(&mut self, thread: u64) -> Option<SeenStack>;
}

/// Opens a source, on the thread that will look. **Errors** with the reason why there is none.
pub type OpenSource = fn() -> Result<Box<dyn StackSource>, String>;

static SOURCE: OnceLock<OpenSource> = OnceLock::new();
static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Has stacks sampled by every recording that begins from now on, those of forked children too.
///
/// The first source that is named stays the process's.
pub fn sample_stacks(open: OpenSource) {
    SOURCE.get_or_init(|| open);
    IS_ASKED.store(true, Ordering::Relaxed);
}

/// Recordings that begin from now on are without stacks.
pub fn leave_stacks() {
    IS_ASKED.store(false, Ordering::Relaxed);
}

/// Held while somebody looks, and over a fork: a source may have locks of its own, which a child
/// that is forked in the middle of a look would find held for ever.
static LOOKING: Lock<()> = Lock::new(());

/// Waits for the look that goes on, some milliseconds, and has none begin.
pub fn lock_for_fork() {
    LOOKING.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { LOOKING.release() };
}

/// The source to sample from, where that was asked for.
pub fn asked() -> Option<OpenSource> {
    let source = SOURCE.get().copied();
    source.filter(|_| IS_ASKED.load(Ordering::Relaxed))
}
