//! Sampled stacks: which functions the threads of the process are in, looked at from outside.
//!
//! A thread of its own looks at a [`StackSource`] again and again (`sampler`), as often as `pace`
//! allows; the collector numbers what was seen (`book`) and writes it into the recording. The
//! program's threads are neither stopped nor asked. Who knows how to read a stack, such as the
//! Python door, says so with [`sample_stacks`].

mod book;
mod pace;
mod sampler;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub use book::Book;
pub use sampler::{Look, Sampler};

use crate::lock::Lock;
pub use crate::platform::{is_running, thread_id_of};

/// A function on a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFrame {
    /// Its qualified name.
    pub name: String,
    /// The file that it stands in.
    pub file: String,
    /// The line that runs, from 1; 0 where it isn't known.
    pub line: u32,
}

/// One thread, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenThread {
    /// The system's thread id.
    pub thread: u64,
    /// Whether it had a processor, or waited for one, rather than for something else.
    pub is_running: bool,
    /// Whether it held the interpreter's lock.
    pub has_interpreter: bool,
    /// Its functions, the innermost first.
    pub frames: Vec<SeenFrame>,
}

/// Something that can look at the stacks of this process's threads.
pub trait StackSource {
    /// All threads that have a stack. `None` when they could not be read while they went on.
    fn look(&mut self) -> Option<Vec<SeenThread>>;
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

/// Held while somebody looks, and over a fork: a source has locks of its own, which a child that is
/// forked in the middle of a look would find held for ever.
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
