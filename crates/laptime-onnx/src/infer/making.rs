//! Operators that make tensors: constants, ranges, random numbers, and questions about sizes.

use super::call::{Call, Outputs, Stop};
use super::picking;
use super::sizes::place;
use crate::model::{Attribute, Constant};
use crate::value::{DATA_LIMIT, Data, Element, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        "Constant" => constant(call),
        "ConstantOfShape" => constant_of_shape(call),
        "Shape" => shape(call),
        "Size" => size(call),
        "Range" => range(call),
        "EyeLike" | "RandomNormalLike" | "RandomUniformLike" => call.sizes(0).map(|sizes| {
            let element = call.kind("dtype", call.element(0));
            vec![Value::new(element, sizes.clone())]
        }),
        "RandomNormal" | "RandomUniform" => random(call),
        "Multinomial" => multinomial(call),
        "BlackmanWindow" | "HammingWindow" | "HannWindow" => window(call),
        "SequenceEmpty" => Ok(vec![Value {
            parts: Some(Vec::new()),
            ..Value::default()
        }]),
        "SequenceConstruct" => sequence(call),
        "SequenceAt" => at(call),
        "SequenceLength" => {
            let parts = call.need(0).map(|value| value.parts.as_ref().map(Vec::len));
            parts.map(|count| vec![Value::number(count.map(|count| count as i64))])
        }
        _ => return None,
    })
}

/// A constant as a value.
pub fn value(constant: &Constant) -> Value {
    let mut value = Value::known(constant.element, &constant.dims).with(constant.data.clone());
    value.stored = constant.stored;
    let is_small = value
        .elements()
        .is_some_and(|count| count <= DATA_LIMIT as u64);
    if constant.is_external && constant.element.is_integer() && is_small {
        let why = format!("the content of {:?} is in another file", constant.name);
        value.why = Some(why.into());
    }
    value
}

fn constant(call: &Call<'_>) -> Outputs {
    let set = |name| call.attribute(name);
    let value = if let Some(Attribute::Tensor(tensor)) = set("value") {
        value(tensor)
    } else if let Some(Attribute::Int(number)) = set("value_int") {
        Value::number(Some(*number))
    } else if let Some(Attribute::Ints(numbers)) = set("value_ints") {
        Value::row(numbers.iter().copied().map(Some).collect())
    } else if let Some(Attribute::Float(number)) = set("value_float") {
        Value::known(Element::F32, &[]).with(Some(Data::Floats(vec![f64::from(*number)])))
    } else if let Some(Attribute::Floats(numbers)) = set("value_floats") {
        let data = Data::Floats(numbers.iter().copied().map(f64::from).collect());
        Value::known(Element::F32, &[numbers.len() as u64]).with(Some(data))
    } else if let Some(Attribute::Text(_)) = set("value_string") {
        Value::known(Element(8), &[])
    } else {
        return Err(Stop::unknown("its constant is of a kind that is not read"));
    };
    Ok(vec![value])
}

fn constant_of_shape(call: &Call<'_>) -> Outputs {
    let sizes = call.held(0, "the sizes of what it makes")?;
    let (element, fill) = match call.attribute("value") {
        Some(Attribute::Tensor(tensor)) => (tensor.element, tensor.data.clone()),
        _ => (Element::F32, Some(Data::Floats(vec![0.0]))),
    };
    let output = Value::new(element, sizes);
    let data = match (output.elements(), fill) {
        (Some(count), Some(fill)) if count <= DATA_LIMIT as u64 => {
            picking::picked(&fill, std::iter::repeat_n(0, count as usize))
        }
        _ => None,
    };
    Ok(vec![output.with(data)])
}

fn shape(call: &Call<'_>) -> Outputs {
    let sizes = call.sizes(0)?;
    let rank = sizes.len() as i64;
    let fit = |end: i64| {
        let below = if end < 0 { rank } else { 0 };
        end.saturating_add(below).clamp(0, rank)
    };
    let start = fit(call.int("start").unwrap_or(0)) as usize;
    let end = fit(call.int("end").unwrap_or(rank)) as usize;
    let asked = sizes.get(start..end).unwrap_or_default();
    let row = asked
        .iter()
        .map(|size| size.and_then(|size| i64::try_from(size).ok()));
    Ok(vec![Value::row(row.collect())])
}

fn size(call: &Call<'_>) -> Outputs {
    let count = call.need(0)?.elements();
    let count = count.and_then(|count| i64::try_from(count).ok());
    let number = Value::known(Element::I64, &[]);
    Ok(vec![number.with(Some(Data::Ints(vec![count])))])
}

fn range(call: &Call<'_>) -> Outputs {
    let element = call.element(0);
    let number = |index: usize| call.input(index).and_then(Value::floats);
    let (Some(start), Some(limit), Some(step)) = (number(0), number(1), number(2)) else {
        return Ok(vec![Value::new(element, vec![None])]);
    };
    let ([start], [limit], [step]) = (&start[..], &limit[..], &step[..]) else {
        return Err(Stop::wrong(
            "its start, limit and step are not single numbers",
        ));
    };
    let count = ((limit - start) / step).ceil();
    if !count.is_finite() || count > u32::MAX.into() {
        return Err(Stop::wrong(format!(
            "a range from {start} to {limit} by {step}"
        )));
    }
    let count = count.max(0.0) as u64;
    let output = Value::known(element, &[count]);
    if count > DATA_LIMIT as u64 {
        return Ok(vec![output]);
    }
    let each = (0..count).map(|at| start + at as f64 * step);
    let data = if element.is_integer() {
        Data::Ints(each.map(|x| Some(x as i64)).collect())
    } else {
        Data::Floats(each.collect())
    };
    Ok(vec![output.with(Some(data))])
}

fn random(call: &Call<'_>) -> Outputs {
    let element = call.kind("dtype", Element::F32);
    let sizes = call.ints("shape").unwrap_or_default();
    let sizes: Result<Sizes, _> = sizes.iter().map(|n| u64::try_from(*n).map(Some)).collect();
    let sizes = sizes.map_err(|_| Stop::wrong("one of its sizes is negative"))?;
    Ok(vec![Value::new(element, sizes)])
}

fn multinomial(call: &Call<'_>) -> Outputs {
    let batch = call.sizes(0)?.first().copied().flatten();
    let samples = u64::try_from(call.int("sample_size").unwrap_or(1)).ok();
    let element = call.kind("dtype", Element::I32);
    Ok(vec![Value::new(element, vec![batch, samples])])
}

fn window(call: &Call<'_>) -> Outputs {
    let size = call.need(0)?.size();
    let element = call.kind("output_datatype", Element::F32);
    Ok(vec![Value::new(element, vec![size])])
}

/// Tensors as one value. Sequences of sequences are not looked into.
fn sequence(call: &Call<'_>) -> Outputs {
    if call.inputs.len() > DATA_LIMIT {
        return Err(Stop::unknown(
            "it makes a sequence of more than 1024 tensors",
        ));
    }
    let part = |index| -> Result<Value, Stop> {
        let value = call.need(index)?;
        Ok(Value {
            element: value.element,
            sizes: value.sizes.clone(),
            why: value.why.clone(),
            ..Value::default()
        })
    };
    let parts: Result<Vec<Value>, Stop> = (0..call.inputs.len()).map(part).collect();
    Ok(vec![Value {
        element: call.element(0),
        parts: Some(parts?),
        ..Value::default()
    }])
}

fn at(call: &Call<'_>) -> Outputs {
    let unknown = || Stop::unknown("which part of a sequence it takes is not known");
    let parts = call.need(0)?.parts.as_ref().ok_or_else(unknown)?;
    let index = call.need(1)?.int().ok_or_else(unknown)?;
    let index = place(index, parts.len())?;
    Ok(vec![parts[index].clone()])
}
