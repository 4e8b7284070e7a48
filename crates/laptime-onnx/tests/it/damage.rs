//! Bad files: a clear error, little memory, no panic.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use laptime_onnx::{OnnxError, count};
use laptime_ops::Formulas;
use proptest::prelude::*;

use crate::file::{
    body, bytes, domain, floats, function, model, name, node, node_message, number, output, row,
    tensor, varint, weight,
};
use crate::{cost, counted, error};

fn good() -> Vec<u8> {
    let graph = [
        floats("x", &[2, 3]),
        weight("w", &[3, 4]),
        node("MatMul", "x w", "y", &[name("/fc/MatMul")]),
        output("y"),
    ];
    model(&graph, &[])
}

#[test]
fn a_file_that_is_cut_off_says_so_wherever_it_is_cut() {
    let file = good();
    assert!(counted(file.clone()).is_ok());
    for length in 0..file.len() {
        // Between two fields of the model itself, what is there may be a whole model.
        if let Err(error) = counted(file[..length].to_vec()) {
            let text = error.to_string();
            let is_said = matches!(
                error,
                OnnxError::Truncated { .. } | OnnxError::NoModel { .. }
            );
            assert!(is_said, "{length}: {text}");
        }
    }
    let cut = error(file[..20].to_vec());
    assert!(
        cut.to_string()
            .starts_with("the ONNX file is cut off: a field at byte"),
        "{cut}"
    );
}

#[test]
fn something_else_is_no_model() {
    assert_eq!(
        error(Vec::new()).to_string(),
        "not an ONNX model: the file holds no graph"
    );
    let zip = error(b"PK\x03\x04 something else".to_vec());
    assert!(zip.to_string().contains("ONNX file is"), "{zip}");
}

/// A file with two billion bytes of weights that nobody can hold, and how much of it was read.
struct Huge {
    start: Vec<u8>,
    end: Vec<u8>,
    between: u64,
    place: u64,
    read: u64,
}

impl Huge {
    fn length(&self) -> u64 {
        self.start.len() as u64 + self.between + self.end.len() as u64
    }
}

impl Read for &mut Huge {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = (into.len() as u64).min(self.length() - self.place) as usize;
        let after = self.start.len() as u64 + self.between;
        for (index, byte) in into[..count].iter_mut().enumerate() {
            let place = self.place + index as u64;
            *byte = match (self.start.get(place as usize), place.checked_sub(after)) {
                (Some(byte), _) => *byte,
                (None, Some(place)) => self.end[place as usize],
                (None, None) => 0x5a,
            };
        }
        self.place += count as u64;
        self.read += count as u64;
        Ok(count)
    }
}

impl Seek for &mut Huge {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => place as i64,
            SeekFrom::End(by) => self.length() as i64 + by,
            SeekFrom::Current(by) => self.place as i64 + by,
        };
        self.place = u64::try_from(place).map_err(|_| io::ErrorKind::InvalidInput)?;
        Ok(self.place)
    }
}

#[test]
fn two_gigabytes_of_weights_are_sought_over() {
    let between: u64 = (1 << 31) - 4096;
    let start = |field: u64, length: u64| [varint(field << 3 | 2), varint(length)].concat();
    let raw = start(9, between);
    let head = tensor("w", 1, &[3, 4], &[]);
    let head = &head[..head.len() - 2];
    let constant = start(5, (head.len() + raw.len()) as u64 + between);
    let nodes = [
        floats("x", &[2, 3]),
        node("MatMul", "x w", "y", &[]),
        output("y"),
    ]
    .concat();
    let inner = (constant.len() + head.len() + raw.len()) as u64 + between + nodes.len() as u64;
    let begin = [number(1, 10), start(7, inner), constant, head.to_vec(), raw].concat();
    let mut huge = Huge {
        start: begin,
        end: nodes,
        between,
        place: 0,
        read: 0,
    };
    let counts = count(&mut huge, &[], Formulas::standard()).unwrap();
    assert_eq!(counts.total.total().cost.mac, 24);
    assert!(huge.read < 1 << 18, "{} bytes were read", huge.read);
}

#[test]
fn nodes_that_wait_for_each_other_are_a_cycle() {
    let graph = [
        floats("x", &[2, 2]),
        node("Add", "x b", "a", &[name("first")]),
        node("Add", "a x", "b", &[name("second")]),
        output("b"),
    ];
    assert_eq!(
        error(model(&graph, &[])).to_string(),
        r#"the ONNX graph has a cycle: Add "first" needs its own result"#
    );
}

#[test]
fn nodes_in_another_order_cost_the_same() {
    let graph = [
        floats("x", &[2, 2]),
        node("Add", "a x", "b", &[]),
        node("Relu", "x", "a", &[]),
        output("b"),
    ];
    let cost = cost(&graph);
    assert_eq!((cost.other_flop, cost.compare), (4, 4));
}

#[test]
fn a_name_that_is_given_twice_and_one_that_is_not_given_are_errors() {
    let graph = |inputs: &str, last: &str| {
        let graph = [
            floats("x", &[2, 2]),
            node("Relu", "x", "a", &[]),
            node("Relu", inputs, last, &[]),
            output("a"),
        ];
        error(model(&graph, &[])).to_string()
    };
    assert_eq!(graph("x", "a"), r#"the ONNX graph gives "a" twice"#);
    assert_eq!(
        graph("q", "b"),
        r#"the ONNX graph has no "q", which Relu of "b" reads"#
    );
}

#[test]
fn functions_that_call_each_other_are_a_cycle() {
    let call = |name: &str| node_message(name, "a", "b", &[domain("own")]);
    let more = [
        function("One", "a", "b", &[call("Two")]),
        function("Two", "a", "b", &[call("One")]),
    ];
    let graph = [
        floats("x", &[2]),
        node("One", "x", "y", &[domain("own")]),
        output("y"),
    ];
    assert_eq!(
        error(model(&graph, &more)).to_string(),
        r#"the ONNX graph has a cycle: the function "One" needs its own result"#
    );
}

#[test]
fn functions_that_unfold_without_measure_are_refused() {
    // Each of thirty calls the next one four times: 4³⁰ nodes.
    let call = |to: usize, from: &str, into: &str| {
        node_message(&format!("F{to}"), from, into, &[domain("own")])
    };
    let functions: Vec<Vec<u8>> = (0..30)
        .map(|index| {
            let next = index + 1;
            let nodes = [
                call(next, "a", "b"),
                call(next, "b", "c"),
                call(next, "c", "d"),
                call(next, "d", "e"),
            ];
            function(&format!("F{index}"), "a", "e", &nodes)
        })
        .collect();
    let graph = [
        floats("x", &[2]),
        node("F0", "x", "y", &[domain("own")]),
        output("y"),
    ];
    let error = error(model(&graph, &functions)).to_string();
    assert!(
        error.starts_with("the ONNX file is refused: the number of its nodes"),
        "{error}"
    );
}

#[test]
fn bodies_in_bodies_are_followed_so_deep_and_no_deeper() {
    let nested = |depth: usize| {
        let mut inner = vec![output("x")];
        for _ in 0..depth {
            let both = [
                body("then_branch", &inner),
                body("else_branch", &[output("x")]),
            ];
            inner = vec![node("If", "is", "y", &both), output("y")];
        }
        inner.extend([floats("x", &[2]), crate::file::scalar("is", 9, 1)]);
        counted(model(&inner, &[]))
    };
    assert!(nested(10).is_ok());
    let error = nested(500).unwrap_err().to_string();
    assert!(error.contains("the depth of"), "{error}");
}

#[test]
fn sizes_that_are_none_are_refused() {
    let graph = |sizes: &[i64]| {
        let graph = [
            floats("x", &[2, 3]),
            weight("w", sizes),
            node("MatMul", "x w", "y", &[]),
            output("y"),
        ];
        counted(model(&graph, &[]))
    };
    assert_eq!(
        graph(&[3, -4]).unwrap_err().to_string(),
        r#"the constant "w": one of its sizes is negative"#
    );
    // As large as a size can be written: counted, and far from overflowing.
    let counts = graph(&[3, i64::MAX]).unwrap();
    assert_eq!(
        counts.total.total().cost.mac,
        6 * u128::from(i64::MAX as u64)
    );
}

#[test]
fn products_of_sizes_that_no_number_holds_are_refused_or_uncounted() {
    let most = i64::MAX;
    let flat = [
        floats("x", &[most, most]),
        row("all", &[-1]),
        node("Reshape", "x all", "y", &[]),
        output("y"),
    ];
    let error = error(model(&flat, &[])).to_string();
    assert!(
        error.contains("its sizes are too large to multiply"),
        "{error}"
    );
    let relu = [
        floats("x", &[most, most, most]),
        node("Relu", "x", "y", &[]),
        output("y"),
    ];
    let counts = counted(model(&relu, &[])).unwrap();
    assert_eq!(
        counts.uncounted[0].reason,
        "its sizes are too large to multiply"
    );
}

#[test]
fn a_range_without_end_is_refused() {
    let graph = [
        crate::file::scalar("zero", 7, 0),
        crate::file::scalar("end", 7, i64::MAX),
        node("Range", "zero end zero", "y", &[]),
        output("y"),
    ];
    assert!(
        error(model(&graph, &[]))
            .to_string()
            .contains("a range from")
    );
}

#[test]
fn what_is_longer_than_what_holds_it_is_damage() {
    let mut graph = bytes(1, &bytes(4, b"Relu"));
    graph[3] = 100;
    let error = error([number(1, 10), bytes(7, &graph), vec![0x50; 200]].concat());
    let text = error.to_string();
    assert!(text.contains("damaged at byte"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = count(Cursor::new(bytes), &[], Formulas::standard());
    }

    #[test]
    fn no_changed_byte_makes_it_panic(place in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut file = good();
        let place = place.index(file.len());
        file[place] = to;
        let _ = counted(file);
    }
}
