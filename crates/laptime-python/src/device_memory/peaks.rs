//! The program's own peaks, which it sees as if nobody else had reset them.
//!
//! An allocator's numbers are a dict of dicts whose innermost have "current" and "peak"; some stand one
//! level higher than others. What is kept has the same shape, with peaks only.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::interned::intern;

/// The dict of a name in another, made if it isn't there.
pub fn inner_of<'py>(
    dict: &Bound<'py, PyDict>,
    name: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    if let Some(known) = dict.get_item(name)? {
        return Ok(known.cast_into()?);
    }
    let new = PyDict::new(dict.py());
    dict.set_item(name, &new)?;
    Ok(new)
}

/// Keeps the peaks of `stats`, where they are higher than those that are kept already.
pub fn keep(kept: &Bound<'_, PyDict>, stats: &Bound<'_, PyDict>) -> PyResult<()> {
    let peak = intern!(stats.py(), "peak");
    for (name, value) in stats {
        if let Ok(inner) = value.cast::<PyDict>() {
            let known = inner_of(kept, &name)?;
            keep(&known, inner)?;
        } else if name.eq(peak)? {
            let higher = match kept.get_item(peak)? {
                Some(known) => value.gt(known)?,
                None => true,
            };
            if higher {
                kept.set_item(peak, value)?;
            }
        }
    }
    Ok(())
}

/// Raises the peaks of `stats` to those that were kept.
pub fn raise(stats: &Bound<'_, PyDict>, kept: &Bound<'_, PyDict>) -> PyResult<()> {
    for (name, value) in kept {
        let Some(told) = stats.get_item(&name)? else {
            continue;
        };
        if let Ok(inner) = value.cast::<PyDict>() {
            if let Ok(told) = told.cast::<PyDict>() {
                raise(told, inner)?;
            }
        } else if value.gt(&told)? {
            stats.set_item(&name, value)?;
        }
    }
    Ok(())
}
