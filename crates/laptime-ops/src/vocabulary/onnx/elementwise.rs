//! Functions of single elements, by the names that the family has for them.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::elementwise::{SIGMOID, work};
use crate::family::softmax;
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, each, for_each, formula};

/// The standard's names, and the family's.
const NAMES: &[(&str, &str)] = &[
    ("Abs", "abs"),
    ("Acos", "acos"),
    ("Acosh", "acosh"),
    ("Add", "add"),
    ("And", "logical_and"),
    ("Asin", "asin"),
    ("Asinh", "asinh"),
    ("Atan", "atan"),
    ("Atanh", "atanh"),
    ("BitShift", "bitwise_left_shift"),
    ("BitwiseAnd", "bitwise_and"),
    ("BitwiseNot", "bitwise_not"),
    ("BitwiseOr", "bitwise_or"),
    ("BitwiseXor", "bitwise_xor"),
    ("Ceil", "ceil"),
    ("Celu", "celu"),
    ("Cos", "cos"),
    ("Cosh", "cosh"),
    ("Div", "div"),
    ("Elu", "elu"),
    ("Equal", "eq"),
    ("Erf", "erf"),
    ("Exp", "exp"),
    ("FastGelu", "gelu_tanh"),
    ("Floor", "floor"),
    ("Greater", "gt"),
    ("GreaterOrEqual", "ge"),
    ("HardSigmoid", "hardsigmoid"),
    ("HardSwish", "hardswish"),
    ("IsInf", "isinf"),
    ("IsNaN", "isnan"),
    ("LeakyRelu", "leaky_relu"),
    ("Less", "lt"),
    ("LessOrEqual", "le"),
    ("Log", "log"),
    ("Mish", "mish"),
    ("Mod", "remainder"),
    ("Mul", "mul"),
    ("Neg", "neg"),
    ("Not", "logical_not"),
    ("Or", "logical_or"),
    ("PRelu", "prelu"),
    ("Pow", "pow"),
    ("Reciprocal", "reciprocal"),
    ("Relu", "relu"),
    ("Round", "round"),
    ("Selu", "selu"),
    ("Shrink", "softshrink"),
    ("Sigmoid", "sigmoid"),
    ("Sign", "sign"),
    ("Sin", "sin"),
    ("Sinh", "sinh"),
    ("Softplus", "softplus"),
    ("Softsign", "softsign"),
    ("Sqrt", "sqrt"),
    ("Sub", "sub"),
    ("Swish", "silu"),
    ("Tan", "tan"),
    ("Tanh", "tanh"),
    ("ThresholdedRelu", "threshold"),
    ("Where", "where"),
    ("Xor", "logical_xor"),
    ("DequantizeLinear", "dequantize"),
];

/// An addition before a function.
const SUM: Work = Work::arithmetic(1);

pub const TABLE: &[Entry] = &[
    formula("Clip", "1 compare for each bound that is given", |e| {
        let bounds = ["min", "max"]
            .iter()
            .filter(|name| e.number(name).is_some())
            .count();
        let inputs = e.inputs().count() - e.inputs().count().min(1);
        for_each(e, Work::compare((bounds + inputs) as u32))
    }),
    formula(
        "Gelu BiasGelu",
        "1 transcendental and 4 FLOP for each result, 8 with a hyperbolic tangent; 1 for a bias",
        |e| {
            let name = match e.text("approximate") {
                Some("tanh") => "gelu_tanh",
                _ => "gelu",
            };
            let gelu = work(name).unwrap_or(Work::NONE);
            let bias = if e.inputs().count() > 1 {
                SUM
            } else {
                Work::NONE
            };
            for_each(e, gelu.and(bias))
        },
    ),
    // x · sigmoid(1.702 x).
    each("QuickGelu", SIGMOID.and(Work::arithmetic(2))),
    // a · sigmoid(a) · b.
    each("SwiGLU", SIGMOID.and(Work::arithmetic(2))),
    formula("Max Min", "1 compare for each input after the first", |e| {
        several(e, Work::compare(1), Work::NONE)
    }),
    formula("Sum", "1 FLOP for each input after the first", |e| {
        several(e, SUM, Work::NONE)
    }),
    formula("Mean", "1 FLOP for each input", |e| several(e, SUM, SUM)),
    each("Softmax", softmax::FORWARD),
    each("LogSoftmax", softmax::LOG_FORWARD),
    each("Hardmax", Work::compare(1)),
    formula(
        "QuantizeLinear",
        "as a quantisation of PyTorch's: 3 FLOP, 2 compares for each input",
        |e| quantised(e, Work::NONE),
    ),
    formula(
        "DynamicQuantizeLinear",
        "3 FLOP and 4 compares for each input: its largest and smallest are found",
        |e| quantised(e, Work::compare(2)),
    ),
    // Two products and a sum for each element that is turned.
    each("RotaryEmbedding", Work::arithmetic(3)),
    formula(
        "Dropout",
        "zero, unless it is training: 1 compare and 1 FLOP for each result",
        |e| {
            if e.outputs.len() < 2 {
                return Ok(Cost::default());
            }
            let output = e.require_output(0)?;
            let drop = Work::compare(1).and(SUM);
            Ok(e.moving(drop.over(output)))
        },
    ),
];

/// What the family knows, under the standard's names.
pub fn entries() -> impl Iterator<Item = Entry> {
    let known = |&(name, known)| Some(each(name, work(known)?));
    NAMES.iter().filter_map(known)
}

/// Work for each input after the first, broadcast, and a last one for each result.
fn several(event: &Event, step: Work, last: Work) -> Counted {
    let steps = event.inputs().count().saturating_sub(1) as u64;
    let output = event.require_output(0)?;
    let one = |work: Work| work.over(output);
    Ok(event.moving(one(step).times(steps) + one(last)))
}

fn quantised(event: &Event, first: Work) -> Counted {
    let input = event.input().ok_or("it has no input")?;
    let work = work("quantize").unwrap_or(Work::NONE).and(first);
    Ok(event.moving(work.over(input)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_function_of_the_family() {
        let known: Vec<&str> = entries().map(|entry| entry.names).collect();
        for (name, function) in NAMES {
            assert!(known.contains(name), "{name}: the family has no {function}");
        }
    }
}
