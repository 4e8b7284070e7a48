//! Sums, means and extremes along axes.

use super::call::{Call, Outputs};
use super::sizes::place;
use crate::value::{Data, Element, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    let op = call.op();
    Some(match op {
        "ArgMax" | "ArgMin" => one_axis(call),
        _ if op.starts_with("Reduce") => reduce(call),
        "SoftmaxCrossEntropyLoss" | "NegativeLogLikelihoodLoss" => loss(call),
        "Det" => call
            .sizes(0)
            .map(|sizes| call.like(&sizes[..sizes.len().saturating_sub(2)])),
        _ => return None,
    })
}

/// The sizes without some axes, or with ones for them.
fn without(sizes: &Sizes, is_gone: &[bool], keeps: bool) -> Sizes {
    let each = sizes.iter().zip(is_gone);
    each.filter_map(|(size, gone)| match (gone, keeps) {
        (false, _) => Some(*size),
        (true, true) => Some(Some(1)),
        (true, false) => None,
    })
    .collect()
}

fn reduce(call: &Call<'_>) -> Outputs {
    let input = call.need(0)?;
    let sizes = call.sizes(0)?;
    let axes = call.setting("axes", 1)?.unwrap_or_default();
    if axes.is_empty() && call.flag("noop_with_empty_axes") {
        return Ok(call.like(sizes.clone()));
    }
    let mut is_gone = vec![axes.is_empty(); sizes.len()];
    for axis in axes {
        is_gone[place(axis, sizes.len())?] = true;
    }
    let keeps = call.int("keepdims").unwrap_or(1) != 0;
    let output = Value::new(input.element, without(sizes, &is_gone, keeps));
    let is_whole = is_gone.iter().all(|gone| *gone);
    let data = input
        .ints()
        .filter(|_| is_whole)
        .and_then(|values| folded(call.op(), &values));
    Ok(vec![output.with(data)])
}

/// All of a small content in one number.
fn folded(op: &str, values: &[i64]) -> Option<Data> {
    let all = match op {
        "ReduceProd" => values.iter().try_fold(1i64, |all, x| all.checked_mul(*x))?,
        "ReduceSum" => values.iter().try_fold(0i64, |all, x| all.checked_add(*x))?,
        "ReduceMax" => *values.iter().max()?,
        "ReduceMin" => *values.iter().min()?,
        _ => return None,
    };
    Some(Data::Ints(vec![Some(all)]))
}

fn one_axis(call: &Call<'_>) -> Outputs {
    let sizes = call.sizes(0)?;
    let mut is_gone = vec![false; sizes.len()];
    is_gone[call.axis(0, sizes.len())?] = true;
    let keeps = call.int("keepdims").unwrap_or(1) != 0;
    let sizes = without(sizes, &is_gone, keeps);
    Ok(vec![Value::new(Element::I64, sizes)])
}

/// One number, or one for each label, and the logarithms that it was read from.
fn loss(call: &Call<'_>) -> Outputs {
    let labels = call.sizes(1)?.clone();
    let is_each = call.text("reduction") == Some("none");
    let sizes = if is_each { labels } else { Sizes::new() };
    Ok(vec![
        Value::new(call.element(0), sizes),
        Value::new(call.element(0), call.sizes(0)?.clone()),
    ])
}
