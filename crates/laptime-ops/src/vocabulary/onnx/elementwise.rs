//! Functions of single elements, by the names that the family has for them.

use laptime_core::Cost;

use crate::event::Event;
use crate::family::elementwise::{SIGMOID, work};
use crate::family::softmax;
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, each, for_each, formula};

/// Names of the standard that are the family's but for capitals.
const SAME: &str = "Abs Acos Acosh Add Asin Asinh Atan Atanh Ceil Celu Cos Cosh Div Elu Erf Exp Floor \
    HardSigmoid HardSwish IsInf IsNaN Log Mish Mul Neg PRelu Pow Reciprocal Relu Round Selu \
    Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub Tan Tanh Where";

/// Other names of the standard, and the family's.
const NAMES: &[(&str, &str)] = &[
    ("And", "logical_and"),
    ("BitShift", "bitwise_left_shift"),
    ("BitwiseAnd", "bitwise_and"),
    ("BitwiseNot", "bitwise_not"),
    ("BitwiseOr", "bitwise_or"),
    ("BitwiseXor", "bitwise_xor"),
    ("Equal", "eq"),
    ("FastGelu", "gelu_tanh"),
    ("Greater", "gt"),
    ("GreaterOrEqual", "ge"),
    ("LeakyRelu", "leaky_relu"),
    ("Less", "lt"),
    ("LessOrEqual", "le"),
    ("Mod", "remainder"),
    ("Not", "logical_not"),
    ("Or", "logical_or"),
    ("Shrink", "softshrink"),
    ("Swish", "silu"),
    ("ThresholdedRelu", "threshold"),
    ("Xor", "logical_xor"),
    ("DequantizeLinear", "dequantize"),
];

/// An addition before a function.
const SUM: Work = Work::arithmetic(1);

pub const TABLE: &[Entry] = &[
    formula("Clip", "1 compare for each bound that is given", |e| {
        let bounds = ["min", "max"].map(|name| usize::from(e.number(name).is_some()));
        let inputs = e.inputs().count().saturating_sub(1);
        for_each(e, Work::compare((bounds[0] + bounds[1] + inputs) as u32))
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
            let bias = u32::from(e.inputs().count() > 1);
            for_each(e, gelu.and(Work::arithmetic(bias)))
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
            Ok(e.moving(Work::compare(1).and(SUM).over(e.require_output(0)?)))
        },
    ),
];

/// What the family knows, under the standard's names.
pub fn entries() -> impl Iterator<Item = Entry> {
    let same = SAME.split(' ').map(|name| (name, name.to_lowercase()));
    let others = NAMES.iter().map(|&(name, known)| (name, known.to_owned()));
    let known = |(name, known): (_, String)| Some(each(name, work(&known)?));
    same.chain(others).filter_map(known)
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
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn what_arguments_change_by_hand() {
        let on_ten = |name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]| {
            let arguments = [&[("X", f32(&[10]))], arguments].concat();
            call(&format!("onnx::{name}"), &arguments, outputs)
        };
        let one: &[&[u64]] = &[&[10]];
        let (second, third) = (("B", f32(&[10])), ("C", f32(&[10])));
        let more = [second.clone(), third];
        let second = [second];
        let bounds = [("min", Argument::Float(0.0)), ("max", Argument::Float(1.0))];
        let tanh = [("approximate", Argument::Text("tanh".into()))];
        let of = |columns: &[(&'static str, u128)], read| {
            [columns, &[("read", read), ("written", 40)]].concat()
        };
        let gelu = |flop, read| of(&[("flop", flop), ("transcendental", 10)], read);
        assert_costs(&[
            ("no bound", on_ten("Clip", &[], one), &of(&[], 40)),
            (
                "a bound",
                on_ten("Clip", &bounds[..1], one),
                &of(&[("compare", 10)], 40),
            ),
            (
                "two bounds",
                on_ten("Clip", &bounds, one),
                &of(&[("compare", 20)], 40),
            ),
            (
                "two tensors",
                on_ten("Clip", &more, one),
                &of(&[("compare", 20)], 120),
            ),
            (
                "by the error function",
                on_ten("Gelu", &[], one),
                &gelu(40, 40),
            ),
            ("by a tangent", on_ten("Gelu", &tanh, one), &gelu(80, 40)),
            (
                "with a bias",
                on_ten("BiasGelu", &second, one),
                &gelu(50, 80),
            ),
            ("of one", on_ten("Max", &[], one), &of(&[], 40)),
            (
                "of three",
                on_ten("Max", &more, one),
                &of(&[("compare", 20)], 120),
            ),
            (
                "of three",
                on_ten("Sum", &more, one),
                &of(&[("flop", 20)], 120),
            ),
            (
                "two sums and a quotient",
                on_ten("Mean", &more, one),
                &of(&[("flop", 30)], 120),
            ),
            (
                "scale, shift, round, two ends",
                on_ten("QuantizeLinear", &[], one),
                &of(&[("flop", 30), ("compare", 20)], 40),
            ),
            (
                "and its range first",
                on_ten("DynamicQuantizeLinear", &[], one),
                &of(&[("flop", 30), ("compare", 40)], 40),
            ),
            ("not in training", on_ten("Dropout", &[], one), &[]),
            (
                "a draw and a scale, and a mask",
                on_ten("Dropout", &[], &[&[10], &[10]]),
                &[("flop", 10), ("compare", 10), ("read", 40), ("written", 80)],
            ),
        ]);
    }

    #[test]
    fn every_name_has_a_function_of_the_family() {
        let known: Vec<&str> = entries().map(|entry| entry.names).collect();
        for name in NAMES.iter().map(|(name, _)| *name).chain(SAME.split(' ')) {
            assert!(known.contains(&name), "{name}: the family has no function");
        }
    }
}
