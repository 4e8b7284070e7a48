//! Operators that pick elements: slices, gathers, sorts, and what depends on the data.

use super::call::{Call, Outputs, Stop};
use super::picking;
use super::sizes::{place, places};
use crate::value::{DATA_LIMIT, Data, Element, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        "Slice" => slice(call),
        "Gather" => gather(call),
        "GatherElements" => call.sizes(1).map(|sizes| call.like(sizes.clone())),
        "GatherND" => gather_nd(call),
        "TopK" => top(call),
        "OneHot" => one_hot(call),
        "NonZero" => non_zero(call),
        "Compress" | "Unique" => Err(Stop::unknown("how much it keeps depends on data")),
        "NonMaxSuppression" => Ok(vec![Value::new(Element::I64, vec![None, Some(3)])]),
        "Pad" => pad(call),
        "CenterCropPad" => crop(call),
        _ => return None,
    })
}

fn slice(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let mut sizes = call.sizes(0)?.clone();
    // Which axes is needed; where they begin and end may be unknown.
    let unknown_axes = || Stop::unknown("the axes it cuts are computed from data");
    let ends = |name: &str, index: usize| -> Option<Vec<Option<i64>>> {
        if let Some(values) = call.ints(name) {
            return Some(values.iter().copied().map(Some).collect());
        }
        let value = call.input(index)?;
        match (&value.data, value.elements()) {
            (Some(Data::Ints(values)), _) => Some(values.clone()),
            (_, Some(count)) if count <= DATA_LIMIT as u64 => Some(vec![None; count as usize]),
            _ => None,
        }
    };
    let starts = ends("starts", 1).ok_or_else(unknown_axes)?;
    let ends_at = ends("ends", 2).ok_or_else(unknown_axes)?;
    let cut_along = call.setting("axes", 3)?;
    let cut_along = cut_along.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = match call.input(4) {
        None => vec![Some(1); starts.len()],
        Some(_) => ends("", 4).ok_or_else(unknown_axes)?,
    };
    if ends_at.len() != starts.len()
        || cut_along.len() != starts.len()
        || steps.len() != starts.len()
    {
        return Err(Stop::wrong(
            "its starts, ends, axes and steps are not as many",
        ));
    }
    // Where what is kept begins, and how far from each other it is, along each axis.
    let mut kept = input.dims().map(|own| {
        let strides = picking::strides(&own);
        (0, own.into_iter().zip(strides).collect::<Vec<_>>())
    });
    for (index, axis) in cut_along.into_iter().enumerate() {
        let axis = place(axis, sizes.len())?;
        let (size, step) = (sizes[axis], steps[index]);
        let range = match (size, starts[index], ends_at[index], step) {
            (_, _, _, Some(0)) => return Err(Stop::wrong("it cuts in steps of 0")),
            (Some(size), Some(start), Some(end), Some(step)) => Some(cut(size, start, end, step)),
            _ => None,
        };
        sizes[axis] = range.map(|(_, count)| count);
        match (&mut kept, range, step) {
            (Some((start, along)), Some((first, count)), Some(step)) => {
                let (_, stride) = along[axis];
                *start = i64::saturating_add(*start, first.saturating_mul(stride));
                along[axis] = (count, stride.saturating_mul(step));
            }
            _ => kept = None,
        }
    }
    let data = input.data.as_ref().zip(kept);
    let data = data.and_then(|(data, (start, axes))| picking::strided(data, start, &axes));
    Ok(vec![Value::new(input.element, sizes).with(data)])
}

/// The first element of a slice and how many there are.
fn cut(size: u64, start: i64, end: i64, step: i64) -> (i64, u64) {
    let size = i128::from(size);
    let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let fit = |end: i64| {
        let end = i128::from(end);
        (if end < 0 { end + size } else { end }).clamp(low, high)
    };
    // A start below zero stays at the first element when going down.
    let start = if step > 0 {
        fit(start)
    } else {
        fit(start).clamp(0.min(high), high)
    };
    let end = fit(end);
    let step = i128::from(step);
    let length = if step > 0 { end - start } else { start - end };
    let count = (length.max(0) + step.abs() - 1) / step.abs();
    (start as i64, count as u64)
}

fn gather(call: &Call<'_>) -> Outputs {
    let (table, indices) = (call.need(0)?, call.need(1)?);
    let sizes = call.sizes(0)?;
    let axis = call.axis(0, sizes.len())?;
    let mut output: Sizes = sizes[..axis].to_vec();
    output.extend(call.sizes(1)?);
    output.extend(&sizes[axis + 1..]);
    let data = match (&table.data, indices.ints()) {
        (Some(data), Some(indices)) if sizes.len() == 1 => {
            let length = data.len() as i64;
            let places = indices.iter().map(|at| {
                let at = if *at < 0 { at + length } else { *at };
                usize::try_from(at).unwrap_or(usize::MAX)
            });
            picking::picked(data, places)
        }
        _ => None,
    };
    Ok(vec![Value::new(table.element, output).with(data)])
}

fn gather_nd(call: &Call<'_>) -> Outputs {
    let (sizes, indices) = (call.sizes(0)?, call.sizes(1)?);
    let batch = usize::try_from(call.int("batch_dims").unwrap_or(0)).unwrap_or(usize::MAX);
    let Some((last, lead)) = indices.split_last() else {
        return Err(Stop::wrong("its indices have no dimension"));
    };
    let depth = last.ok_or_else(|| Stop::unknown("how deep it indexes is not known"))?;
    let rest = batch.saturating_add(usize::try_from(depth).unwrap_or(usize::MAX));
    let rest = sizes
        .get(rest..)
        .ok_or_else(|| Stop::wrong("it indexes deeper than what it reads is"))?;
    Ok(call.like([lead, rest].concat()))
}

fn top(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    let axis = call.axis(-1, sizes.len())?;
    sizes[axis] = match (call.int("k"), call.input(1)) {
        (Some(count), _) => u64::try_from(count).ok(),
        (None, count) => count.and_then(Value::size),
    };
    let values = Value::new(call.element(0), sizes.clone());
    Ok(vec![values, Value::new(Element::I64, sizes)])
}

fn one_hot(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    let axis = call.axis(-1, sizes.len() + 1)?;
    let depth = call.need(1)?;
    let depth = depth.floats().and_then(|depth| depth.first().copied());
    sizes.insert(axis, depth.map(|depth| depth as u64));
    Ok(vec![Value::new(call.element(2), sizes)])
}

/// Places of what isn't zero: as many as the content says.
fn non_zero(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let rank = input.rank().map(|rank| rank as u64);
    let places: Option<Vec<Option<i64>>> = match (&input.data, rank) {
        (Some(Data::Ints(_)), Some(1)) => input.ints().map(|values| {
            let places = values.iter().enumerate().filter(|(_, value)| **value != 0);
            places.map(|(at, _)| Some(at as i64)).collect()
        }),
        _ => None,
    };
    let count = places.as_ref().map(|places| places.len() as u64);
    let output = Value::new(Element::I64, vec![rank, count]);
    Ok(vec![output.with(places.map(Data::Ints))])
}

fn pad(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    let pads = match call.ints("paddings") {
        Some(pads) => Some(pads.to_vec()),
        None => call.setting("pads", 1)?,
    };
    let pads = pads.ok_or_else(|| Stop::wrong("it has no pads"))?;
    let unknown = || Stop::unknown("the axes it pads are computed from data");
    let axes = match call.input(3) {
        None => (0..sizes.len()).collect(),
        Some(axes) => places(&axes.ints().ok_or_else(unknown)?, sizes.len())?,
    };
    if pads.len() != 2 * axes.len() {
        let what = format!("{} pads for {} axes", pads.len(), axes.len());
        return Err(Stop::wrong(what));
    }
    for (index, axis) in axes.iter().enumerate() {
        if let Some(size) = sizes[*axis] {
            let padded =
                i128::from(size) + i128::from(pads[index]) + i128::from(pads[index + axes.len()]);
            let padded = u64::try_from(padded);
            sizes[*axis] = Some(padded.map_err(|_| Stop::wrong("it pads to less than nothing"))?);
        }
    }
    Ok(call.like(sizes))
}

fn crop(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    let wanted = call.held(1, "the sizes it crops to")?;
    let cropped: Vec<i64> = match call.ints("axes") {
        Some(axes) => axes.to_vec(),
        None => (0..sizes.len() as i64).collect(),
    };
    for (axis, size) in cropped.into_iter().zip(wanted) {
        let axis = place(axis, sizes.len())?;
        sizes[axis] = size;
    }
    Ok(call.like(sizes))
}
