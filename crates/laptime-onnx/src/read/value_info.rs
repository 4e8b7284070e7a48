//! Reads what a file says of a value: its name, its type and its sizes.

use std::io::{Read, Seek};

use super::wire::{Field, Wire};
use crate::error::{OnnxError, Result};
use crate::model::{Stated, ValueInfo};
use crate::value::{Dim, Element, RANK_LIMIT};

/// Reads a `ValueInfoProto`.
pub fn value_info(wire: &mut Wire<impl Read + Seek>, field: Field) -> Result<ValueInfo> {
    let mut value = ValueInfo::default();
    wire.fields(field, |wire, number, field| {
        match number {
            1 => value.name = wire.text(field)?,
            2 => stated(wire, field, &mut value.stated)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(value)
}

/// A type. What sequences, maps and options hold is left aside.
fn stated(wire: &mut Wire<impl Read + Seek>, field: Field, stated: &mut Stated) -> Result<()> {
    wire.fields(field, |wire, number, field| {
        match number {
            1 | 8 => tensor(wire, field, stated)?,
            4 | 5 | 9 => stated.is_collection = true,
            _ => {}
        }
        Ok(())
    })
}

fn tensor(wire: &mut Wire<impl Read + Seek>, field: Field, stated: &mut Stated) -> Result<()> {
    wire.fields(field, |wire, number, field| {
        match (number, field) {
            (1, Field::Varint(value)) => stated.element = Element(value as i32),
            (2, _) => sizes(wire, field, stated.dims.get_or_insert_default())?,
            _ => {}
        }
        Ok(())
    })
}

fn sizes(wire: &mut Wire<impl Read + Seek>, field: Field, dims: &mut Vec<Dim>) -> Result<()> {
    wire.fields(field, |wire, number, field| {
        if number != 1 {
            return Ok(());
        }
        if dims.len() >= RANK_LIMIT {
            return Err(OnnxError::TooLarge {
                what: "the number of dimensions of a tensor",
                limit: RANK_LIMIT.to_string(),
            });
        }
        dims.push(dim(wire, field)?);
        Ok(())
    })
}

fn dim(wire: &mut Wire<impl Read + Seek>, field: Field) -> Result<Dim> {
    let mut dim = Dim::Open;
    wire.fields(field, |wire, number, field| {
        match (number, field) {
            // Some exporters write −1 for a size that is open.
            (1, Field::Varint(value)) => {
                dim = u64::try_from(value as i64).map_or(Dim::Open, Dim::Size);
            }
            (2, _) => {
                let name = wire.text(field)?;
                if !name.is_empty() {
                    dim = Dim::Name(name);
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(dim)
}
