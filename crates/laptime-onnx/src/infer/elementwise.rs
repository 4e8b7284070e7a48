//! Operators whose results have the sizes of what they read, broadcast.

use crate::infer::call::{Call, Stop};
use crate::infer::{Outputs, fold};
use crate::value::{Element, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        // One in, one out, of its type.
        "Abs"
        | "Acos"
        | "Acosh"
        | "Asin"
        | "Asinh"
        | "Atan"
        | "Atanh"
        | "BitwiseNot"
        | "Ceil"
        | "Celu"
        | "Clip"
        | "Cos"
        | "Cosh"
        | "CumProd"
        | "CumSum"
        | "Elu"
        | "Erf"
        | "Exp"
        | "FastGelu"
        | "Floor"
        | "Gelu"
        | "HardSigmoid"
        | "HardSwish"
        | "Hardmax"
        | "Identity"
        | "LRN"
        | "LeakyRelu"
        | "Log"
        | "LogSoftmax"
        | "LpNormalization"
        | "Mish"
        | "MeanVarianceNormalization"
        | "Neg"
        | "Not"
        | "QuickGelu"
        | "Reciprocal"
        | "Relu"
        | "ReverseSequence"
        | "RotaryEmbedding"
        | "Round"
        | "Selu"
        | "Shrink"
        | "Sigmoid"
        | "Sign"
        | "Sin"
        | "Sinh"
        | "Softmax"
        | "Softplus"
        | "Softsign"
        | "Sqrt"
        | "Swish"
        | "Tan"
        | "Tanh"
        | "ThresholdedRelu"
        | "Trilu"
        | "GroupNormalization"
        | "GroupNorm"
        | "InstanceNormalization"
        | "RMSNormalization"
        | "SimplifiedLayerNormalization"
        | "BiasGelu"
        | "ScatterElements"
        | "Scatter"
        | "ScatterND"
        | "TensorScatter"
        | "BitCast" => same(call),
        "IsInf" | "IsNaN" => typed(call, Element::BOOL),
        "Bernoulli" => typed(call, element_or(call, "dtype", call.element(0))),
        "Cast" => typed(call, element_or(call, "to", Element::UNKNOWN)),
        "CastLike" => typed(call, call.element(1)),
        "QuantizeLinear" => typed(call, quantised(call)),
        "DequantizeLinear" => typed(call, element_or(call, "output_dtype", call.element(1))),
        "DynamicQuantizeLinear" => call.sizes(0).map(|sizes| {
            let [scale, zero] = [Element::F32, Element::U8].map(|kind| Value::known(kind, &[]));
            vec![Value::new(Element::U8, sizes.clone()), scale, zero]
        }),
        "Dropout" => call.sizes(0).map(|sizes| {
            let output = Value::new(call.element(0), sizes.clone());
            vec![output, Value::new(Element::BOOL, sizes.clone())]
        }),
        "BatchNormalization" => batch_norm(call),
        "LayerNormalization" => layer_norm(call),
        "SkipLayerNormalization" | "SkipSimplifiedLayerNormalization" => skip_norm(call),
        "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Mod" | "BitShift" | "BitwiseAnd" | "BitwiseOr"
        | "BitwiseXor" | "PRelu" | "Max" | "Min" | "Sum" | "Mean" => {
            broadcast(call, 0, call.element(0))
        }
        "And" | "Or" | "Xor" | "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" => {
            broadcast(call, 0, Element::BOOL)
        }
        "Where" => broadcast(call, 0, call.element(1)),
        "SwiGLU" => broadcast(call, 0, call.element(0)),
        _ => return None,
    })
}

fn same(call: &Call<'_>) -> Outputs {
    typed(call, call.element(0))
}

/// The sizes of the first input, and a content where it can be computed.
fn typed(call: &Call<'_>, element: Element) -> Outputs {
    if call.op() == "Identity" {
        return Ok(vec![call.need(0)?.clone()]);
    }
    let output = Value::new(element, call.sizes(0)?.clone());
    Ok(vec![output.with(fold::unary(call, element))])
}

fn element_or(call: &Call<'_>, attribute: &str, default: Element) -> Element {
    match call.int(attribute) {
        Some(kind) if kind != 0 => Element(kind as i32),
        _ => default,
    }
}

fn quantised(call: &Call<'_>) -> Element {
    match call.input(2) {
        Some(zero) => zero.element,
        None => element_or(call, "output_dtype", Element::U8),
    }
}

/// The result, and running statistics that are asked for while training.
fn batch_norm(call: &Call<'_>) -> Outputs {
    let sizes = call.sizes(0)?;
    let channels = Value::new(call.element(0), vec![sizes.get(1).copied().flatten()]);
    let mut outputs = vec![Value::new(call.element(0), sizes.clone())];
    outputs.resize(call.node.outputs.len().max(1), channels);
    Ok(outputs)
}

/// The result, and the statistics of each row.
fn layer_norm(call: &Call<'_>) -> Outputs {
    let sizes = call.sizes(0)?;
    let axis = super::call::place(call.int("axis").unwrap_or(-1), sizes.len())?;
    let mut rows = sizes.clone();
    rows[axis..].fill(Some(1));
    let rows = Value::new(Element::F32, rows);
    Ok(vec![
        Value::new(call.element(0), sizes.clone()),
        rows.clone(),
        rows,
    ])
}

/// The result, two statistics, and the sum that was normalised.
fn skip_norm(call: &Call<'_>) -> Outputs {
    let output = Value::new(call.element(0), call.sizes(0)?.clone());
    let nothing = Value::unknown(Element::F32);
    Ok(vec![output.clone(), nothing.clone(), nothing, output])
}

/// All inputs, broadcast against each other.
fn broadcast(call: &Call<'_>, first: usize, element: Element) -> Outputs {
    let mut sizes = call.sizes(first)?.clone();
    for index in first + 1..call.inputs.len() {
        sizes = broadcast_sizes(&sizes, call.sizes(index)?)?;
    }
    let output = Value::new(element, sizes);
    let data = fold::broadcast(call, &output);
    Ok(vec![output.with(data)])
}

/// The sizes that two have together, ones stretched.
pub fn broadcast_sizes(one: &Sizes, other: &Sizes) -> Result<Sizes, Stop> {
    let rank = one.len().max(other.len());
    let at = |sizes: &Sizes, index: usize| match (index + sizes.len()).checked_sub(rank) {
        Some(index) => sizes[index],
        None => Some(1),
    };
    let mut sizes = Vec::with_capacity(rank);
    for index in 0..rank {
        sizes.push(match (at(one, index), at(other, index)) {
            (Some(1) | None, size) | (size, Some(1) | None) => size,
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => {
                return Err(Stop::wrong(format!(
                    "sizes {a} and {b} cannot be broadcast to each other"
                )));
            }
        });
    }
    Ok(sizes)
}
