//! Reads a graph: its nodes, their attributes, and where in the model the exporter was.

use std::io::{Read, Seek};

use super::constant::{constant, sparse_constant};
use super::value_info::value_info;
use super::wire::{Field, Wire};
use crate::error::{OnnxError, Result};
use crate::model::{Attribute, Graph, Node, ValueInfo};
use crate::value::DATA_LIMIT;
use crate::walk::scopes::listed;

/// How deep messages may stand in each other.
const DEPTH_LIMIT: u32 = 64;

/// Integers of one attribute that are kept.
const INTS_LIMIT: usize = 1 << 16;

/// A domain as its operators are named by: the standard's is empty.
pub fn domain(name: String) -> String {
    if name == "ai.onnx" {
        String::new()
    } else {
        name
    }
}

/// Reads a `GraphProto` at some depth.
pub fn graph(
    wire: &mut Wire<impl Read + Seek>,
    field: Field,
    depth: u32,
    graph: &mut Graph,
) -> Result<()> {
    if depth > DEPTH_LIMIT {
        return Err(OnnxError::TooLarge {
            what: "the depth of graphs and types within each other",
            limit: DEPTH_LIMIT.to_string(),
        });
    }
    wire.fields(field, |wire, number, field| {
        match number {
            1 => graph.nodes.push(node(wire, field, depth)?),
            5 => graph.initializers.push(constant(wire, field)?),
            11 => graph.inputs.push(value_info(wire, field)?),
            12 => {
                let output = value_info(wire, field)?;
                state(graph, output.clone());
                graph.outputs.push(output);
            }
            13 => state(graph, value_info(wire, field)?),
            15 => graph.initializers.push(sparse_constant(wire, field)?),
            _ => {}
        }
        Ok(())
    })
}

/// Adds what is said of a value in between.
pub fn state(graph: &mut Graph, value: ValueInfo) {
    graph.values.insert(value.name, value.stated);
}

/// Reads a `NodeProto` of a graph at some depth.
pub fn node(wire: &mut Wire<impl Read + Seek>, field: Field, depth: u32) -> Result<Node> {
    let mut node = Node::default();
    wire.fields(field, |wire, number, field| {
        match number {
            1 => node.inputs.push(wire.text(field)?),
            2 => node.outputs.push(wire.text(field)?),
            3 => node.name = wire.text(field)?,
            4 => node.op = wire.text(field)?,
            5 => node.attributes.push(attribute(wire, field, depth)?),
            7 => node.domain = domain(wire.text(field)?),
            8 => node.overload = wire.text(field)?,
            9 => note(wire, field, &mut node)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(node)
}

/// What the exporter noted at a node; of that, where in the model it was.
fn note(wire: &mut Wire<impl Read + Seek>, field: Field, node: &mut Node) -> Result<()> {
    let mut key = String::new();
    wire.fields(field, |wire, number, field| {
        match (number, &key[..]) {
            (1, _) => key = wire.text(field)?,
            (2, "pkg.torch.onnx.name_scopes") => node.scopes = listed(&wire.text(field)?),
            (2, "pkg.torch.onnx.class_hierarchy") => node.classes = listed(&wire.text(field)?),
            _ => {}
        }
        Ok(())
    })
}

/// Reads an `AttributeProto` of a graph at some depth: its name and what is set.
pub fn attribute(
    wire: &mut Wire<impl Read + Seek>,
    field: Field,
    depth: u32,
) -> Result<(String, Attribute)> {
    let mut name = String::new();
    let mut content = None;
    let (mut ints, mut floats, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut kind, mut is_cut) = (0, false);
    wire.fields(field, |wire, number, field| {
        match (number, field) {
            (1, _) => name = wire.text(field)?,
            (2, Field::Fixed32(bits)) => content = Some(Attribute::Float(f32::from_bits(bits))),
            (3, Field::Varint(value)) => content = Some(Attribute::Int(value as i64)),
            (4, _) => content = Some(Attribute::Text(wire.text(field)?)),
            (5, _) => content = Some(Attribute::Tensor(constant(wire, field)?)),
            (6, _) => {
                let mut body = Graph::default();
                graph(wire, field, depth + 1, &mut body)?;
                content = Some(Attribute::Graph(Box::new(body)));
            }
            (7, _) => is_cut |= reals(wire, field, &mut floats)?,
            (8, _) => is_cut |= wire.integers(field, INTS_LIMIT, &mut ints)?,
            (9, _) => texts.push(wire.text(field)?),
            (20, Field::Varint(value)) => kind = value,
            (21, _) => content = Some(Attribute::Reference(wire.text(field)?)),
            _ => {}
        }
        Ok(())
    })?;
    let content = match content {
        _ if is_cut => Attribute::Other,
        Some(Attribute::Reference(name)) if name.is_empty() => Attribute::Other,
        Some(content) => content,
        None if !ints.is_empty() || kind == 7 => Attribute::Ints(ints),
        None if !floats.is_empty() || kind == 6 => Attribute::Floats(floats),
        None if !texts.is_empty() || kind == 8 => Attribute::Texts(texts),
        // What is left out is zero: a writer may leave out zeros.
        None if kind == 1 => Attribute::Float(0.0),
        None if kind == 2 => Attribute::Int(0),
        None if kind == 3 => Attribute::Text(String::new()),
        None => Attribute::Other,
    };
    Ok((name, content))
}

/// Real numbers, packed or one by one; whether there were more than are kept comes back.
fn reals(wire: &mut Wire<impl Read + Seek>, field: Field, into: &mut Vec<f32>) -> Result<bool> {
    match field {
        Field::Fixed32(_) if into.len() >= DATA_LIMIT => return Ok(true),
        Field::Fixed32(bits) => into.push(f32::from_bits(bits)),
        Field::Bytes(length) if length / 4 > (DATA_LIMIT - into.len()) as u64 => return Ok(true),
        Field::Bytes(length) => {
            let bytes = wire.bytes(length)?;
            let (words, _) = bytes.as_chunks();
            into.extend(words.iter().copied().map(f32::from_le_bytes));
        }
        _ => {}
    }
    Ok(false)
}
