//! What operators cost, by hand.

use laptime_onnx::count;
use laptime_ops::{Cost, Formulas};

use crate::file::{
    bytes, domain, floats, function, int, ints, model, name, node, node_message, output, reference,
    tensor, text, weight,
};
use crate::{cost, counted};

#[test]
fn a_grouped_convolution_with_a_bias() {
    let graph = [
        floats("x", &[2, 4, 9, 9]),
        weight("w", &[6, 2, 3, 3]),
        weight("b", &[6]),
        node(
            "Conv",
            "x w b",
            "y",
            &[int("group", 2), ints("strides", &[2, 2])],
        ),
        output("y"),
    ];
    // 2 · 6 · 4 · 4 results of 2 · 3 · 3 taps, each with a bias.
    let cost = cost(&graph);
    assert_eq!((cost.mac, cost.other_flop), (192 * 18, 192));
    assert_eq!(cost.bytes_read, 4 * (2 * 4 * 81 + 6 * 18 + 6));
}

#[test]
fn a_transposed_convolution_counts_its_inputs() {
    let graph = [
        floats("x", &[1, 4, 5]),
        weight("w", &[4, 3, 4]),
        node("ConvTranspose", "x w", "y", &[ints("strides", &[2])]),
        output("y"),
    ];
    assert_eq!(cost(&graph).mac, 4 * 5 * 3 * 4);
    // 2 · (5 − 1) + 4 long.
    assert_eq!(cost(&graph).bytes_written, 4 * 3 * 12);
}

#[test]
fn a_product_is_broadcast_over_its_batches() {
    let graph = [
        floats("x", &[5, 1, 2, 3]),
        weight("w", &[4, 3, 7]),
        node("MatMul", "x w", "y", &[]),
        output("y"),
    ];
    assert_eq!(cost(&graph).mac, 5 * 4 * 2 * 3 * 7);
}

#[test]
fn vectors_are_rows_and_columns() {
    let graph = |left: &[i64], right: &[i64]| {
        [
            floats("x", left),
            weight("w", right),
            node("MatMul", "x w", "y", &[]),
            output("y"),
        ]
    };
    assert_eq!(cost(&graph(&[3], &[3])).mac, 3);
    assert_eq!(cost(&graph(&[3], &[2, 3, 4])).mac, 2 * 3 * 4);
    assert_eq!(cost(&graph(&[5, 2, 3], &[3])).mac, 5 * 2 * 3);
}

#[test]
fn a_gemm_is_a_product_and_what_is_added() {
    let graph = [
        floats("x", &[3, 2]),
        weight("w", &[5, 3]),
        weight("c", &[5]),
        node("Gemm", "x w c", "y", &[int("transA", 1), int("transB", 1)]),
        output("y"),
    ];
    let cost = cost(&graph);
    assert_eq!((cost.mac, cost.other_flop), (2 * 3 * 5, 10));
}

#[test]
fn an_einsum_is_contracted_two_at_a_time() {
    let of = |equation: &str, sizes: &[&[i64]]| {
        let names = ["a", "b", "c"];
        let mut graph: Vec<Vec<u8>> = names
            .iter()
            .zip(sizes)
            .map(|(name, sizes)| floats(name, sizes))
            .collect();
        let inputs = names[..sizes.len()].join(" ");
        graph.push(node("Einsum", &inputs, "y", &[text("equation", equation)]));
        graph.push(output("y"));
        cost(&graph)
    };
    assert_eq!(
        of("bhid, bhjd -> bhij", &[&[2, 3, 4, 5], &[2, 3, 6, 5]]).mac,
        2 * 3 * 4 * 6 * 5
    );
    assert_eq!(of("...ij,jk", &[&[7, 2, 3], &[3, 4]]).mac, 7 * 2 * 3 * 4);
    // (ij, jk) → ik, then (ik, kl) → il.
    assert_eq!(
        of("ij,jk,kl->il", &[&[2, 3], &[3, 4], &[4, 5]]).mac,
        2 * 3 * 4 + 2 * 4 * 5
    );
    // Without a product there is only a sum.
    let sum = of("ij->j", &[&[2, 3]]);
    assert_eq!((sum.mac, sum.other_flop), (0, 6));
    // k is only in one of them: summed first.
    let first = of("ijk,j->i", &[&[2, 3, 4], &[3]]);
    assert_eq!((first.mac, first.other_flop), (6, 24));
}

#[test]
fn quantised_products_and_convolutions_are_macs() {
    let graph = [
        bytes(
            11,
            &crate::file::value(
                "x",
                2,
                &[crate::file::Size::Is(2), crate::file::Size::Is(3)],
            ),
        ),
        bytes(5, &tensor("w", 3, &[3, 4], &[])),
        bytes(5, &tensor("zero", 2, &[], &[])),
        node("MatMulInteger", "x w zero", "y", &[]),
        output("y"),
    ];
    let counts = counted(model(&graph, &[])).unwrap();
    let cost = counts.total.total().cost;
    // The zero point is taken off six numbers.
    assert_eq!((cost.mac, cost.integer_op), (24, 6));
    // A byte each in, four out.
    assert_eq!((cost.bytes_read, cost.bytes_written), (6 + 12 + 1, 4 * 8));
    assert_eq!(counts.params, Some(12));
}

#[test]
fn a_quantised_convolution_has_its_weight_in_the_fourth_place() {
    let eight = |name: &str, sizes: &[i64]| bytes(5, &tensor(name, 3, sizes, &[]));
    let graph = [
        eight("x", &[1, 2, 5, 5]),
        eight("w", &[4, 2, 3, 3]),
        eight("z", &[]),
        weight("s", &[]),
        node("QLinearConv", "x s z w s z s z", "y", &[]),
        output("y"),
    ];
    assert_eq!(cost(&graph).mac, 4 * 9 * 18);
}

#[test]
fn attention_of_the_standard_counts_keys_of_the_past() {
    let graph = |more: &[Vec<u8>], past: &str| {
        [
            floats("q", &[2, 3, 8]),
            floats("k", &[2, 3, 4]),
            floats("v", &[2, 3, 4]),
            floats("p", &[2, 1, 5, 4]),
            node(
                "Attention",
                &format!("q k v _ {past}"),
                "y kept",
                &[&[int("q_num_heads", 2), int("kv_num_heads", 1)], more].concat(),
            ),
            output("y"),
        ]
    };
    // 2 sequences, 2 heads, 3 queries, 3 keys; 4 for the key and 4 for the value.
    assert_eq!(cost(&graph(&[], "")).mac, 2 * 2 * 3 * 3 * 8);
    assert_eq!(cost(&graph(&[], "p p")).mac, 2 * 2 * 3 * 8 * 8);
    let causal = cost(&graph(&[int("is_causal", 1)], ""));
    assert_eq!(causal.active_mac, 2 * 2 * (1 + 2 + 3) * 8);
}

#[test]
fn attention_of_onnx_runtime_in_its_layouts() {
    let microsoft = |op: &str, inputs: &str, more: &[Vec<u8>]| {
        let more = [&[domain("com.microsoft")], more].concat();
        let graph = [
            floats("x", &[2, 3, 8]),
            floats("k", &[2, 3, 4]),
            floats("qkv", &[2, 3, 16]),
            floats("past", &[2, 1, 5, 4]),
            weight("w", &[8, 24]),
            weight("b", &[24]),
            node(op, inputs, "y", &more),
            output("y"),
        ];
        cost(&graph)
    };
    let heads = |count| int("num_heads", count);
    // The projection of 2 · 3 rows, then 2 heads of 4.
    let projected = microsoft("Attention", "x w b", &[heads(2)]);
    assert_eq!(projected.mac, 6 * 8 * 24 + 2 * 2 * 3 * 3 * 8);
    let plain = microsoft("MultiHeadAttention", "x x x", &[heads(2)]);
    assert_eq!(plain.mac, 2 * 2 * 3 * 3 * 8);
    let grouped = [heads(2), int("kv_num_heads", 1)];
    let apart = microsoft("GroupQueryAttention", "x k k past past", &grouped);
    assert_eq!(apart.mac, 2 * 2 * 3 * 8 * 8);
    // Queries see 6, 7 and 8 keys.
    assert_eq!(apart.active_mac, 2 * 2 * 21 * 8);
    let packed = microsoft("GroupQueryAttention", "qkv _ _ past past", &grouped);
    assert_eq!(packed.mac, apart.mac);
}

#[test]
fn an_operator_that_nobody_knows_is_listed_unless_the_user_has_a_formula() {
    let graph = [
        floats("x", &[4, 8]),
        node("Gemm2", "x", "y", &[domain("mine")]),
        output("y"),
    ];
    let file = model(&graph, &[]);
    let counts = counted(file.clone()).unwrap();
    assert_eq!(counts.uncounted[0].name, "mine::Gemm2");
    let mut formulas = Formulas::standard();
    formulas.register("mine::Gemm2", |event| {
        let mac = event.input().ok_or("no input")?.elements();
        Ok(Cost {
            mac,
            ..Cost::default()
        })
    });
    let counts = count(std::io::Cursor::new(file), &[], formulas).unwrap();
    assert_eq!(
        (counts.uncounted.len(), counts.total.total().cost.mac),
        (0, 32)
    );
}

#[test]
fn functions_of_the_file_are_expanded_with_what_their_caller_set() {
    let body = [
        node_message("Transpose", "a", "t", &[]),
        node_message("Gemm", "a w", "b", &[reference("transB", "turn")]),
        node_message("Relu", "b", "c", &[]),
    ];
    let graph = [
        floats("x", &[2, 3]),
        weight("w", &[5, 3]),
        node(
            "Layer",
            "x w",
            "y",
            &[domain("own"), int("turn", 1), name("/fc/Layer")],
        ),
        output("y"),
    ];
    let counts = counted(model(&graph, &[function("Layer", "a w", "c", &body)])).unwrap();
    let cost = counts.total.total().cost;
    assert_eq!((cost.mac, cost.compare), (2 * 3 * 5, 10));
    // Its nodes are of the module that calls it.
    let paths: Vec<(&str, u128)> = counts
        .by_module
        .iter()
        .map(|row| (&row.path[..], row.own.total().cost.mac))
        .collect();
    assert_eq!(paths, [("", 0), ("fc", 30)]);
}

#[test]
fn parameters_are_counted_once_for_each_module_that_reads_them() {
    let graph = [
        floats("x", &[2, 3]),
        weight("w", &[3, 3]),
        weight("v", &[3, 4]),
        node("MatMul", "x w", "a", &[name("/a/a.0/MatMul")]),
        node("MatMul", "a w", "b", &[name("/a/a.1/MatMul")]),
        node("MatMul", "b v", "c", &[name("/head/MatMul")]),
        output("c"),
    ];
    let counts = counted(model(&graph, &[])).unwrap();
    assert_eq!(counts.params, Some(21));
    let rows: Vec<(&str, u64)> = counts
        .by_module
        .iter()
        .map(|row| (&row.path[..], row.params))
        .collect();
    assert_eq!(
        rows,
        [("", 21), ("a", 9), ("a.0", 9), ("a.1", 9), ("head", 12)]
    );
}

#[test]
fn a_file_without_weights_has_no_number_of_parameters() {
    let graph = [
        floats("x", &[2, 3]),
        floats("w", &[3, 3]),
        node("MatMul", "x w", "y", &[]),
        output("y"),
    ];
    let counts = counted(model(&graph, &[])).unwrap();
    assert_eq!(counts.params, None);
    assert_eq!(counts.warnings[0].code, "no-parameters");
}
