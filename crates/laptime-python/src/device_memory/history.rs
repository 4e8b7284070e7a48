//! The history of torch's allocators: switched on for laps, handed out, and what of it was missing.
//!
//! It is one switch for all devices. While the program has switched it on for itself, it is the program's
//! alone: peaks are within bounds then.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_recorder::device_memory::history::{History, Missing};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A pool that no allocator has: asked for its segments, torch hands out the history alone.
const NO_POOL: (u64, u64) = (1 << 40, 1 << 40);

/// Whose the history is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Owner {
    /// Nobody's yet: it is switched on at the next look.
    #[default]
    Nobody,
    Laps,
    Program,
    /// It could not be used.
    Never,
}

/// What is known of it. Touched in one's turn only.
#[derive(Debug, Default)]
pub struct State {
    pub owner: Owner,
    pub devices: BTreeMap<u32, History>,
    /// Whether segments come along unasked.
    pub comes_whole: bool,
    pub why_never: String,
    /// How often in a row it told nothing of use.
    pub failures: u32,
    /// Looks whose peaks it did not tell, by reason.
    gaps: BTreeMap<String, u64>,
}

/// The functions that it is reached through.
#[derive(Debug)]
pub struct Recorded {
    on: Py<PyAny>,
    off: Py<PyAny>,
    is_on: Py<PyAny>,
    snapshot: Py<PyAny>,
    pub state: Mutex<State>,
    is_ours: AtomicBool,
    /// A forked child can't switch anything.
    pid: u32,
}

impl Recorded {
    /// `on()`, `off()`, `is_on()` and `snapshot(pool)`.
    pub fn new([on, off, is_on, snapshot]: [Py<PyAny>; 4]) -> Self {
        Self {
            on,
            off,
            is_on,
            snapshot,
            state: Mutex::new(State::default()),
            is_ours: AtomicBool::new(false),
            pid: std::process::id(),
        }
    }

    pub fn is_ours(&self) -> bool {
        self.is_ours.load(Relaxed)
    }

    /// Switches it on for laps, unless the program has.
    pub fn begin(&self, python: Python<'_>, state: &mut State) {
        match self.switch_on(python) {
            Ok(owner) => state.owner = owner,
            Err(error) => self.give_up(python, state, failed(python, &error)),
        }
        self.is_ours.store(state.owner == Owner::Laps, Relaxed);
    }

    fn switch_on(&self, python: Python<'_>) -> PyResult<Owner> {
        if self.is_on.bind(python).call0()?.is_truthy()? {
            return Ok(Owner::Program);
        }
        self.on.bind(python).call0()?;
        Ok(Owner::Laps)
    }

    /// Switches it off, if it is on for laps.
    pub fn end(&self, python: Python<'_>, state: &mut State) {
        if state.owner == Owner::Laps && self.pid == std::process::id() {
            state.owner = Owner::Nobody;
            let _ = self.off.bind(python).call0();
        }
        self.is_ours.store(false, Relaxed);
        for history in state.devices.values_mut() {
            history.lose();
        }
    }

    /// The program has switched it, on or off.
    pub fn is_switched(&self, state: &mut State, on: bool) {
        if state.owner != Owner::Never {
            state.owner = if on { Owner::Program } else { Owner::Nobody };
        }
        self.is_ours.store(false, Relaxed);
        for history in state.devices.values_mut() {
            history.lose();
        }
    }

    /// Laps are told nothing more.
    pub fn leave(&self, python: Python<'_>, state: &mut State) {
        self.end(python, state);
        // A thread that was about to look must not switch it on again.
        state.owner = Owner::Never;
    }

    /// Empties it.
    pub fn clear(&self, python: Python<'_>) -> PyResult<()> {
        self.off.bind(python).call0()?;
        self.on.bind(python).call0()?;
        Ok(())
    }

    /// The history of all devices, and where it is `whole` their segments.
    pub fn take<'py>(&self, python: Python<'py>, whole: bool) -> PyResult<Bound<'py, PyDict>> {
        let snapshot = self.snapshot.bind(python);
        let taken = if whole {
            snapshot.call1((python.None(),))
        } else {
            snapshot.call1((NO_POOL,))
        };
        let taken = match taken {
            // Before PyTorch 2.7 it takes nothing.
            Err(error) if error.is_instance_of::<PyTypeError>(python) => snapshot.call0(),
            taken => taken,
        };
        Ok(taken?.cast_into()?)
    }

    /// It is left alone from now on.
    pub fn give_up(&self, python: Python<'_>, state: &mut State, why: String) {
        self.end(python, state);
        state.owner = Owner::Never;
        state.why_never = why;
    }
}

impl State {
    /// A peak is within bounds.
    pub fn missed(&mut self, reason: &str) {
        *self.gaps.entry(reason.to_owned()).or_default() += 1;
    }

    /// Why not all peaks were told, the most frequent reason first.
    pub fn gaps(&self) -> Option<String> {
        let mut gaps: Vec<(&String, &u64)> = self.gaps.iter().collect();
        gaps.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
        let told = gaps.iter().map(|(reason, count)| match count {
            1 => format!("once, as {reason}"),
            _ => format!("{count} times, as {reason}"),
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// What it failed with.
pub fn failed(python: Python<'_>, error: &PyErr) -> String {
    format!(
        "the allocator's history can't be read: {}",
        error.value(python)
    )
}

/// The words for it.
pub fn reason(missing: Missing) -> &'static str {
    match missing {
        Missing::Entries => "the history had not all calls of the allocator",
        Missing::Disagrees => "the history gave other bytes than the allocator counted",
    }
}
