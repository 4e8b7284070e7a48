//! The stacks of Python's threads, read from outside: no thread is stopped, and the interpreter's lock
//! isn't taken.
//!
//! The interpreter goes on while its memory is read (`peek`), so a stack may be half old, half new.
//! What doesn't read at all is said to be unread. Where things stand is known from the interpreter's
//! headers (`layout`): a thread's frames (`frames`), their functions (`code`), who runs (`context`),
//! whether others of an event loop could (`event_loop`), and whether garbage is collected (`collector`).

mod code;
mod collector;
mod context;
mod event_loop;
mod frames;
pub mod layout;
pub mod peek;
pub mod text;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_core::Runner;
use laptime_python_macros::guarded;
use laptime_recorder::stacks::{self, SeenStack, StackSource};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use self::collector::Collector;
use self::frames::Frames;
use self::layout::{Layout, NOWHERE};
use self::peek::{half_at, peek, word, word_at};
use crate::entry::measuring;
use crate::file_names;

/// Threads of an interpreter: with more, its list is a circle.
const MOST_THREADS: usize = 65_536;
/// Threads that ended whose stacks' ends are remembered.
const FEW_THREADS: usize = 64;
/// A thread that turned to another task meanwhile is read again.
const TRIES: usize = 8;

/// The main interpreter of this process.
struct Interpreter {
    layout: &'static Layout,
    frames: Frames,
    collector: Collector,
    /// By the system's id, the thread state.
    states: HashMap<u64, u64>,
    /// By the system's id, where the outermost frame of a thread's stack stood when it was known.
    outermost: HashMap<u64, u64>,
    /// The thread state that has the lock.
    holder: u64,
}

impl StackSource for Interpreter {
    fn threads(&mut self) -> Option<Vec<u64>> {
        let layout = self.layout;
        self.frames.begin();
        if self.outermost.len() > 2 * self.states.len() + FEW_THREADS {
            self.outermost
                .retain(|thread, _| self.states.contains_key(thread));
        }
        self.states.clear();
        let (interpreter, mut at) = layout::interpreter();
        self.holder = holder(interpreter, layout).unwrap_or(0);
        let mut threads = Vec::new();
        let mut state = vec![0; layout.state_len as usize];
        while at != 0 {
            if threads.len() >= MOST_THREADS || !peek(at, &mut state) {
                return None;
            }
            if let Some(thread) = thread(&state, layout) {
                threads.push(thread);
                self.states.insert(thread, at);
            }
            at = word_at(&state, layout.state_next);
        }
        Some(threads)
    }

    fn look(&mut self, thread: u64) -> Option<SeenStack> {
        let (layout, at) = (self.layout, *self.states.get(&thread)?);
        let mut state = vec![0; layout.state_len as usize];
        let mut seen = SeenStack {
            has_interpreter: at == self.holder,
            runner: Runner::Unknown,
            turn: None,
            others_ready: false,
            is_collecting: false,
            frames: None,
        };
        let mut read_before = self.outermost.get(&thread).copied();
        for _ in 0..TRIES {
            if !peek(at, &mut state) {
                break;
            }
            // At once: some microseconds later a fast recursion has left where the copy of the state points to.
            seen.frames = self.frames.of(&state);
            seen.others_ready = self.frames.others_ready();
            let runner = context::runner(word_at(&state, layout.state_context));
            // The same number as before: in between no context was entered, and none was left.
            let version = word(at, layout.state_version);
            let outermost = self.frames.outermost().filter(|_| seen.frames.is_some());
            // The same as before, or twice the same: else it may be a frame that just began, whose callers are missing.
            let is_whole = outermost.is_none() || outermost == read_before;
            read_before = outermost.or(read_before);
            let is_settled = is_whole && version == Some(word_at(&state, layout.state_version));
            if let Some(runner) = runner.filter(|_| is_settled) {
                seen.runner = runner;
                seen.turn = version;
                if let Some(outermost) = outermost {
                    self.outermost.insert(thread, outermost);
                    break;
                }
                if seen.frames.is_some() {
                    break;
                }
            }
        }
        // The thread that collects keeps the lock.
        seen.is_collecting =
            self.collector.is_collecting() && holder(layout::interpreter().0, layout) == Some(at);
        Some(seen)
    }
}

/// The system's id of a thread by a copy of its state, unless it isn't known.
fn thread(state: &[u8], layout: &Layout) -> Option<u64> {
    let thread = word_at(state, layout.state_thread);
    if layout.state_is_native == 1 {
        return (thread != 0).then_some(thread);
    }
    stacks::thread_id_of(thread)
}

/// The thread state that has the interpreter's lock.
fn holder(interpreter: u64, layout: &Layout) -> Option<u64> {
    if layout.gil == NOWHERE {
        return word(layout::lock_holder(), 0);
    }
    let mut gil = [0; 32];
    let is_read = peek(word(interpreter, layout.gil)?, &mut gil);
    let is_locked = is_read && half_at(&gil, layout.gil_locked) == 1;
    is_locked.then(|| word_at(&gil, layout.gil_holder))
}

/// Finds the interpreter in the memory of this process.
fn open() -> Result<Box<dyn StackSource>, String> {
    if let Some(why) = layout::unknown() {
        return Err(why.to_owned());
    }
    let mut interpreter = Interpreter {
        layout: layout::layout(),
        frames: Frames::new(),
        collector: Collector::of_interpreter(layout::interpreter().0),
        states: HashMap::new(),
        outermost: HashMap::new(),
        holder: 0,
    };
    match interpreter.threads() {
        Some(_) => Ok(Box::new(interpreter)),
        None => Err(format!(
            "this interpreter's stacks can't be read: {}",
            std::io::Error::last_os_error()
        )),
    }
}

/// Has the stacks of this process sampled by every recording that begins from now on, and those of
/// processes that Python forks.
///
/// **Errors** when the program has replaced what Python calls after a fork.
#[guarded]
#[pyfunction]
pub fn sample_stacks(python: Python<'_>) -> PyResult<()> {
    static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
    file_names::learn(python);
    collector::learn(python);
    if !IS_REGISTERED.swap(true, Relaxed) {
        let begin = wrap_pyfunction!(begin_in_child, python)?;
        let told = [("after_in_child", begin)].into_py_dict(python)?;
        python
            .import("os")?
            .call_method("register_at_fork", (), Some(&told))?;
    }
    measuring(|| (), || stacks::sample_stacks(open));
    Ok(())
}

/// What Python calls in a child that it forked.
#[guarded]
#[pyfunction]
fn begin_in_child() {
    measuring(|| (), laptime_recorder::begin_in_child);
}

/// Recordings that begin from now on are without stacks.
#[guarded]
#[pyfunction]
pub fn leave_stacks() {
    measuring(|| (), stacks::leave_stacks);
}
