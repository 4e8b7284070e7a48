//! Calls as the dispatcher makes them. What each costs by hand stands beside its formula.

use laptime_core::Cost;

use crate::event::{Argument, Event};
use crate::outcome::Outcome;
use crate::tensor::{Dtype, Tensor};
use crate::vocabulary;

/// A single-precision tensor.
fn f32<const RANK: usize>(shape: [u64; RANK]) -> Argument {
    Argument::Tensor(Tensor::f32(shape))
}

/// Indices.
fn i64<const RANK: usize>(shape: [u64; RANK]) -> Argument {
    Argument::Tensor(Tensor::new(shape, Dtype::I64))
}

/// A call with arguments by name; its results are single-precision tensors.
fn event(name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]) -> Event {
    let outputs = outputs.iter().map(|shape| Tensor::f32(*shape));
    Event::named(name, arguments, outputs.collect())
}

/// What a call costs that is counted.
fn cost(name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]) -> Cost {
    match vocabulary::outcome(&event(name, arguments, outputs)) {
        Outcome::Counted(cost) => cost,
        other => panic!("{name} is not counted: {other:?}"),
    }
}

/// What a call moves that costs nothing.
fn moved(name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]) -> (u128, u128) {
    match vocabulary::outcome(&event(name, arguments, outputs)) {
        Outcome::Zero(cost) => (cost.bytes_read, cost.bytes_written),
        other => panic!("{name} is not zero: {other:?}"),
    }
}

#[test]
fn names_that_differ_by_how_they_write_cost_the_same() {
    let arguments = [("self", f32([3, 4])), ("other", f32([3, 4]))];
    let plain = cost("aten::mul", &arguments, &[&[3, 4]]);
    assert_eq!(plain.other_flop, 12);
    assert_eq!(cost("aten::mul_", &arguments, &[&[3, 4]]), plain);
    let list = Argument::Tensors(vec![Some(Tensor::f32([3, 4])), Some(Tensor::f32([5]))]);
    let lists = [("self", list.clone()), ("other", list)];
    // In place, and so without a result.
    let each = cost("aten::_foreach_mul_", &lists, &[]);
    assert_eq!((each.other_flop, each.bytes_written), (17, 68));
}

#[test]
fn copies_read_and_write_and_views_do_nothing() {
    assert_eq!(
        moved("aten::clone", &[("self", f32([10]))], &[&[10]]),
        (40, 40)
    );
    assert_eq!(
        moved("aten::zeros_like", &[("self", f32([10]))], &[&[10]]),
        (0, 40)
    );
    assert_eq!(
        moved("aten::permute", &[("self", f32([2, 5]))], &[&[5, 2]]),
        (0, 0)
    );
    let copy = [("self", f32([10])), ("src", f32([1]))];
    assert_eq!(moved("aten::copy_", &copy, &[&[10]]), (4, 40));
}

#[test]
fn what_falls_off_beside_a_result_is_not_counted_again() {
    let arguments = [
        ("input", f32([10])),
        ("p", Argument::Float(0.5)),
        ("train", Argument::Bool(true)),
    ];
    let mut dropout = event("aten::native_dropout", &arguments, &[&[10]]);
    dropout.outputs.push(Tensor::new([10], Dtype::BOOL));
    let Outcome::Counted(cost) = vocabulary::outcome(&dropout) else {
        panic!("it is counted");
    };
    assert_eq!((cost.compare, cost.other_flop), (10, 20));
    assert_eq!(cost.bytes_written, 40 + 10);
}

#[test]
fn primitives_cost_what_they_are_decomposed_from() {
    let arguments = [("self", f32([10])), ("other", f32([10]))];
    assert_eq!(
        cost("prims::mul", &arguments, &[&[10]]),
        cost("aten::mul", &arguments, &[&[10]])
    );
    let wave = [("self", f32([2, 8])), ("dim", Argument::Ints(vec![1]))];
    assert_eq!(
        cost("prims::fft_r2c", &wave, &[&[2, 5]]).other_flop,
        2 * 5 * 8 * 3 / 2
    );
    let copied = [("a", f32([10])), ("b", f32([5]))];
    assert_eq!(moved("prims::copy_to", &copied, &[&[10]]), (20, 40));
}

#[test]
fn what_is_data_is_not_counted() {
    let scores: &[u64] = &[2, 8, 128, 64];
    let mut flex: Vec<(&str, Argument)> = ["query", "key", "value"]
        .map(|name| (name, f32([2, 8, 128, 64])))
        .to_vec();
    flex.push(("active_blocks", Argument::Text("not known".into())));
    let aligned = [
        ("log_probs", f32([10, 2, 5])),
        ("input_lengths", i64([2])),
        ("target_lengths", i64([2])),
    ];
    let square = [("A", f32([6, 6]))];
    for call in [
        event("higher_order::flex_attention", &flex, &[scores]),
        event("aten::_ctc_loss", &aligned, &[&[2]]),
        event("aten::_linalg_svd", &square, &[&[6, 6]]),
    ] {
        let outcome = vocabulary::outcome(&call);
        assert!(
            matches!(outcome, Outcome::Uncounted(_)),
            "{}",
            call.signature.name
        );
    }
}

#[test]
fn rows_of_groups_whose_end_is_not_known_are_counted_with_a_warning() {
    let mut ledger = crate::Ledger::default();
    for offsets in [Argument::Ints(vec![4, 8]), i64([2])] {
        let arguments = [
            ("self", f32([10, 3])),
            ("mat2", f32([2, 3, 5])),
            ("offs", offsets),
        ];
        ledger.add(&event("aten::_grouped_mm", &arguments, &[&[10, 5]]));
    }
    let warnings = ledger.finish().warnings;
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].message.contains("aten::_grouped_mm"),
        "{warnings:?}"
    );
}
