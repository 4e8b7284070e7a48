//! Writes small ONNX files for tests: each function gives the bytes of one message.

/// A number, low ones first.
pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// A field that holds bytes.
pub fn bytes(number: u64, content: &[u8]) -> Vec<u8> {
    let mut all = varint(number << 3 | 2);
    all.extend(varint(content.len() as u64));
    all.extend_from_slice(content);
    all
}

/// A field that holds a number.
pub fn number(field: u64, value: i64) -> Vec<u8> {
    let mut all = varint(field << 3);
    all.extend(varint(value as u64));
    all
}

/// A model of a graph, and more of its fields.
pub fn model(graph: &[Vec<u8>], more: &[Vec<u8>]) -> Vec<u8> {
    let opset = [bytes(1, b""), number(2, 21)].concat();
    let graph = bytes(7, &graph.concat());
    [number(1, 10), graph, bytes(8, &opset), more.concat()].concat()
}

/// A size of an input.
#[derive(Clone, Copy)]
pub enum Size {
    Is(i64),
    Named(&'static str),
    Open,
}

/// An input of a graph: 1 is a real number, 7 an integer, 9 a truth value.
pub fn input(name: &str, kind: i64, sizes: &[Size]) -> Vec<u8> {
    bytes(11, &value(name, kind, sizes))
}

/// What is said of a value.
pub fn value(name: &str, kind: i64, sizes: &[Size]) -> Vec<u8> {
    let dims = sizes.iter().map(|size| {
        let dim = match size {
            Size::Is(size) => number(1, *size),
            Size::Named(name) => bytes(2, name.as_bytes()),
            Size::Open => Vec::new(),
        };
        bytes(1, &dim)
    });
    let shape = bytes(2, &dims.collect::<Vec<_>>().concat());
    let tensor = [number(1, kind), shape].concat();
    let kind = bytes(2, &bytes(1, &tensor));
    [bytes(1, name.as_bytes()), kind].concat()
}

/// Real numbers of sizes that are known.
pub fn floats(name: &str, sizes: &[i64]) -> Vec<u8> {
    let sizes: Vec<Size> = sizes.iter().copied().map(Size::Is).collect();
    input(name, 1, &sizes)
}

/// An output of a graph.
pub fn output(name: &str) -> Vec<u8> {
    bytes(12, &bytes(1, name.as_bytes()))
}

/// A constant's message: its content as raw bytes.
pub fn tensor(name: &str, kind: i64, sizes: &[i64], raw: &[u8]) -> Vec<u8> {
    let sizes: Vec<Vec<u8>> = sizes.iter().map(|size| number(1, *size)).collect();
    [
        sizes.concat(),
        number(2, kind),
        bytes(8, name.as_bytes()),
        bytes(9, raw),
    ]
    .concat()
}

/// A constant of a graph without a content.
pub fn weight(name: &str, sizes: &[i64]) -> Vec<u8> {
    bytes(5, &tensor(name, 1, sizes, &[]))
}

/// A row of integers.
pub fn row(name: &str, values: &[i64]) -> Vec<u8> {
    let raw: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes(5, &tensor(name, 7, &[values.len() as i64], &raw))
}

/// A single integer (7) or truth value (9).
pub fn scalar(name: &str, kind: i64, value: i64) -> Vec<u8> {
    let raw = value.to_le_bytes();
    let raw = if kind == 9 { &raw[..1] } else { &raw[..] };
    bytes(5, &tensor(name, kind, &[], raw))
}

/// A node of a graph. Names are separated by spaces; `_` is one that is left out.
pub fn node(op: &str, inputs: &str, outputs: &str, more: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &node_message(op, inputs, outputs, more))
}

/// A node's message.
pub fn node_message(op: &str, inputs: &str, outputs: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let names = |field: u64, names: &str| {
        let each = names.split_whitespace();
        let each = each.map(|name| if name == "_" { "" } else { name });
        each.flat_map(|name| bytes(field, name.as_bytes()))
            .collect::<Vec<u8>>()
    };
    [
        names(1, inputs),
        names(2, outputs),
        bytes(4, op.as_bytes()),
        more.concat(),
    ]
    .concat()
}

/// A node's own name.
pub fn name(name: &str) -> Vec<u8> {
    bytes(3, name.as_bytes())
}

/// The domain of a node's operator.
pub fn domain(domain: &str) -> Vec<u8> {
    bytes(7, domain.as_bytes())
}

/// An attribute that is a number.
pub fn int(name: &str, value: i64) -> Vec<u8> {
    attribute(name, &[number(3, value), number(20, 2)])
}

/// An attribute that is a row of numbers.
pub fn ints(name: &str, values: &[i64]) -> Vec<u8> {
    let packed: Vec<u8> = values
        .iter()
        .flat_map(|value| varint(*value as u64))
        .collect();
    attribute(name, &[bytes(8, &packed), number(20, 7)])
}

/// An attribute that is a text.
pub fn text(name: &str, value: &str) -> Vec<u8> {
    attribute(name, &[bytes(4, value.as_bytes()), number(20, 3)])
}

/// An attribute that is a body.
pub fn body(name: &str, graph: &[Vec<u8>]) -> Vec<u8> {
    attribute(name, &[bytes(6, &graph.concat()), number(20, 5)])
}

/// An attribute that is what the function's caller set.
pub fn reference(name: &str, outer: &str) -> Vec<u8> {
    attribute(name, &[bytes(21, outer.as_bytes()), number(20, 2)])
}

fn attribute(name: &str, content: &[Vec<u8>]) -> Vec<u8> {
    bytes(5, &[bytes(1, name.as_bytes()), content.concat()].concat())
}

/// A function of a model: its names, then its nodes.
pub fn function(name: &str, inputs: &str, outputs: &str, nodes: &[Vec<u8>]) -> Vec<u8> {
    let names = |field: u64, names: &str| {
        let each = names.split_whitespace();
        each.flat_map(|name| bytes(field, name.as_bytes()))
            .collect::<Vec<u8>>()
    };
    let nodes = nodes
        .iter()
        .flat_map(|node| bytes(7, node))
        .collect::<Vec<u8>>();
    let opset = [bytes(1, b""), number(2, 21)].concat();
    let message = [
        bytes(1, name.as_bytes()),
        names(4, inputs),
        names(5, outputs),
        nodes,
        bytes(9, &opset),
        bytes(10, b"own"),
    ];
    bytes(25, &message.concat())
}
