//! Reads a constant: type and sizes always, content where it is small.
//!
//! Small integers are shapes and axes, which sizes follow from; large ones and all weights are
//! skipped, and so is what another file holds.

use std::io::{Read, Seek};

use super::wire::{Field, Wire};
use crate::error::{OnnxError, Result};
use crate::model::Constant;
use crate::value::{DATA_LIMIT, Data, Element, RANK_LIMIT};

/// What a constant holds, in the field that holds it.
#[derive(Default)]
struct Content {
    integers: Vec<i64>,
    reals: Vec<f64>,
    raw: Vec<u8>,
}

/// Reads a `TensorProto`.
pub fn constant(wire: &mut Wire<impl Read + Seek>, field: Field) -> Result<Constant> {
    let mut constant = Constant::default();
    let (mut dims, mut content) = (Vec::new(), Content::default());
    let mut has_more_dims = false;
    wire.fields(field, |wire, number, field| {
        match (number, field) {
            (1, _) => has_more_dims |= wire.integers(field, RANK_LIMIT, &mut dims)?,
            (2, Field::Varint(value)) => constant.element = Element(value as i32),
            (5 | 7 | 11, _) if is_small(field, 10) => {
                wire.integers(field, DATA_LIMIT, &mut content.integers)?;
            }
            (4, Field::Fixed32(bits)) => content.reals.push(f64::from(f32::from_bits(bits))),
            (4, Field::Bytes(length)) if is_small(field, 4) => {
                let bytes = wire.bytes(length)?;
                let reals = words(&bytes).map(f32::from_le_bytes);
                content.reals.extend(reals.map(f64::from));
            }
            (10, Field::Bytes(length)) if is_small(field, 8) => {
                let bytes = wire.bytes(length)?;
                content.reals.extend(words(&bytes).map(f64::from_le_bytes));
            }
            (8, _) => constant.name = wire.text(field)?,
            (9, Field::Bytes(length)) if is_small(field, 8) => content.raw = wire.bytes(length)?,
            (14, Field::Varint(value)) => constant.is_external = value == 1,
            _ => {}
        }
        content.reals.truncate(DATA_LIMIT);
        Ok(())
    })?;
    if has_more_dims {
        return Err(OnnxError::TooLarge {
            what: "the number of dimensions of a constant",
            limit: RANK_LIMIT.to_string(),
        });
    }
    constant.dims = sizes(dims, || format!("the constant {:?}", constant.name))?;
    let mut dims = constant.dims.iter();
    let elements = dims.try_fold(1u64, |all, size| all.checked_mul(*size));
    constant.data = decoded(constant.element, content)
        .filter(|data| elements == Some(data.len() as u64) && !constant.is_external);
    Ok(constant)
}

/// Reads a `SparseTensorProto`: its sizes are its own, the rest is that of its values.
pub fn sparse_constant(wire: &mut Wire<impl Read + Seek>, field: Field) -> Result<Constant> {
    let (mut values, mut dims) = (Constant::default(), Vec::new());
    wire.fields(field, |wire, number, field| {
        match number {
            1 => values = constant(wire, field)?,
            3 => drop(wire.integers(field, RANK_LIMIT, &mut dims)?),
            _ => {}
        }
        Ok(())
    })?;
    Ok(Constant {
        dims: sizes(dims, || format!("the sparse constant {:?}", values.name))?,
        stored: values.dims.first().copied(),
        data: None,
        ..values
    })
}

/// The sizes of a constant, which `describe` names in an error.
fn sizes(dims: Vec<i64>, describe: impl FnOnce() -> String) -> Result<Vec<u64>> {
    let sizes: Result<Vec<u64>, _> = dims.into_iter().map(u64::try_from).collect();
    sizes.map_err(|_| OnnxError::Shape {
        node: describe(),
        reason: "one of its sizes is negative".into(),
    })
}

/// Whether a field is so short that a content worth keeping fits it.
fn is_small(field: Field, element_bytes: u64) -> bool {
    match field {
        Field::Bytes(length) => length <= DATA_LIMIT as u64 * element_bytes,
        _ => true,
    }
}

fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    let (words, _) = bytes.as_chunks::<N>();
    words.iter().copied()
}

/// A content as numbers. `None` for types that no size follows from.
fn decoded(element: Element, content: Content) -> Option<Data> {
    if element.is_float() {
        let reals = match (element.0, &content.raw[..]) {
            (1 | 11, []) => content.reals,
            (1, raw) => words(raw).map(f32::from_le_bytes).map(f64::from).collect(),
            (11, raw) => words(raw).map(f64::from_le_bytes).collect(),
            _ => return None,
        };
        return Some(Data::Floats(reals));
    }
    let raw = &content.raw[..];
    let integers: Vec<i64> = match element.0 {
        _ if !element.is_integer() => return None,
        _ if raw.is_empty() => content.integers,
        2 | 9 => raw.iter().map(|&byte| i64::from(byte)).collect(),
        3 => raw
            .iter()
            .map(|&byte| i64::from(byte.cast_signed()))
            .collect(),
        4 => words(raw).map(u16::from_le_bytes).map(i64::from).collect(),
        5 => words(raw).map(i16::from_le_bytes).map(i64::from).collect(),
        6 => words(raw).map(i32::from_le_bytes).map(i64::from).collect(),
        12 => words(raw).map(u32::from_le_bytes).map(i64::from).collect(),
        _ => words(raw).map(i64::from_le_bytes).collect(),
    };
    Some(Data::Ints(integers.into_iter().map(Some).collect()))
}
