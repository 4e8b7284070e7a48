//! Branches and loops.

use crate::file::{
    Size, body, bytes, floats, input, int, model, node, output, scalar, value, weight,
};
use crate::{cost, counted};

/// A square product of what a name says, as a body's nodes.
fn square(of: &str, gives: &str) -> Vec<u8> {
    node("MatMul", &format!("{of} w"), gives, &[])
}

fn around(more: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut graph = vec![floats("x", &[4, 4]), weight("w", &[4, 4])];
    graph.extend(more);
    graph
}

/// A loop whose rounds are a product each.
fn loop_of(count: &str, goes_on: &str) -> Vec<u8> {
    let round = [
        input("i", 7, &[]),
        input("on", 9, &[]),
        floats("state", &[4, 4]),
        node("Identity", "on", "still", &[]),
        square("state", "next"),
        output("still"),
        output("next"),
    ];
    node(
        "Loop",
        &format!("{count} {goes_on} x"),
        "y",
        &[body("body", &round)],
    )
}

#[test]
fn a_loop_is_counted_once_for_each_round() {
    let graph = around(vec![
        scalar("ten", 7, 10),
        scalar("true", 9, 1),
        loop_of("ten", "true"),
        output("y"),
    ]);
    assert_eq!(cost(&graph).mac, 10 * 64);
}

#[test]
fn a_loop_without_end_in_sight_is_never_taken_as_one_round() {
    let graph = around(vec![
        input("count", 7, &[]),
        loop_of("count", "_"),
        output("y"),
    ]);
    let counts = counted(model(&graph, &[])).unwrap();
    assert_eq!(counts.total.total().cost.mac, 0);
    let row = counts
        .uncounted
        .iter()
        .find(|row| row.name == "onnx::MatMul");
    assert_eq!(row.unwrap().each.unwrap().mac, 64);
}

#[test]
fn a_loop_that_data_may_keep_from_starting_is_not_counted() {
    let graph = around(vec![
        scalar("ten", 7, 10),
        input("starts", 9, &[]),
        loop_of("ten", "starts"),
        output("y"),
    ]);
    let counts = counted(model(&graph, &[])).unwrap();
    assert_eq!(counts.total.total().cost.mac, 0);
    assert_eq!(counts.uncounted[0].each.unwrap().mac, 64);
}

#[test]
fn a_loop_whose_rounds_differ_is_walked_round_by_round() {
    // What is carried grows by a row each round, as a cache does: 4, 5, 6 rows.
    let round = [
        input("i", 7, &[]),
        input("on", 9, &[]),
        input("state", 1, &[Size::Open, Size::Is(4)]),
        scalar("still", 9, 1),
        weight("row", &[1, 4]),
        square("state", "left"),
        node("Concat", "state row", "next", &[int("axis", 0)]),
        output("still"),
        output("next"),
        output("left"),
    ];
    let graph = around(vec![
        scalar("three", 7, 3),
        node("Loop", "three _ x", "y z", &[body("body", &round)]),
        square("y", "last"),
        output("last"),
    ]);
    assert_eq!(cost(&graph).mac, (4 + 5 + 6 + 7) * 16);
}

#[test]
fn a_scan_is_as_long_as_what_it_scans() {
    let round = [
        floats("state", &[4, 4]),
        floats("each", &[4]),
        square("state", "next"),
        node("MatMul", "each w", "out", &[]),
        output("next"),
        output("out"),
    ];
    let graph = around(vec![
        floats("rows", &[100, 4]),
        node(
            "Scan",
            "x rows",
            "y all",
            &[int("num_scan_inputs", 1), body("body", &round)],
        ),
        node("MatMul", "all w", "end", &[]),
        output("end"),
    ]);
    assert_eq!(cost(&graph).mac, 100 * (64 + 16) + 100 * 16);
}

/// A branch of one product, or of several.
fn branch(products: usize, give: &str) -> Vec<Vec<u8>> {
    let mut nodes: Vec<Vec<u8>> = Vec::new();
    let mut last = "x".to_owned();
    for index in 0..products {
        let next = if index + 1 == products {
            give.to_owned()
        } else {
            format!("{give}{index}")
        };
        nodes.push(square(&last, &next));
        last = next;
    }
    nodes.push(output(give));
    nodes
}

fn choice(condition: Vec<u8>, yes: usize, no: usize) -> Vec<Vec<u8>> {
    around(vec![
        condition,
        node(
            "If",
            "is",
            "y",
            &[
                body("then_branch", &branch(yes, "a")),
                body("else_branch", &branch(no, "b")),
            ],
        ),
        square("y", "z"),
        output("z"),
    ])
}

#[test]
fn a_branch_whose_condition_is_known_is_the_one_that_is_counted() {
    let constant = |value| scalar("is", 9, value);
    assert_eq!(cost(&choice(constant(1), 1, 3)).mac, 2 * 64);
    assert_eq!(cost(&choice(constant(0), 1, 3)).mac, 4 * 64);
}

#[test]
fn branches_that_cost_alike_are_counted_and_others_are_listed() {
    let open = || bytes(11, &value("is", 9, &[]));
    assert_eq!(cost(&choice(open(), 2, 2)).mac, 3 * 64);
    let counts = counted(model(&choice(open(), 1, 3), &[])).unwrap();
    // What comes after is counted: both ways give it the same sizes.
    assert_eq!(counts.total.total().cost.mac, 64);
    let [row] = &counts.uncounted[..] else {
        panic!("{:?}", counts.uncounted);
    };
    assert_eq!(row.name, "onnx::If");
    assert_eq!(
        row.reason,
        "which of its branches runs depends on data, and they differ"
    );
}
