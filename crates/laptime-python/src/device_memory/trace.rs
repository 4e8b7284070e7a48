//! The history of torch's allocators, as it is handed out: lists of dicts.

use laptime_recorder::device_memory::history::{Block, Entry, Segment};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::interned::intern;

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
