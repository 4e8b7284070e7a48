//! Functions of single elements: what each call costs, every column by hand.

use super::*;
use crate::family::by_hand::{assert_costs, call, f32};
use crate::tensor::{Dtype, Tensor};

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn what_arguments_change_by_hand() {
    let on_ten = |name: &str, arguments: &[(&str, Argument)]| {
        let arguments = [&[("self", f32(&[10]))], arguments].concat();
        call(name, &arguments, &[&[10]])
    };
    let text = |text: &str| Argument::Text(text.into());
    let float = Argument::Float;
    let flop = |flop| [("flop", flop), ("read", 40), ("written", 40)];
    let compare = |compare| [("compare", compare), ("read", 40), ("written", 40)];
    let function = |flop, functions| {
        [
            ("flop", flop),
            ("transcendental", functions),
            ("read", 40),
            ("written", 40),
        ]
    };
    let dropped = |flop| {
        [
            ("flop", flop),
            ("compare", 10),
            ("read", 40),
            ("written", 40),
        ]
    };
    let (tanh, training) = (
        ("approximate", text("tanh")),
        ("train", Argument::Bool(true)),
    );
    let (least, most) = (("min", float(0.0)), ("max", float(1.0)));
    assert_costs(&[
        ("a + b", on_ten("aten::add", &[]), &flop(10)),
        (
            "a + 1 b",
            on_ten("aten::add", &[("alpha", float(1.0))]),
            &flop(10),
        ),
        (
            "a + 2 b",
            on_ten("aten::add", &[("alpha", float(2.0))]),
            &flop(20),
        ),
        ("a + b c", on_ten("aten::addcmul", &[]), &flop(20)),
        (
            "a + 1 b c",
            on_ten("aten::addcmul", &[("value", float(1.0))]),
            &flop(20),
        ),
        (
            "a + 2 b c",
            on_ten("aten::addcmul", &[("value", float(2.0))]),
            &flop(30),
        ),
        (
            "a²",
            on_ten("aten::pow", &[("exponent", Argument::Int(2))]),
            &flop(10),
        ),
        (
            "√a",
            on_ten("aten::pow", &[("exponent", float(0.5))]),
            &function(0, 10)[1..],
        ),
        (
            "one bound",
            on_ten("aten::clamp", std::slice::from_ref(&least)),
            &compare(10),
        ),
        (
            "two bounds",
            on_ten("aten::clamp", &[least, most]),
            &compare(20),
        ),
        ("bounds unsaid", on_ten("aten::clamp", &[]), &compare(10)),
        ("gelu", on_ten("aten::gelu", &[]), &function(40, 10)),
        (
            "by tanh",
            on_ten("aten::gelu", std::slice::from_ref(&tanh)),
            &function(80, 10),
        ),
        (
            "gelu back",
            on_ten("aten::gelu_backward", &[]),
            &function(80, 20),
        ),
        (
            "by tanh",
            on_ten("aten::gelu_backward", &[tanh]),
            &function(150, 10),
        ),
        ("a / b", on_ten("aten::div", &[]), &flop(10)),
        (
            "⌊a / b⌋",
            on_ten("aten::div", &[("rounding_mode", text("floor"))]),
            &flop(20),
        ),
        (
            "a sigmoid, a product",
            on_ten("aten::glu", &[]),
            &function(30, 10),
        ),
        (
            "a draw, a mask, a scale",
            on_ten("aten::dropout", &[training]),
            &dropped(20),
        ),
        (
            "and a shift",
            on_ten("aten::alpha_dropout", &[]),
            &dropped(30),
        ),
        (
            "not in training",
            on_ten("aten::dropout", &[("train", Argument::Bool(false))]),
            &[],
        ),
        ("|a|", on_ten("aten::abs", &[]), &flop(10)),
        (
            "s: exp add div; dy · s; · a; 1 − s; · — of each pair of results",
            call(
                "aten::glu_backward",
                &[("grad_output", f32(&[5]))],
                &[&[10]],
            ),
            &[
                ("flop", 30),
                ("transcendental", 5),
                ("read", 20),
                ("written", 40),
            ],
        ),
    ]);
}

#[test]
fn complex_numbers_by_hand() {
    let complex = || Argument::Tensor(Tensor::new([10], Dtype::complex(64)));
    let on_ten = |name: &str| call(name, &[("self", complex())], &[&[10]]);
    let flop = |flop| [("flop", flop), ("read", 80), ("written", 40)];
    assert_costs(&[
        ("both parts", on_ten("aten::add"), &flop(20)),
        (
            "by the conjugate 6, its norm 3, two divisions",
            on_ten("aten::div"),
            &flop(110),
        ),
        (
            "two squares, their sum and its root",
            on_ten("aten::abs"),
            &[
                ("flop", 30),
                ("transcendental", 10),
                ("read", 80),
                ("written", 40),
            ],
        ),
    ]);
}
