//! Recurrent layers: what each call costs, every column by hand.

use super::*;
use crate::family::by_hand::{assert_costs, assert_works};

#[test]
fn every_cell_by_hand() {
    // W x + U h for each gate, then the gates: a sigmoid is `exp add div`.
    let lstm = "add add add add  exp add div exp add div exp add div tanh  mul mul add tanh mul";
    let gru = "add add add  exp add div exp add div  mul tanh  sub mul add";
    let biases = "add add ";
    let lstm_biased = biases.repeat(4) + lstm;
    let gru_biased = biases.repeat(3) + gru;
    assert_works([
        (("relu", "add max", [10, 0, 10, 0]), Cell::Relu.unit(false)),
        (
            ("relu, biases", "add add add max", [30, 0, 10, 0]),
            Cell::Relu.unit(true),
        ),
        (("tanh", "add tanh", [10, 10, 0, 0]), Cell::Tanh.unit(false)),
        (
            ("tanh, biases", "add add add tanh", [30, 10, 0, 0]),
            Cell::Tanh.unit(true),
        ),
        (("lstm", lstm, [140, 50, 0, 0]), Cell::Lstm.unit(false)),
        (
            ("lstm, biases", &lstm_biased, [220, 50, 0, 0]),
            Cell::Lstm.unit(true),
        ),
        (("gru", gru, [110, 30, 0, 0]), Cell::Gru.unit(false)),
        (
            ("gru, biases", &gru_biased, [170, 30, 0, 0]),
            Cell::Gru.unit(true),
        ),
    ]);
}

#[test]
fn every_gradient_of_a_cell_by_hand() {
    // A sigmoid's slope and its product, `y · (1 − y) · d`, and a tangent's, `(1 − y²) · d`.
    let (sigmoid, tangent) = ("sub mul mul ", "mul sub mul ");
    // dc += dh · o · (1 − tanh(c)²); do = dh · tanh(c); di = dc · g; df = dc · c; dg = dc · i; dc · f goes on.
    let lstm = format!(
        "tanh mul sub mul mul add  mul {sigmoid} mul {sigmoid} mul {sigmoid} mul {tangent} mul"
    );
    // dz = dh · (h − n); dn = dh · (1 − z); dr = dn · U h; dn · r; dh · z + what comes through the gates.
    let gru = format!("sub mul {sigmoid} sub mul {tangent} mul {sigmoid}  mul  mul add");
    let biases = "add add ";
    let lstm_biased = biases.repeat(4) + &lstm;
    let gru_biased = biases.repeat(3) + &gru;
    assert_works([
        (
            ("relu", "cmp", [0, 0, 10, 0]),
            Cell::Relu.unit_backward(false),
        ),
        (
            ("relu, biases", "cmp add add", [20, 0, 10, 0]),
            Cell::Relu.unit_backward(true),
        ),
        (
            ("tanh", tangent, [30, 0, 0, 0]),
            Cell::Tanh.unit_backward(false),
        ),
        (
            ("tanh, biases", "mul sub mul add add", [50, 0, 0, 0]),
            Cell::Tanh.unit_backward(true),
        ),
        (
            ("lstm", &lstm, [220, 10, 0, 0]),
            Cell::Lstm.unit_backward(false),
        ),
        (
            ("lstm, biases", &lstm_biased, [300, 10, 0, 0]),
            Cell::Lstm.unit_backward(true),
        ),
        (
            ("gru", &gru, [170, 0, 0, 0]),
            Cell::Gru.unit_backward(false),
        ),
        (
            ("gru, biases", &gru_biased, [230, 0, 0, 0]),
            Cell::Gru.unit_backward(true),
        ),
    ]);
}

#[test]
fn modes_are_numbered_as_cudnn_numbers_them() {
    let cells = [0, 1, 2, 3, 4, -1].map(Cell::from_mode);
    let [relu, tanh, lstm, gru] = [Cell::Relu, Cell::Tanh, Cell::Lstm, Cell::Gru].map(Some);
    assert_eq!(cells, [relu, tanh, lstm, gru, None, None]);
    let gates = [Cell::Relu, Cell::Tanh, Cell::Lstm, Cell::Gru].map(Cell::gates);
    assert_eq!(gates, [1, 1, 4, 3]);
}

/// 10 steps of 3 sequences through 5 units: an LSTM over 7 inputs, projected to 2.
const LAYER: Layer = Layer {
    cell: Cell::Lstm,
    steps: 10,
    sequences: 3,
    units: 5,
    input_weight: 4 * 5 * 7,
    hidden_weight: 4 * 5 * 2,
    projection_weight: 2 * 5,
    biases: true,
};

#[test]
fn a_projected_layer_by_hand() {
    let nothing = Wanted {
        input: false,
        hidden: false,
        weight: false,
    };
    let all = Wanted {
        input: true,
        hidden: true,
        weight: true,
    };
    let weight = Wanted {
        weight: true,
        ..nothing
    };
    let (input, hidden) = (
        Wanted {
            input: true,
            ..nothing
        },
        Wanted {
            hidden: true,
            ..nothing
        },
    );
    let backward = |wanted| LAYER.backward(wanted, Dtype::F32);
    // Matrices of 140, 40 and 10; 10 · 5 units, of 22 FLOP forward, 22 back and 8 for biases.
    assert_costs(&[
        (
            "10 (140 + 40 + 10)",
            LAYER.forward(Dtype::F32),
            &[("mac", 1900), ("flop", 1100), ("transcendental", 250)],
        ),
        (
            "everything: twice as much",
            backward(all),
            &[("mac", 3800), ("flop", 1500), ("transcendental", 50)],
        ),
        (
            "nothing: 7 steps on from a first state · 40, 10 · 10",
            backward(nothing),
            &[("mac", 380), ("flop", 1100), ("transcendental", 50)],
        ),
        (
            "the first states' too: 3 · 40 more",
            backward(hidden),
            &[("mac", 500), ("flop", 1100), ("transcendental", 50)],
        ),
        (
            "the input's too: 10 · 140 more",
            backward(input),
            &[("mac", 1780), ("flop", 1100), ("transcendental", 50)],
        ),
        (
            "the weights' too: 10 · 190 more, and biases",
            backward(weight),
            &[("mac", 2280), ("flop", 1500), ("transcendental", 50)],
        ),
    ]);
}

#[test]
fn everything_wanted_is_twice_the_forward() {
    let all = Wanted {
        input: true,
        hidden: true,
        weight: true,
    };
    for cell in [Cell::Relu, Cell::Tanh, Cell::Lstm, Cell::Gru] {
        let layer = Layer { cell, ..LAYER };
        let (forward, backward) = (layer.forward(Dtype::F32), layer.backward(all, Dtype::F32));
        assert_eq!(backward.mac, 2 * forward.mac, "{cell:?}");
    }
}
