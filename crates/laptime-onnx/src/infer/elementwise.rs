//! Operators whose results have the sizes of what they read, broadcast.

use super::call::{Call, Outputs};
use super::fold;
use super::sizes::broadcast_sizes;
use crate::value::{Element, Value};

/// Operators of one result, of the type and sizes of their first input.
const ALIKE: &str = "\
    Abs Acos Acosh Asin Asinh Atan Atanh BiasGelu BitCast BitwiseNot Ceil Celu Clip Cos Cosh \
    CumProd CumSum Elu Erf Exp FastGelu Floor Gelu GroupNorm GroupNormalization HardSigmoid \
    HardSwish Hardmax Identity InstanceNormalization LRN LeakyRelu Log LogSoftmax \
    LpNormalization MeanVarianceNormalization Mish Neg Not QuickGelu RMSNormalization \
    Reciprocal Relu ReverseSequence RotaryEmbedding Round Scatter ScatterElements ScatterND \
    Selu Shrink Sigmoid Sign SimplifiedLayerNormalization Sin Sinh Softmax Softplus Softsign \
    Sqrt Swish Tan Tanh TensorScatter ThresholdedRelu Trilu";

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        op if ALIKE.split_whitespace().any(|alike| alike == op) => typed(call, call.element(0)),
        "IsInf" | "IsNaN" => typed(call, Element::BOOL),
        "Bernoulli" => typed(call, call.kind("dtype", call.element(0))),
        "Cast" => typed(call, call.kind("to", Element::UNKNOWN)),
        "CastLike" => typed(call, call.element(1)),
        "QuantizeLinear" => match call.input(2) {
            Some(zero) => typed(call, zero.element),
            None => typed(call, call.kind("output_dtype", Element::U8)),
        },
        "DequantizeLinear" => typed(call, call.kind("output_dtype", call.element(1))),
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
        | "BitwiseXor" | "PRelu" | "Max" | "Min" | "Sum" | "Mean" | "SwiGLU" => {
            broadcast(call, call.element(0))
        }
        "And" | "Or" | "Xor" | "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" => {
            broadcast(call, Element::BOOL)
        }
        "Where" => broadcast(call, call.element(1)),
        _ => return None,
    })
}

/// The sizes of the first input, and a content where it can be computed.
fn typed(call: &Call<'_>, element: Element) -> Outputs {
    if call.op() == "Identity" {
        return Ok(vec![call.need(0)?.clone()]);
    }
    let output = Value::new(element, call.sizes(0)?.clone());
    Ok(vec![output.with(fold::unary(call, element))])
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
    let axis = call.axis(-1, sizes.len())?;
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
fn broadcast(call: &Call<'_>, element: Element) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    for index in 1..call.inputs.len() {
        sizes = broadcast_sizes(&sizes, call.sizes(index)?)?;
    }
    let output = Value::new(element, sizes);
    let data = fold::broadcast(call, &output);
    Ok(vec![output.with(data)])
}
