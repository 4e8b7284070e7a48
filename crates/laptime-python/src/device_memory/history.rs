//! The history of torch's allocators: switched on for laps, handed out, and what of it was missing.
//!
//! It is one switch for all devices. While the program has switched it on for itself, it is the program's
//! alone: peaks are within bounds then.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_recorder::device_memory::history::{Block, Entry, History, Missing, Segment};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

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

/// A device's entries, oldest first.
pub fn entries(snapshot: &Bound<'_, PyDict>, index: u32) -> PyResult<Vec<Entry>> {
    let python = snapshot.py();
    let traces = snapshot
        .as_any()
        .get_item(intern!(python, "device_traces"))?;
    let trace: Bound<'_, PyList> = match traces.get_item(index) {
        Ok(trace) => trace.cast_into()?,
        // Of a device that it doesn't know.
        Err(_) => return Ok(Vec::new()),
    };
    let mut told = Vec::with_capacity(trace.len());
    for entry in trace {
        told.extend(entry_of(&entry)?);
    }
    Ok(told)
}

fn entry_of(entry: &Bound<'_, PyAny>) -> PyResult<Option<Entry>> {
    let python = entry.py();
    let number = |name: &Bound<'_, PyString>| entry.get_item(name)?.extract::<u64>();
    let action = entry.get_item(intern!(python, "action"))?;
    let action: Bound<'_, PyString> = action.cast_into()?;
    let grows = match action.to_str()? {
        "segment_map" | "segment_unmap" => true,
        "alloc" | "free_requested" | "free_completed" | "segment_alloc" | "segment_free" => false,
        // Moves no memory.
        _ => return Ok(None),
    };
    let address = number(intern!(python, "addr"))?;
    let bytes = number(intern!(python, "size"))?;
    Ok(Some(match action.to_str()? {
        "alloc" => Entry::Allocated { address, bytes },
        "free_requested" => Entry::FreeRequested { address },
        "free_completed" => Entry::FreeCompleted { address },
        "segment_alloc" | "segment_map" => Entry::Reserved {
            address,
            bytes,
            grows,
        },
        _ => Entry::Released { address, bytes },
    }))
}

/// A device's segments, with what is not free in them.
pub fn segments(snapshot: &Bound<'_, PyDict>, index: u32) -> PyResult<Vec<Segment>> {
    let python = snapshot.py();
    let mut told = Vec::new();
    for segment in snapshot
        .as_any()
        .get_item(intern!(python, "segments"))?
        .try_iter()?
    {
        let segment: Bound<'_, PyDict> = segment?.cast_into()?;
        let item = |name| segment.as_any().get_item(name);
        if item(intern!(python, "device"))?.extract::<u32>()? != index {
            continue;
        }
        let address: u64 = item(intern!(python, "address"))?.extract()?;
        let grows = match segment.get_item(intern!(python, "is_expandable"))? {
            Some(told) => told.is_truthy()?,
            None => false,
        };
        told.push(Segment {
            address,
            bytes: item(intern!(python, "total_size"))?.extract()?,
            grows,
            blocks: blocks(&item(intern!(python, "blocks"))?, address)?,
        });
    }
    Ok(told)
}

/// They stand in a segment one after another.
fn blocks(told: &Bound<'_, PyAny>, mut address: u64) -> PyResult<Vec<Block>> {
    let python = told.py();
    let mut blocks = Vec::new();
    for block in told.try_iter()? {
        let block = block?;
        let bytes: u64 = block.get_item(intern!(python, "size"))?.extract()?;
        let state = block.get_item(intern!(python, "state"))?;
        if !state.eq(intern!(python, "inactive"))? {
            blocks.push(Block {
                address,
                bytes,
                is_live: state.eq(intern!(python, "active_allocated"))?,
            });
        }
        address += bytes;
    }
    Ok(blocks)
}
