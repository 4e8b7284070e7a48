//! What JAX still computes: the one question that costs no waiting.
//!
//! A result is an array from the launch on, and says whether it is ready. The clients list the arrays
//! that are alive: 3 µs for a hundred. Nothing of them is kept but their addresses.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use laptime_recorder::clock;

use crate::interned::intern;
use crate::rate;

/// How long an array may take to find out that it is ready, where that is told by another thread: on
/// all devices but the CPU. Nanoseconds.
const GRACE_NS: u64 = 200_000;

/// The arrays that are alive at a moment.
#[derive(Debug, Default)]
pub struct Alive(Vec<usize>);

impl Alive {
    /// The arrays that are alive now. Empty where JAX has computed nothing yet.
    pub fn now(python: Python<'_>) -> PyResult<Self> {
        let mut addresses = Vec::new();
        for client in clients(python)? {
            addresses.extend(arrays(&client)?.iter().map(|array| array.as_ptr().addr()));
        }
        addresses.sort_unstable();
        Ok(Self(addresses))
    }

    /// Whether those made since then are ready; `None` where none is alive.
    pub fn later_are_ready(&self, python: Python<'_>) -> PyResult<Option<bool>> {
        let mut ready = None;
        for client in clients(python)? {
            let platform: String = client.getattr(intern!(python, "platform"))?.extract()?;
            let grace_ns = if platform == "cpu" { 0 } else { GRACE_NS };
            for array in arrays(&client)? {
                if self.0.binary_search(&array.as_ptr().addr()).is_ok() {
                    continue;
                }
                if !is_ready_within(&array, grace_ns)? {
                    return Ok(Some(false));
                }
                ready = Some(true);
            }
        }
        Ok(ready)
    }
}

/// A module, if the program has imported it.
pub fn imported<'py>(name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: a `str`, with the lock held; a new reference, or null with or without an error.
    unsafe {
        let module = ffi::PyImport_GetModule(name.as_ptr());
        let module = Bound::from_owned_ptr_or_opt(name.py(), module);
        if module.is_none() {
            ffi::PyErr_Clear();
        }
        module
    }
}

fn is_ready_within(array: &Bound<'_, PyAny>, grace_ns: u64) -> PyResult<bool> {
    let until = clock::now().saturating_add(rate::ticks(grace_ns));
    loop {
        let is_ready = array.call_method0(intern!(array.py(), "is_ready"))?;
        if is_ready.is_truthy()? {
            return Ok(true);
        }
        if clock::now() >= until {
            return Ok(false);
        }
    }
}

fn arrays<'py>(client: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let arrays = client.call_method0(intern!(client.py(), "live_arrays"))?;
    Ok(arrays.cast_into()?)
}

/// What JAX computes by. Its own question makes them, and takes a lock.
fn clients(python: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let Some(bridge) = imported(intern!(python, "jax._src.xla_bridge")) else {
        return Ok(Vec::new());
    };
    let backends = bridge.getattr(intern!(python, "_backends"))?;
    let backends: Bound<'_, PyDict> = backends.cast_into()?;
    Ok(backends.values().iter().collect())
}
