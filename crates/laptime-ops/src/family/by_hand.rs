//! Integers worked by hand: what formulas must give, written down as rows. A failure lists the rows that differ.

use laptime_core::Cost;

use super::work::Work;
use crate::event::{Argument, Event};
use crate::outcome::Outcome;
use crate::tensor::{Dtype, Tensor};
use crate::vocabulary;

/// What is worked out; the operations of one element, one by one; what ten elements take: FLOP,
/// transcendentals, compares, operations on integers.
pub type Row<'a> = (&'a str, &'a str, [u128; 4]);

/// What a call is, what it costs, and the columns that aren't 0.
pub type Call<'a> = (&'a str, Cost, &'a [(&'a str, u128)]);

/// Operations of one element, named one by one: `sub mul add` are three FLOP.
fn spelled(operations: &str) -> Work {
    let one = |operation| match operation {
        "add" | "sub" | "mul" | "div" | "neg" | "abs" | "round" => Work::arithmetic(1),
        "exp" | "log" | "sqrt" | "pow" | "sin" | "cos" | "tanh" | "erf" => Work::transcendental(1),
        "cmp" | "max" | "min" => Work::compare(1),
        "bit" | "count" => Work::integer(1),
        other => panic!("{other} is no operation"),
    };
    operations
        .split_whitespace()
        .map(one)
        .fold(Work::NONE, Work::and)
}

/// Asserts what ten elements take, and that the operations of a row add up to that.
pub fn assert_works<'a>(rows: impl IntoIterator<Item = (Row<'a>, Work)>) {
    let columns = |work: Work| {
        let cost = work.on(10, Dtype::F32);
        [
            cost.other_flop,
            cost.transcendental,
            cost.compare,
            cost.integer_op,
        ]
    };
    let differing: Vec<String> = rows
        .into_iter()
        .map(|((name, operations, by_hand), work)| {
            (name, by_hand, columns(spelled(operations)), columns(work))
        })
        .filter(|(_, by_hand, spelled, counted)| by_hand != spelled || by_hand != counted)
        .map(|(name, by_hand, spelled, counted)| {
            format!("{name}: {by_hand:?} by hand, {spelled:?} spelled out, {counted:?} counted")
        })
        .collect();
    assert!(differing.is_empty(), "\n{}", differing.join("\n"));
}

/// Asserts every column of costs.
pub fn assert_costs(calls: &[Call<'_>]) {
    let differing: Vec<String> = calls
        .iter()
        .map(|(name, cost, by_hand)| (name, columns(cost), by_hand))
        .filter(|(_, counted, by_hand)| counted != *by_hand)
        .map(|(name, counted, by_hand)| format!("{name}: {by_hand:?} by hand, {counted:?} counted"))
        .collect();
    assert!(differing.is_empty(), "\n{}", differing.join("\n"));
}

/// The columns that aren't 0; of active and executed multiply-accumulates where they aren't all.
fn columns(cost: &Cost) -> Vec<(&'static str, u128)> {
    [
        ("mac", cost.mac, 0),
        ("active", cost.active_mac, cost.mac),
        ("executed", cost.executed_mac, cost.mac),
        ("flop", cost.other_flop, 0),
        ("integer", cost.integer_op, 0),
        ("transcendental", cost.transcendental, 0),
        ("compare", cost.compare, 0),
        ("read", cost.bytes_read, 0),
        ("written", cost.bytes_written, 0),
        ("links", cost.communication_bytes, 0),
    ]
    .into_iter()
    .filter(|(_, counted, unsaid)| counted != unsaid)
    .map(|(name, counted, _)| (name, counted))
    .collect()
}

/// A single-precision tensor.
pub fn f32(shape: &[u64]) -> Argument {
    Argument::Tensor(Tensor::f32(shape))
}

/// Indices of 8 bytes.
pub fn i64(shape: &[u64]) -> Argument {
    Argument::Tensor(Tensor::new(shape, Dtype::I64))
}

/// What a call costs whose results are single-precision tensors, whether that is counted or zero by definition.
pub fn call(name: &str, arguments: &[(&str, Argument)], outputs: &[&[u64]]) -> Cost {
    let outputs = outputs.iter().map(|shape| Tensor::f32(*shape));
    match vocabulary::outcome(&Event::named(name, arguments, outputs.collect())) {
        Outcome::Counted(cost) | Outcome::Zero(cost) => cost,
        Outcome::Uncounted(reason) => panic!("{name} is not counted: {reason}"),
    }
}
