//! Operators that give the same elements other sizes, or another order.

use super::call::{Call, Outputs, Stop};
use super::picking;
use super::sizes::{agree, place, places, product, written};
use crate::value::{Data, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        "Reshape" => reshape(call),
        "Flatten" => flatten(call),
        "Squeeze" => squeeze(call),
        "Unsqueeze" => unsqueeze(call),
        "Transpose" => transpose(call),
        "DepthToSpace" => blocks(call, false),
        "SpaceToDepth" => blocks(call, true),
        _ => return None,
    })
}

/// The first input with other sizes, its content kept.
fn rearranged(call: &Call<'_>, sizes: Sizes) -> Outputs {
    let input = call.need(0)?;
    let output = Value::new(input.element, sizes);
    Ok(vec![output.with(input.data.clone())])
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
                    let why = why.as_deref().unwrap_or("they are computed from data");
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
    let order = match call.ints("perm") {
        Some(order) if order.len() == sizes.len() => places(order, sizes.len())?,
        Some(order) => {
            let what = format!("it orders {} axes of {}", order.len(), sizes.len());
            return Err(Stop::wrong(what));
        }
        None => (0..sizes.len()).rev().collect(),
    };
    let turned: Sizes = order.iter().map(|axis| sizes[*axis]).collect();
    let data = input.data.as_ref().zip(input.dims());
    let data = data.and_then(|(data, own)| {
        let strides = picking::strides(&own);
        let axes = order.iter().map(|axis| (own[*axis], strides[*axis]));
        picking::strided(data, 0, &axes.collect::<Vec<_>>())
    });
    Ok(vec![Value::new(input.element, turned).with(data)])
}

/// Blocks of pixels become channels, or the other way round.
fn blocks(call: &Call<'_>, into_channels: bool) -> Outputs {
    let block = call.size("blocksize").filter(|size| *size > 0);
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
    Ok(call.like(sizes))
}
