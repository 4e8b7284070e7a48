//! Factorisations, solutions and distances: what each call costs, every column by hand.

use super::*;
use crate::event::Argument;
use crate::family::by_hand::{assert_costs, call, f32};

/// Other FLOP of a call on 7 matrices of 6 × 6, and 2 right sides.
fn of(name: &str, names: [&str; 2], arguments: &[(&str, Argument)], output: &[u64]) -> u128 {
    let [matrix, right] = names;
    let operands = [(matrix, f32(&[7, 6, 6])), (right, f32(&[7, 6, 2]))];
    call(name, &[&operands, arguments].concat(), &[output]).other_flop
}

#[test]
fn factorisations_and_solutions_by_hand() {
    let (matrix, sides): (&[u64], &[u64]) = (&[7, 6, 6], &[7, 6, 2]);
    let tall = |name: &str, mode: &str| {
        let arguments = [("A", f32(&[9, 6])), ("mode", Argument::Text(mode.into()))];
        call(name, &arguments, &[&[9, 6]]).other_flop
    };
    let times_q = |left| {
        let arguments = [
            ("input2", f32(&[3])),
            ("input3", f32(if left { &[6, 2] } else { &[2, 6] })),
            ("left", Argument::Bool(left)),
        ];
        call("aten::ormqr", &arguments, &[&[6, 2]]).other_flop
    };
    let reflectors = [("input", f32(&[9, 6])), ("tau", f32(&[6]))];
    let product = call("aten::linalg_householder_product", &reflectors, &[&[9, 6]]);
    let rows = [
        // 72 + 18 + 1.
        (
            "Cholesky",
            of("aten::linalg_cholesky", ["self", "_"], &[], matrix),
            7 * 91,
        ),
        // 144 − 18 + 5.
        (
            "LU",
            of("aten::linalg_lu_factor", ["A", "_"], &[], matrix),
            7 * 131,
        ),
        // And 288 − 36 + 10 for its inverse.
        (
            "inverse",
            of("aten::linalg_inv", ["A", "_"], &[], matrix),
            7 * (131 + 262),
        ),
        // And 2 · (72 − 6) for both triangles.
        (
            "system",
            of("aten::linalg_solve", ["A", "B"], &[], sides),
            7 * (131 + 132),
        ),
        (
            "by LU",
            of("aten::linalg_lu_solve", ["LU", "B"], &[], sides),
            7 * 132,
        ),
        (
            "by Cholesky",
            of("aten::cholesky_solve", ["input2", "self"], &[], sides),
            7 * 132,
        ),
        (
            "by LDL",
            of("aten::linalg_ldl_solve", ["LD", "B"], &[], sides),
            7 * 132,
        ),
        // 144 + 18 + 5.
        (
            "inverse by Cholesky",
            of("aten::cholesky_inverse", ["self", "_"], &[], matrix),
            7 * 167,
        ),
        (
            "triangle",
            of("aten::linalg_solve_triangular", ["self", "B"], &[], sides),
            7 * 72,
        ),
        (
            "triangle",
            of("aten::triangular_solve", ["A", "self"], &[], sides),
            7 * 72,
        ),
        // 72 + 18 + 19.
        (
            "LDL",
            of("aten::linalg_ldl_factor", ["self", "_"], &[], matrix),
            7 * 109,
        ),
        // 648 − 144 + 54 + 36 + 28; Q's 6 columns 514, all nine 1000.
        ("R alone", tall("aten::linalg_qr", "r"), 622),
        ("Q and R", tall("aten::linalg_qr", "reduced"), 622 + 514),
        ("all of Q", tall("aten::linalg_qr", "complete"), 622 + 1000),
        ("Q by 6 reflectors", product.other_flop, 514),
        // 144 − 36 + 18.
        ("Q · 6 × 2", times_q(true), 126),
        ("2 × 6 · Q", times_q(false), 126),
    ];
    for (name, counted, by_hand) in rows {
        assert_eq!(counted, by_hand, "{name}");
    }
}

#[test]
fn distances_by_hand() {
    // 3 points and 4, of 5 coordinates: 12 pairs, 60 coordinates.
    let points = [("x1", f32(&[3, 5])), ("x2", f32(&[4, 5]))];
    let apart = |power: f64| {
        let power = ("p", Argument::Float(power));
        call(
            "aten::_cdist_forward",
            &[&points[..], &[power]].concat(),
            &[&[3, 4]],
        )
    };
    let gradient = [&[("grad_output", f32(&[3, 4]))], &points[..]].concat();
    let own = [("grad_output", f32(&[3])), ("self", f32(&[3, 5]))];
    let moved =
        |columns: &[(&'static str, u128)]| [columns, &[("read", 140), ("written", 48)]].concat();
    assert_costs(&[
        (
            "difference, square, sum; a root",
            apart(2.0),
            &moved(&[("flop", 180), ("transcendental", 12)]),
        ),
        (
            "difference, its size, sum",
            apart(1.0),
            &moved(&[("flop", 180)]),
        ),
        (
            "difference, its size, a power, sum; a root",
            apart(3.0),
            &moved(&[("flop", 180), ("transcendental", 72)]),
        ),
        (
            "difference, its size, the largest",
            apart(f64::INFINITY),
            &moved(&[("flop", 120), ("compare", 60)]),
        ),
        (
            "x² and y² beside x y: a product over 7; a root, not below 0",
            call("aten::_euclidean_dist", &points, &[&[3, 4]]),
            &moved(&[("mac", 84), ("transcendental", 12), ("compare", 12)]),
        ),
        (
            "difference, · dy, / distance, sum",
            call("aten::_cdist_backward", &gradient, &[&[3, 5]]),
            &[("flop", 240), ("read", 188), ("written", 60)],
        ),
        (
            "3 pairs: difference, · dy, / distance, added to one and taken off the other",
            call("aten::_pdist_backward", &own, &[&[3, 5]]),
            &[("flop", 75), ("read", 72), ("written", 60)],
        ),
        (
            "two products and their difference",
            call("aten::linalg_cross", &[("self", f32(&[5, 3]))], &[&[5, 3]]),
            &[("flop", 45), ("read", 60), ("written", 60)],
        ),
    ]);
    let complex = Tensor::new([5, 3], Dtype::complex(64));
    let cross = [("self", Argument::Tensor(complex.clone()))];
    let event = Event::named("aten::linalg_cross", &cross, vec![complex]);
    // Two complex products of 6 and a difference of 2.
    let crossed = crate::vocabulary::outcome(&event);
    assert!(matches!(crossed, crate::Outcome::Counted(cost) if cost.other_flop == 15 * 14));
}
