//! What an allocator tells of itself, from the dict of its numbers.

use laptime_recorder::device_memory::history::{Flow, Look};
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

/// The same, with all that it counted since it began.
pub fn look(stats: &Bound<'_, PyDict>) -> PyResult<Look> {
    let python = stats.py();
    let calls = of_all_pools(stats, intern!(python, "allocation"))?;
    let active = of_all_pools(stats, intern!(python, "active_bytes"))?;
    Ok(Look {
        allocated: flow(&of_all_pools(stats, intern!(python, "allocated_bytes"))?)?,
        reserved: flow(&of_all_pools(stats, intern!(python, "reserved_bytes"))?)?,
        allocations: number(&calls, intern!(python, "allocated"))?,
        frees: number(&calls, intern!(python, "freed"))?,
        active: number(&active, intern!(python, "current"))?,
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

fn flow(all: &Bound<'_, PyAny>) -> PyResult<Flow> {
    let python = all.py();
    Ok(Flow {
        counter: counter(all)?,
        added: number(all, intern!(python, "allocated"))?,
        taken: number(all, intern!(python, "freed"))?,
    })
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
