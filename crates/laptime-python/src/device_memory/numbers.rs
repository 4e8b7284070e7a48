//! What an allocator tells of itself, from the dict of its numbers.

use laptime_recorder::device_memory::{Counter, Reading};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::interned::intern;

/// What it tells of its tensors and of all that it holds.
pub fn reading(stats: &Bound<'_, PyDict>) -> PyResult<Reading> {
    let python = stats.py();
    Ok(Reading {
        allocated: counter(&of_all_pools(stats, intern!(python, "allocated_bytes"))?)?,
        reserved: counter(&of_all_pools(stats, intern!(python, "reserved_bytes"))?)?,
    })
}

fn of_all_pools<'py>(
    stats: &Bound<'py, PyDict>,
    group: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyAny>> {
    let lacks = || PyKeyError::new_err("it tells no numbers of all pools");
    let pools = stats.get_item(group)?.ok_or_else(lacks)?;
    pools.get_item(intern!(stats.py(), "all"))
}

fn counter(all: &Bound<'_, PyAny>) -> PyResult<Counter> {
    let python = all.py();
    Ok(Counter {
        now: number(all, intern!(python, "current"))?,
        peak: number(all, intern!(python, "peak"))?,
    })
}

fn number(all: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<u64> {
    let number: i64 = all.get_item(name)?.extract()?;
    Ok(u64::try_from(number).unwrap_or(0))
}
