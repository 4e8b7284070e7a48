//! Operators that stretch, repeat, join and split tensors.

use super::call::{Call, Outputs, Stop};
use super::picking;
use super::sizes::{agree, broadcast_sizes, product, sum, written};
use crate::value::{DATA_LIMIT, Data, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        "Expand" => expand(call),
        "Tile" => tile(call),
        "Concat" => concat(call),
        "Split" => split(call),
        _ => return None,
    })
}

fn expand(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let wanted = call.held(1, "the sizes it expands to")?;
    let sizes = broadcast_sizes(call.sizes(0)?, &wanted)?;
    let output = Value::new(input.element, sizes);
    let data = output
        .dims()
        .and_then(|sizes| picking::stretched(input, &sizes));
    Ok(vec![output.with(data)])
}

fn tile(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let repeats = call.held(1, "how often it repeats")?;
    let sizes = call.sizes(0)?;
    if repeats.len() != sizes.len() {
        let what = format!("it repeats {} axes of {}", repeats.len(), sizes.len());
        return Err(Stop::wrong(what));
    }
    let both = sizes.iter().zip(&repeats);
    let sizes: Result<Sizes, Stop> = both
        .map(|(size, times)| product(&[*size, *times]))
        .collect();
    let output = Value::new(input.element, sizes?);
    let data = match (&input.data, output.elements()) {
        (Some(data), Some(count)) if input.rank() == Some(1) && count <= DATA_LIMIT as u64 => {
            picking::picked(data, (0..count as usize).map(|at| at % data.len()))
        }
        _ => None,
    };
    Ok(vec![output.with(data)])
}

fn concat(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    let axis = call.axis(0, sizes.len())?;
    for index in 1..call.inputs.len() {
        let more = call.sizes(index)?;
        let fits = more.len() == sizes.len()
            && (0..sizes.len()).all(|at| at == axis || agree(sizes[at], more[at]));
        if !fits {
            let what = format!(
                "{} and {} do not fit to be joined",
                written(&sizes),
                written(more)
            );
            return Err(Stop::wrong(what));
        }
        for (at, size) in sizes.iter_mut().enumerate() {
            *size = if at == axis {
                sum(*size, more[at])?
            } else {
                size.or(more[at])
            };
        }
    }
    let output = Value::new(call.element(0), sizes);
    let is_row = output.rank() == Some(1);
    let data = is_row.then(|| joined(call)).flatten();
    Ok(vec![output.with(data)])
}

/// Rows in a row. Integers that aren't known leave gaps.
fn joined(call: &Call<'_>) -> Option<Data> {
    let mut row = Vec::new();
    for index in 0..call.inputs.len() {
        let value = call.input(index)?;
        match (&value.data, value.elements()?) {
            (Some(Data::Ints(values)), _) => row.extend_from_slice(values),
            (None, count) if value.element.is_integer() && count <= DATA_LIMIT as u64 => {
                row.resize(row.len() + count as usize, None);
            }
            _ => return None,
        }
        if row.len() > DATA_LIMIT {
            return None;
        }
    }
    Some(Data::Ints(row))
}

fn split(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let sizes = call.sizes(0)?;
    let axis = call.axis(0, sizes.len())?;
    let count = call.node.outputs.len();
    let parts: Sizes = if let Some(parts) = call.setting("split", 1)? {
        let parts = parts.into_iter();
        parts.map(|part| u64::try_from(part).ok()).collect()
    } else {
        let count = count as u64;
        let part = sizes[axis].map(|size| size.div_ceil(count.max(1)));
        let last = sizes[axis].zip(part);
        let last = last.map(|(size, part)| size.saturating_sub(part * count.saturating_sub(1)));
        let mut parts = vec![part; count as usize];
        if let Some(end) = parts.last_mut() {
            *end = last;
        }
        parts
    };
    if parts.len() != count {
        return Err(Stop::wrong(format!(
            "{} parts for {count} outputs",
            parts.len()
        )));
    }
    let all = parts
        .iter()
        .try_fold(Some(0), |all, part| sum(all, *part))?;
    if !agree(all, sizes[axis]) {
        return Err(Stop::wrong(
            "its parts are not as long together as what it splits",
        ));
    }
    let mut from = Some(0);
    let mut outputs = Vec::with_capacity(count);
    for part in parts {
        let mut own = sizes.clone();
        own[axis] = part;
        let data = match (&input.data, from.zip(part)) {
            (Some(data), Some((from, part))) if sizes.len() == 1 => {
                picking::picked(data, from as usize..(from + part) as usize)
            }
            _ => None,
        };
        outputs.push(Value::new(input.element, own).with(data));
        from = sum(from, part)?;
    }
    Ok(outputs)
}
