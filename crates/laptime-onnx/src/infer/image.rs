//! Windows that slide over a signal or a picture: pooling, sizes of convolutions, resizing.

use super::call::{Call, Outputs, Stop};
use super::sizes::{place, places};
use crate::model::Attribute;
use crate::value::{Element, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        "AveragePool" | "LpPool" => pool(call, false),
        "MaxPool" => pool(call, true),
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => global(call),
        "Resize" | "Upsample" => resize(call),
        "RoiAlign" | "MaxRoiPool" => regions(call),
        "GridSample" => grid_sample(call),
        "STFT" => frames(call),
        "DFT" => spectrum(call),
        _ => return None,
    })
}

/// What slides, and how its output is reckoned.
#[derive(Clone, Copy)]
pub enum Window<'a> {
    /// A weight of these sizes.
    Convolution(&'a [Option<u64>]),
    /// A weight of these sizes, the other way round.
    Transposed(&'a [Option<u64>]),
    /// A pool of these sizes.
    Pool(&'a [Option<u64>]),
}

/// Where windows find room, along each axis.
pub fn window(call: &Call<'_>, input: &[Option<u64>], kind: Window<'_>) -> Result<Sizes, Stop> {
    let axes = input.len();
    let (Window::Convolution(kernel) | Window::Transposed(kernel) | Window::Pool(kernel)) = kind;
    let list = |name: &str, default: i64, count: usize| {
        let values = call.ints(name).unwrap_or_default();
        match values.len() {
            0 => Ok(vec![default; count]),
            length if length == count => Ok(values.to_vec()),
            length => Err(Stop::wrong(format!("{length} {name} for {axes} axes"))),
        }
    };
    if kernel.len() != axes {
        return Err(Stop::wrong(format!(
            "a window of {} axes over {axes}",
            kernel.len()
        )));
    }
    let (strides, dilations) = (list("strides", 1, axes)?, list("dilations", 1, axes)?);
    let pads = list("pads", 0, 2 * axes)?;
    let extra = list("output_padding", 0, axes)?;
    let auto = call.text("auto_pad").unwrap_or("NOTSET");
    let rounds_up = call.flag("ceil_mode");
    let mut sizes = Vec::with_capacity(axes);
    for axis in 0..axes {
        let (stride, dilation) = (i128::from(strides[axis]), i128::from(dilations[axis]));
        let (before, after) = match auto {
            "VALID" => (0, 0),
            _ => (i128::from(pads[axis]), i128::from(pads[axis + axes])),
        };
        if stride < 1 || dilation < 1 {
            return Err(Stop::wrong(format!(
                "strides of {stride}, dilations of {dilation}"
            )));
        }
        let (Some(size), Some(reach)) = (input[axis], kernel[axis]) else {
            sizes.push(None);
            continue;
        };
        let size = i128::from(size);
        let reach = (i128::from(reach) - 1) * dilation + 1;
        let found = match (kind, auto) {
            (Window::Transposed(_), "SAME_UPPER" | "SAME_LOWER") => size * stride,
            (Window::Transposed(_), _) => {
                stride * (size - 1) + i128::from(extra[axis]) + reach - before - after
            }
            (_, "SAME_UPPER" | "SAME_LOWER") => (size + stride - 1) / stride,
            _ => {
                let room = size + before + after - reach;
                let mut count = room.div_euclid(stride) + 1;
                // A window that would begin in the padding behind is none.
                let is_partial = rounds_up && room.rem_euclid(stride) != 0;
                if is_partial && count * stride < size + before {
                    count += 1;
                }
                count
            }
        };
        let wrong = |_| Stop::wrong("its window is larger than what it slides over");
        sizes.push(Some(u64::try_from(found).map_err(wrong)?));
    }
    Ok(sizes)
}

fn pool(call: &Call<'_>, has_places: bool) -> Outputs {
    let input = call.sizes(0)?;
    let kernel = call.ints("kernel_shape");
    let kernel = kernel.ok_or_else(|| Stop::wrong("it has no kernel_shape"))?;
    let kernel = kernel.iter().map(|size| u64::try_from(*size).ok());
    let kernel: Sizes = kernel.collect();
    let Some((lead, signal)) = input.split_at_checked(2) else {
        return Err(Stop::wrong("its input has less than two dimensions"));
    };
    let mut sizes = lead.to_vec();
    sizes.extend(window(call, signal, Window::Pool(&kernel))?);
    let mut outputs = vec![Value::new(call.element(0), sizes.clone())];
    if has_places {
        outputs.push(Value::new(Element::I64, sizes));
    }
    Ok(outputs)
}

fn global(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    sizes.iter_mut().skip(2).for_each(|size| *size = Some(1));
    Ok(call.like(sizes))
}

/// Sizes given, or scaled from the input's.
fn resize(call: &Call<'_>) -> Outputs {
    let input = call.sizes(0)?;
    let (scales_at, sizes_at) = if call.op() == "Upsample" || call.opset < 11 {
        (1, usize::MAX)
    } else {
        (2, 3)
    };
    let axes = match call.ints("axes") {
        Some(axes) => places(axes, input.len())?,
        None => (0..input.len()).collect(),
    };
    let mut sizes = input.clone();
    let given = |index| {
        call.input(index)
            .filter(|value| value.elements() != Some(0))
    };
    let unknown = || Stop::unknown("the sizes it resizes to are computed from data");
    if let Some(wanted) = given(sizes_at) {
        let wanted = wanted.ints().ok_or_else(unknown)?;
        for (axis, size) in axes.into_iter().zip(wanted) {
            let size = u64::try_from(size);
            sizes[axis] = Some(size.map_err(|_| Stop::wrong("it resizes to less than nothing"))?);
        }
        return Ok(call.like(sizes));
    }
    let scales: Vec<f64> = match (call.attribute("scales"), given(scales_at)) {
        (Some(Attribute::Floats(scales)), _) => scales.iter().copied().map(f64::from).collect(),
        (_, Some(scales)) => scales.floats().ok_or_else(unknown)?,
        (_, None) => return Err(Stop::wrong("it has neither sizes nor scales")),
    };
    for (axis, scale) in axes.into_iter().zip(scales) {
        // Scales are stored in single precision; 3 · 1.3333334 is 4.
        let found = sizes[axis].map(|size| (size as f64 * scale + 1e-6 * size as f64).floor());
        sizes[axis] = found
            .filter(|size| (0.0..9e15).contains(size))
            .map(|size| size as u64);
    }
    Ok(call.like(sizes))
}

/// A small picture for each region.
fn regions(call: &Call<'_>) -> Outputs {
    let channels = call.sizes(0)?.get(1).copied().flatten();
    let count = call.sizes(1)?.first().copied().flatten();
    let (height, width) = if let Some(&[height, width]) = call.ints("pooled_shape") {
        (height, width)
    } else {
        let side = |name| call.int(name).unwrap_or(1);
        (side("output_height"), side("output_width"))
    };
    let side = |size: i64| u64::try_from(size).ok();
    let sizes = vec![count, channels, side(height), side(width)];
    Ok(call.like(sizes))
}

fn grid_sample(call: &Call<'_>) -> Outputs {
    let (input, grid) = (call.sizes(0)?, call.sizes(1)?);
    let (Some(lead), Some(places)) = (input.get(..2), grid.get(1..grid.len().saturating_sub(1)))
    else {
        return Err(Stop::wrong("its input or grid has too few dimensions"));
    };
    Ok(call.like([lead, places].concat()))
}

fn frames(call: &Call<'_>) -> Outputs {
    let batch = call.sizes(0)?.first().copied().flatten();
    let length = call.sizes(0)?.get(1).copied().flatten();
    let number = |index| call.input(index).and_then(Value::size);
    let window = call.input(2).and_then(Value::elements);
    let frame = number(3).or(window);
    let step = number(1).filter(|step| *step > 0);
    let count = match (length, frame, step) {
        (Some(length), Some(frame), Some(step)) => {
            length.checked_sub(frame).map(|room| room / step + 1)
        }
        _ => None,
    };
    let is_half = call.int("onesided").unwrap_or(1) != 0;
    let bins = frame.map(|frame| if is_half { frame / 2 + 1 } else { frame });
    let sizes = vec![batch, count, bins, Some(2)];
    Ok(call.like(sizes))
}

fn spectrum(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    let axis = match (call.int("axis"), call.input(2)) {
        (Some(axis), _) => axis,
        (None, Some(axis)) => axis
            .int()
            .ok_or_else(|| Stop::unknown("its axis is computed from data"))?,
        (None, None) if call.opset >= 20 => -2,
        (None, None) => 1,
    };
    let axis = place(axis, sizes.len())?;
    // Half of a spectrum goes in, a real signal comes out.
    let to_real = call.flag("onesided") && call.flag("inverse");
    if let Some(length) = call.input(1) {
        sizes[axis] = length.size();
    } else if to_real {
        sizes[axis] = sizes[axis].map(|size| size.saturating_sub(1).saturating_mul(2));
    }
    if call.flag("onesided") && !to_real {
        sizes[axis] = sizes[axis].map(|size| size / 2 + 1);
    }
    if let Some(parts) = sizes.last_mut() {
        *parts = Some(if to_real { 1 } else { 2 });
    }
    Ok(call.like(sizes))
}
