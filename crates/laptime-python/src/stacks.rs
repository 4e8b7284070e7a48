//! The stacks of Python's threads, read from outside by `py-spy`: no thread is stopped, and the
//! interpreter's lock isn't taken.
//!
//! The interpreter goes on while its memory is read, so a stack may be half old, half new. What
//! doesn't read at all is said to be unread; the recorder counts it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_recorder::stacks::{self, SeenFrame, SeenThread, StackSource};
use py_spy::config::{Config, LineNo, LockingStrategy};
use py_spy::{PythonSpy, StackTrace};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use crate::entry::measuring;

/// The interpreter of this process.
struct Interpreter(PythonSpy);

impl StackSource for Interpreter {
    fn look(&mut self) -> Option<Vec<SeenThread>> {
        let traces = self.0.get_stack_traces().ok()?;
        Some(traces.into_iter().filter_map(seen).collect())
    }
}

/// A thread of Python's, unless the system's id of it isn't known.
fn seen(trace: StackTrace) -> Option<SeenThread> {
    let frames = trace.frames.into_iter();
    // Before CPython 3.11, `py-spy` knows a thread by its `pthread_t` only, and takes all for running.
    let (thread, may_run) = if let Some(thread) = trace.os_thread_id {
        (thread, true)
    } else {
        let thread = stacks::thread_id_of(trace.thread_id)?;
        (thread, stacks::is_running(thread))
    };
    Some(SeenThread {
        thread,
        is_running: trace.active && may_run,
        has_interpreter: trace.owns_gil,
        frames: frames
            .map(|frame| SeenFrame {
                name: frame.name,
                file: frame.filename,
                line: u32::try_from(frame.line).unwrap_or(0),
            })
            .collect(),
    })
}

/// Finds the interpreter in the memory of this process.
///
/// **Cost** some 10 ms, once for each recording and forked child: the symbols of the interpreter's file are read.
fn open() -> Result<Box<dyn StackSource>, String> {
    let config = Config {
        blocking: LockingStrategy::NonBlocking,
        lineno: LineNo::LastInstruction,
        collect_thread_names: false,
        ..Config::default()
    };
    let process = std::process::id() as py_spy::Pid;
    match PythonSpy::retry_new(process, &config, TRIES) {
        Ok(spy) => Ok(Box::new(Interpreter(spy))),
        Err(error) => Err(format!(
            "this interpreter's stacks can't be read: {error:#}"
        )),
    }
}

/// The interpreter may be just starting.
const TRIES: u64 = 5;

/// Has the stacks of this process sampled by every recording that begins from now on, and those of
/// processes that Python forks.
///
/// **Errors** when the program has replaced what Python calls after a fork.
#[pyfunction]
pub fn sample_stacks(python: Python<'_>) -> PyResult<()> {
    static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
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
#[pyfunction]
fn begin_in_child() {
    measuring(|| (), laptime_recorder::begin_in_child);
}

/// Recordings that begin from now on are without stacks.
#[pyfunction]
pub fn leave_stacks() {
    measuring(|| (), stacks::leave_stacks);
}
