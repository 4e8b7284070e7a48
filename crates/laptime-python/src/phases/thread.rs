//! Which thread trains: one state machine per thread that does.
//!
//! The first thread with anything to record gets a machine. Another thread gets one when it
//! works while no other is inside a phase: replicas of `DataParallel` and autograd's own threads
//! work while their trainer waits for them, so they get none. A thread that the program started and
//! that updates weights trains by itself, and gets one then.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use laptime_python_macros::guarded;
use pyo3::prelude::*;

use laptime_phases::Machine;

/// What a thread knows of itself.
#[derive(Default)]
struct ThreadPhases {
    /// Inside a phase whose inside is not looked at: everything passes through.
    busy: Cell<bool>,
    machine: RefCell<Option<Owned>>,
    /// What a question to the program, or a test's object, raised during an event.
    trouble: RefCell<Option<PyErr>>,
}

/// A machine and what it was made for.
struct Owned {
    owner: u64,
    machine: Machine,
}

thread_local! {
    static PHASES: ThreadPhases = ThreadPhases::default();
}

/// Threads inside a phase. Changed with the interpreter's lock held, so without further ado.
static WORKING: AtomicUsize = AtomicUsize::new(0);
/// How often this process was forked: what a parent began is not ended by its child.
static FORKS: AtomicU64 = AtomicU64::new(0);

fn known<R>(body: impl FnOnce(&ThreadPhases) -> R) -> Option<R> {
    PHASES.try_with(body).ok()
}

/// Whether this thread is inside a phase whose inside is not looked at.
pub fn is_busy() -> bool {
    known(|known| known.busy.get()).unwrap_or(true)
}

/// Enters or leaves such a phase.
pub fn set_busy(busy: bool) {
    known(|known| known.busy.set(busy));
}

/// Whether phases see nothing of what this thread does from now on; whether it was so before.
#[guarded]
#[pyfunction]
pub fn set_unseen(is_unseen: bool) -> bool {
    let was = is_busy();
    set_busy(is_unseen);
    was
}

/// Keeps an error for [`take_trouble`]; of several the first.
pub fn trouble(error: PyErr) {
    known(|known| {
        known.trouble.borrow_mut().get_or_insert(error);
    });
}

/// The error of the event that is over.
pub fn take_trouble() -> Option<PyErr> {
    known(|known| known.trouble.borrow_mut().take()).flatten()
}

/// Runs with this thread's machine for an owner, if it has one and is not inside it already.
pub fn with<R>(owner: u64, body: impl FnOnce(&mut Machine) -> R) -> Option<R> {
    known(|known| {
        let mut slot = known.machine.try_borrow_mut().ok()?;
        let known = slot.as_mut().filter(|known| known.owner == owner)?;
        Some(body(&mut known.machine))
    })
    .flatten()
}

/// Whether this thread has a machine of an owner's.
pub fn has_machine(owner: u64) -> bool {
    with(owner, |_| ()).is_some()
}

/// Whether no other thread is inside a phase.
pub fn is_alone() -> bool {
    WORKING.load(Relaxed) == 0
}

/// Gives this thread a machine, or takes it away; the old one.
pub fn set_machine(new: Option<(u64, Machine)>) -> Option<(u64, Machine)> {
    let new = new.map(|(owner, machine)| Owned { owner, machine });
    known(|known| {
        Some(std::mem::replace(
            &mut *known.machine.try_borrow_mut().ok()?,
            new,
        ))
    })
    .flatten()
    .flatten()
    .map(|owned| (owned.owner, owned.machine))
}

/// A phase that this thread is inside.
pub struct Working(u64);

/// A thread begins a phase.
pub fn begin_work() -> Working {
    WORKING.store(WORKING.load(Relaxed) + 1, Relaxed);
    Working(FORKS.load(Relaxed))
}

impl Drop for Working {
    fn drop(&mut self) {
        if self.0 == FORKS.load(Relaxed) {
            WORKING.store(WORKING.load(Relaxed).saturating_sub(1), Relaxed);
        }
    }
}

/// In a forked child: what was open belongs to the parent process.
pub fn forked() {
    FORKS.fetch_add(1, Relaxed);
    WORKING.store(0, Relaxed);
    set_busy(false);
    // Nothing of it is closed, or freed: its spans are the parent's.
    std::mem::forget(set_machine(None));
}
