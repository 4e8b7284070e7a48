//! Sizes: asked for, inferred, computed.

use std::io::Cursor;

use laptime_onnx::{OnnxError, OpenDim, count, open_dims};
use laptime_ops::Formulas;
use proptest::prelude::*;

use crate::file::{
    Size, bytes, floats, input, int, model, node, number, output, row, tensor, value, weight,
};
use crate::{cost, counted, error};

/// `x[batch, 8] × w[8, 3]`.
fn open_product() -> Vec<u8> {
    let graph = [
        input("x", 1, &[Size::Named("batch"), Size::Is(8)]),
        input("y", 1, &[Size::Named("batch"), Size::Open]),
        weight("w", &[8, 3]),
        node("MatMul", "x w", "z", &[]),
        node("Relu", "y", "u", &[]),
        output("z"),
        output("u"),
    ];
    model(&graph, &[])
}

#[test]
fn open_sizes_are_asked_for_by_name_all_at_once() {
    let expected = vec![
        OpenDim {
            name: "batch".into(),
            inputs: vec!["x".into(), "y".into()],
        },
        OpenDim {
            name: "y[1]".into(),
            inputs: vec!["y".into()],
        },
    ];
    assert_eq!(open_dims(Cursor::new(open_product())).unwrap(), expected);
    let error = error(open_product());
    assert_eq!(
        error.to_string(),
        r#"the ONNX file leaves sizes open: "batch" (of "x", "y"), "y[1]" (of "y")"#
    );
    assert!(matches!(error, OnnxError::OpenDims { open } if open == expected));
}

#[test]
fn a_size_that_is_not_open_is_refused_with_those_that_are() {
    let dims = ["batch", "y[1]", "bach"].map(|name| (name.to_owned(), 2));
    let error = count(Cursor::new(open_product()), &dims, Formulas::standard()).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the ONNX file leaves no size "bach" open; open are "batch" (of "x", "y"), "y[1]" (of "y")"#
    );
}

proptest! {
    #[test]
    fn counts_grow_with_the_batch(batch in 1_u64..1_000_000, columns in 0_u64..9) {
        let dims = [("batch".to_owned(), batch), ("y[1]".to_owned(), columns)];
        let counts = count(Cursor::new(open_product()), &dims, Formulas::standard()).unwrap();
        let cost = counts.total.total().cost;
        prop_assert_eq!(cost.mac, u128::from(batch) * 8 * 3);
        prop_assert_eq!(cost.compare, u128::from(batch) * u128::from(columns));
    }
}

#[test]
fn sizes_computed_by_the_graph_are_followed() {
    // x.reshape(x.shape[0], -1) @ w, as exporters write it.
    let graph = [
        floats("x", &[4, 2, 5]),
        weight("w", &[10, 7]),
        row("zero", &[0]),
        row("rest", &[-1]),
        node("Shape", "x", "shape", &[]),
        node("Gather", "shape zero", "first", &[int("axis", 0)]),
        node("Concat", "first rest", "wanted", &[int("axis", 0)]),
        node("Reshape", "x wanted", "flat", &[]),
        node("MatMul", "flat w", "y", &[]),
        output("y"),
    ];
    assert_eq!(cost(&graph).mac, 4 * 10 * 7);
}

#[test]
fn arithmetic_on_sizes_is_followed_through_slices_and_branches_of_values() {
    // where(shape == 5, shape // 5, shape)[::-1] is [1, 2, 4].
    let graph = [
        floats("x", &[4, 2, 5]),
        weight("w", &[4, 6]),
        row("five", &[5]),
        row("start", &[-1]),
        row("end", &[i64::MIN]),
        row("axis", &[0]),
        row("step", &[-1]),
        node("Shape", "x", "shape", &[]),
        node("Equal", "shape five", "is", &[]),
        node("Div", "shape five", "less", &[]),
        node("Where", "is less shape", "all", &[]),
        node("Slice", "all start end axis step", "turned", &[]),
        node("ConstantOfShape", "turned", "y", &[]),
        node("MatMul", "y w", "z", &[]),
        output("z"),
    ];
    assert_eq!(cost(&graph).mac, 2 * 4 * 6);
}

#[test]
fn sizes_that_depend_on_data_leave_what_needs_them_uncounted() {
    let graph = [
        floats("x", &[4, 8]),
        weight("w", &[2, 3]),
        node("NonZero", "x", "places", &[crate::file::name("find")]),
        node("Cast", "places", "real", &[int("to", 1)]),
        node("Transpose", "real", "turned", &[]),
        node("MatMul", "turned w", "y", &[]),
        node("Shape", "y", "shape", &[]),
        output("shape"),
    ];
    let counts = counted(model(&graph, &[])).unwrap();
    let names: Vec<&str> = counts.uncounted.iter().map(|row| &row.name[..]).collect();
    assert!(names.contains(&"onnx::MatMul"), "{names:?}");
    // A question about a shape costs nothing, whatever the shape.
    assert!(!names.contains(&"onnx::Shape"));
    assert!(counts.total.total().coverage_ratio().unwrap() < 1.0);
}

#[test]
fn what_the_file_says_of_a_value_fills_what_is_not_known() {
    let own = |more: Vec<Vec<u8>>| {
        let mut graph = vec![
            floats("x", &[4, 8]),
            weight("w", &[5, 3]),
            node("Strange", "x", "y", &[crate::file::domain("mine")]),
            node("MatMul", "y w", "z", &[]),
            output("z"),
        ];
        graph.extend(more);
        counted(model(&graph, &[])).unwrap()
    };
    assert_eq!(own(vec![]).total.total().cost.mac, 0);
    let said = bytes(13, &value("y", 1, &[Size::Is(2), Size::Is(5)]));
    assert_eq!(own(vec![said]).total.total().cost.mac, 2 * 5 * 3);
}

#[test]
fn a_shape_that_another_file_holds_is_said() {
    let external = [
        tensor("wanted", 7, &[2], &[]),
        bytes(
            13,
            &[bytes(1, b"location"), bytes(2, b"../../../etc/passwd")].concat(),
        ),
        number(14, 1),
    ];
    let graph = [
        floats("x", &[4, 8]),
        weight("w", &[2, 3]),
        bytes(5, &external.concat()),
        node("Reshape", "x wanted", "y", &[]),
        node("MatMul", "y w", "z", &[]),
        output("z"),
    ];
    // Nothing is known of y but that it has two dimensions.
    let counts = counted(model(&graph, &[])).unwrap();
    let [row] = &counts.uncounted[..] else {
        panic!("{:?}", counts.uncounted);
    };
    assert_eq!(row.name, "onnx::MatMul");
    assert!(
        row.reason
            .contains(r#"the content of "wanted" is in another file"#),
        "{}",
        row.reason
    );
}

#[test]
fn sizes_that_contradict_each_other_are_an_error_that_names_the_node() {
    let graph = [
        floats("x", &[4, 8]),
        weight("w", &[7, 3]),
        node("MatMul", "x w", "y", &[crate::file::name("/fc/MatMul")]),
        output("y"),
    ];
    assert_eq!(
        error(model(&graph, &[])).to_string(),
        r#"MatMul "/fc/MatMul": a matrix of 8 columns times one of 7 rows"#
    );
}
