//! Operators that only arrange elements anew: reshapes, transpositions, joins and cuts.

use crate::infer::call::{Call, Stop, agree, place};
use crate::infer::elementwise::broadcast_sizes;
use crate::infer::{Outputs, fold};
use crate::value::{DATA_LIMIT, Data, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        "Reshape" => reshape(call),
        "Flatten" => flatten(call),
        "Squeeze" => squeeze(call),
        "Unsqueeze" => unsqueeze(call),
        "Transpose" => transpose(call),
        "Expand" => expand(call),
        "Tile" => tile(call),
        "Concat" => concat(call),
        "Split" => split(call),
        "DepthToSpace" => blocks(call, false),
        "SpaceToDepth" => blocks(call, true),
        _ => return None,
    })
}

/// The first input with other sizes, its content kept.
fn rearranged(call: &Call<'_>, sizes: Sizes) -> Outputs {
    let input = call.need(0)?;
    Ok(vec![
        Value::new(input.element, sizes).with(input.data.clone()),
    ])
}

/// The product of sizes. `None` where one isn't known.
pub fn product(sizes: &[Option<u64>]) -> Result<Option<u64>, Stop> {
    let mut all = Some(1u64);
    for size in sizes {
        all = match (all, size) {
            (Some(all), Some(size)) => Some(
                all.checked_mul(*size)
                    .ok_or_else(|| Stop::wrong("its sizes are too large to multiply"))?,
            ),
            _ => None,
        };
    }
    Ok(all)
}

fn reshape(call: &Call<'_>) -> Outputs {
    let wanted: Vec<Option<i64>> = match (call.ints("shape"), call.input(1)) {
        (Some(shape), _) => shape.iter().copied().map(Some).collect(),
        (None, Some(shape)) => match &shape.data {
            Some(Data::Ints(values)) => values.clone(),
            _ => match (shape.dims().as_deref(), shape.why.clone()) {
                // How many there are is known, if nothing else.
                (Some([rank]), None) if *rank <= 64 => vec![None; *rank as usize],
                (_, why) => {
                    let why =
                        why.map_or("they are computed from data".into(), |why| why.to_string());
                    return Err(Stop::unknown(format!("the sizes it reshapes to: {why}")));
                }
            },
        },
        (None, None) => return Err(Stop::wrong("it has no sizes to reshape to")),
    };
    let input = call.need(0)?.sizes.as_ref();
    let copies_zero = !call.flag("allowzero");
    let mut sizes: Sizes = Vec::with_capacity(wanted.len());
    let mut rest = None;
    for (index, size) in wanted.iter().enumerate() {
        sizes.push(match size {
            Some(-1) if rest.is_some() => {
                return Err(Stop::wrong("it leaves two sizes to be found (-1)"));
            }
            Some(-1) => {
                rest = Some(index);
                None
            }
            Some(0) if copies_zero => match input {
                None => None,
                Some(input) => *input.get(index).ok_or_else(|| {
                    Stop::wrong(format!("it copies size {index} of {}", input.len()))
                })?,
            },
            Some(size) => Some(
                u64::try_from(*size)
                    .map_err(|_| Stop::wrong(format!("it reshapes to a size of {size}")))?,
            ),
            None => None,
        });
    }
    let unknown = sizes.iter().filter(|size| size.is_none()).count();
    if let Some(input) = input
        && let Some(all) = product(input)?
    {
        let known: Sizes = sizes.iter().flatten().copied().map(Some).collect();
        let known = product(&known)?.unwrap_or(0);
        let fits = match unknown {
            0 => known == all,
            _ if known == 0 => all == 0,
            _ => all.is_multiple_of(known),
        };
        if !fits {
            let what = format!("{all} elements do not fit {}", written(&sizes));
            return Err(Stop::wrong(what));
        }
        if unknown == 1
            && let Some(open) = sizes.iter_mut().find(|size| size.is_none())
        {
            *open = Some(all.checked_div(known).unwrap_or(0));
        }
    }
    rearranged(call, sizes)
}

/// Sizes as an error shows them.
fn written(sizes: &Sizes) -> String {
    let each: Vec<String> = sizes
        .iter()
        .map(|size| size.map_or("?".into(), |size| size.to_string()))
        .collect();
    format!("[{}]", each.join(", "))
}

fn flatten(call: &Call<'_>) -> Outputs {
    let sizes = call.sizes(0)?;
    let axis = match call.int("axis").unwrap_or(1) {
        axis if axis == sizes.len() as i64 => sizes.len(),
        axis => place(axis, sizes.len())?,
    };
    let (rows, columns) = sizes.split_at(axis);
    rearranged(call, vec![product(rows)?, product(columns)?])
}

fn squeeze(call: &Call<'_>) -> Outputs {
    let sizes = call.sizes(0)?;
    let mut keep = vec![true; sizes.len()];
    match call.setting("axes", 1)? {
        Some(removed) => {
            for axis in removed {
                let axis = place(axis, sizes.len())?;
                if !agree(sizes[axis], Some(1)) {
                    return Err(Stop::wrong(format!("axis {axis} that it removes is not 1")));
                }
                keep[axis] = false;
            }
        }
        None => {
            for (keep, size) in keep.iter_mut().zip(sizes) {
                match size {
                    Some(size) => *keep = *size != 1,
                    None => return Err(Stop::unknown("which of its sizes are 1 is not known")),
                }
            }
        }
    }
    let kept = sizes.iter().zip(keep).filter(|(_, keep)| *keep);
    let kept = kept.map(|(size, _)| *size).collect();
    rearranged(call, kept)
}

fn unsqueeze(call: &Call<'_>) -> Outputs {
    let sizes = call.sizes(0)?;
    let wanted = call
        .setting("axes", 1)?
        .ok_or_else(|| Stop::wrong("it has no axes"))?;
    let rank = sizes.len() + wanted.len();
    if rank > 1024 {
        return Err(Stop::wrong("it makes more than 1024 dimensions"));
    }
    let mut added = vec![false; rank];
    for axis in wanted {
        let axis = place(axis, rank)?;
        if std::mem::replace(&mut added[axis], true) {
            return Err(Stop::wrong(format!("it adds axis {axis} twice")));
        }
    }
    let mut own = sizes.iter().copied();
    let sizes = added
        .into_iter()
        .map(|added| if added { Some(1) } else { own.next().flatten() })
        .collect();
    rearranged(call, sizes)
}

fn transpose(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let sizes = call.sizes(0)?;
    let order: Vec<usize> = match call.ints("perm") {
        Some(order) if order.len() == sizes.len() => order
            .iter()
            .map(|axis| place(*axis, sizes.len()))
            .collect::<Result<_, _>>()?,
        Some(order) => {
            let what = format!("it orders {} axes of {}", order.len(), sizes.len());
            return Err(Stop::wrong(what));
        }
        None => (0..sizes.len()).rev().collect(),
    };
    let output = Value::new(
        input.element,
        order.iter().map(|axis| sizes[*axis]).collect::<Sizes>(),
    );
    let data = input
        .data
        .as_ref()
        .zip(input.dims())
        .and_then(|(data, own)| {
            let strides = fold::strides(&own);
            let axes: Vec<_> = order
                .iter()
                .map(|axis| (own[*axis], strides[*axis]))
                .collect();
            fold::strided(data, 0, &axes)
        });
    Ok(vec![output.with(data)])
}

/// Sizes that an input holds.
pub fn held(call: &Call<'_>, index: usize, what: &str) -> Result<Sizes, Stop> {
    let value = call.need(index)?;
    let Some(Data::Ints(values)) = &value.data else {
        let why = value
            .why
            .as_deref()
            .unwrap_or("they are computed from data");
        return Err(Stop::unknown(format!("{what}: {why}")));
    };
    let size = |value: &Option<i64>| match value {
        None => Ok(None),
        Some(size) => u64::try_from(*size)
            .map(Some)
            .map_err(|_| Stop::wrong(format!("{what}: {size} is no size"))),
    };
    values.iter().map(size).collect()
}

fn expand(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let wanted = held(call, 1, "the sizes it expands to")?;
    let sizes = broadcast_sizes(call.sizes(0)?, &wanted)?;
    let output = Value::new(input.element, sizes);
    let data = output
        .dims()
        .and_then(|sizes| fold::stretched(input, &sizes));
    Ok(vec![output.with(data)])
}

fn tile(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let repeats = held(call, 1, "how often it repeats")?;
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
            fold::picked(data, (0..count as usize).map(|at| at % data.len()))
        }
        _ => None,
    };
    Ok(vec![output.with(data)])
}

fn concat(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    let axis = place(call.int("axis").unwrap_or(0), sizes.len())?;
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
    let data = if output.rank() == Some(1) {
        joined(call)
    } else {
        None
    };
    Ok(vec![output.with(data)])
}

/// The sum of two sizes.
pub fn sum(one: Option<u64>, other: Option<u64>) -> Result<Option<u64>, Stop> {
    match one.zip(other) {
        None => Ok(None),
        Some((one, other)) => one
            .checked_add(other)
            .map(Some)
            .ok_or_else(|| Stop::wrong("its sizes are too large to add")),
    }
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
    let axis = place(call.int("axis").unwrap_or(0), sizes.len())?;
    let count = call.node.outputs.len();
    let parts: Sizes = if let Some(parts) = call.setting("split", 1)? {
        parts
            .into_iter()
            .map(|part| u64::try_from(part).ok())
            .collect()
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
                fold::picked(data, from as usize..(from + part) as usize)
            }
            _ => None,
        };
        outputs.push(Value::new(input.element, own).with(data));
        from = sum(from, part)?;
    }
    Ok(outputs)
}

/// Blocks of pixels become channels, or the other way round.
fn blocks(call: &Call<'_>, into_channels: bool) -> Outputs {
    let block = call
        .int("blocksize")
        .and_then(|size| u64::try_from(size).ok());
    let block = block.filter(|size| *size > 0);
    let block = block.ok_or_else(|| Stop::wrong("it has no block size"))?;
    let [batch, channels, height, width] = call.sizes(0)?[..] else {
        return Err(Stop::wrong("its input has not four dimensions"));
    };
    let area = block
        .checked_mul(block)
        .ok_or_else(|| Stop::wrong("its block is too large"))?;
    let shrink = |size: Option<u64>, by: u64| size.map(|size| size / by);
    let sizes = if into_channels {
        let channels = product(&[channels, Some(area)])?;
        vec![batch, channels, shrink(height, block), shrink(width, block)]
    } else {
        let grow = |size| product(&[size, Some(block)]);
        vec![batch, shrink(channels, area), grow(height)?, grow(width)?]
    };
    Ok(vec![Value::new(call.element(0), sizes)])
}
