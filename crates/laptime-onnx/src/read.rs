//! Reads a model from its file, weights left where they are.
//!
//! Field numbers are those of `onnx.proto` (ONNX 1.23, IR version 13); fields not named here are
//! skipped. Messages that stand in themselves (graphs in attributes, types of sequences) may do so
//! 64 deep.

use std::io::{Read, Seek};

use crate::constant::constant;
use crate::error::OnnxError;
use crate::model::{
    Attribute, Constant, Function, FunctionName, Graph, Model, Node, Stated, ValueInfo,
};
use crate::scopes::listed;
use crate::value::{DATA_LIMIT, Dim, Element};
use crate::wire::{Field, Wire};

/// How deep messages may stand in each other.
const DEPTH_LIMIT: u32 = 64;

/// Integers of one attribute that are kept.
const INTS_LIMIT: usize = 1 << 16;

/// The dimensions a tensor may have.
const RANK_LIMIT: usize = 64;

/// Reads a model.
pub fn model(source: impl Read + Seek) -> Result<Model, OnnxError> {
    let mut wire = Wire::new(source)?;
    let length = wire.length();
    let mut model = Model::default();
    let (mut has_version, mut has_graph) = (false, false);
    wire.message(length, |wire, number, field| {
        match number {
            1 => has_version = matches!(field, Field::Varint(_)),
            7 => {
                has_graph = true;
                graph(wire, field, 0, &mut model.graph)?;
            }
            8 => {
                let (domain, version) = opset(wire, field)?;
                model.opsets.insert(domain, version);
            }
            25 => {
                let (name, function) = function(wire, field)?;
                if model.functions.insert(name.clone(), function).is_some() {
                    return Err(OnnxError::Duplicate { name: name.1 });
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    model.parts = wire.parts();
    match (has_version, has_graph) {
        (_, false) => Err(OnnxError::NoModel { missing: "graph" }),
        (false, _) => Err(OnnxError::NoModel { missing: "version" }),
        _ => Ok(model),
    }
}

/// Goes over the fields of a message; those of another kind hold none.
pub(super) fn fields<R: Read + Seek>(
    wire: &mut Wire<R>,
    field: Field,
    each: impl FnMut(&mut Wire<R>, u32, Field) -> Result<(), OnnxError>,
) -> Result<(), OnnxError> {
    wire.keep(0)?;
    match field {
        Field::Bytes(length) => wire.message(length, each),
        _ => Ok(()),
    }
}

/// A domain as its operators are named by: the standard's is empty.
fn domain(name: String) -> String {
    if name == "ai.onnx" {
        String::new()
    } else {
        name
    }
}

fn opset<R: Read + Seek>(wire: &mut Wire<R>, field: Field) -> Result<(String, i64), OnnxError> {
    let (mut name, mut version) = (String::new(), 0);
    fields(wire, field, |wire, number, field| {
        match (number, field) {
            (1, _) => name = domain(wire.text(field)?),
            (2, Field::Varint(value)) => version = value as i64,
            _ => {}
        }
        Ok(())
    })?;
    Ok((name, version))
}

fn graph<R: Read + Seek>(
    wire: &mut Wire<R>,
    field: Field,
    depth: u32,
    graph: &mut Graph,
) -> Result<(), OnnxError> {
    deeper(depth)?;
    fields(wire, field, |wire, number, field| {
        match number {
            1 => graph.nodes.push(node(wire, field, depth)?),
            5 => graph.initializers.push(constant(wire, field)?),
            11 => graph.inputs.push(value_info(wire, field)?),
            12 => {
                let output = value_info(wire, field)?;
                graph
                    .values
                    .insert(output.name.clone(), output.stated.clone());
                graph.outputs.push(output);
            }
            13 => {
                let value = value_info(wire, field)?;
                graph.values.insert(value.name, value.stated);
            }
            15 => graph.initializers.push(sparse_constant(wire, field)?),
            _ => {}
        }
        Ok(())
    })
}

/// A sparse constant: its sizes are its own, the rest is that of its values.
fn sparse_constant<R: Read + Seek>(
    wire: &mut Wire<R>,
    field: Field,
) -> Result<Constant, OnnxError> {
    let (mut values, mut sizes) = (Constant::default(), Vec::new());
    fields(wire, field, |wire, number, field| {
        match number {
            1 => values = constant(wire, field)?,
            3 => drop(wire.integers(field, RANK_LIMIT, &mut sizes)?),
            _ => {}
        }
        Ok(())
    })?;
    let sizes: Result<Vec<u64>, _> = sizes.into_iter().map(u64::try_from).collect();
    let dims = sizes.map_err(|_| OnnxError::Shape {
        node: format!("the sparse constant {:?}", values.name),
        reason: "one of its sizes is negative".into(),
    })?;
    let stored = values.dims.first().copied();
    Ok(Constant {
        dims,
        stored,
        data: None,
        ..values
    })
}

fn deeper(depth: u32) -> Result<(), OnnxError> {
    if depth > DEPTH_LIMIT {
        return Err(OnnxError::TooLarge {
            what: "the depth of graphs and types within each other",
            limit: DEPTH_LIMIT.to_string(),
        });
    }
    Ok(())
}

fn node<R: Read + Seek>(wire: &mut Wire<R>, field: Field, depth: u32) -> Result<Node, OnnxError> {
    let mut node = Node::default();
    fields(wire, field, |wire, number, field| {
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
fn note<R: Read + Seek>(
    wire: &mut Wire<R>,
    field: Field,
    node: &mut Node,
) -> Result<(), OnnxError> {
    let mut key = String::new();
    fields(wire, field, |wire, number, field| {
        match (number, &key[..]) {
            (1, _) => key = wire.text(field)?,
            (2, "pkg.torch.onnx.name_scopes") => node.scopes = listed(&wire.text(field)?),
            (2, "pkg.torch.onnx.class_hierarchy") => node.classes = listed(&wire.text(field)?),
            _ => {}
        }
        Ok(())
    })
}

fn attribute<R: Read + Seek>(
    wire: &mut Wire<R>,
    field: Field,
    depth: u32,
) -> Result<(String, Attribute), OnnxError> {
    let mut name = String::new();
    let mut content = None;
    let (mut ints, mut floats, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut kind, mut is_cut) = (0, false);
    fields(wire, field, |wire, number, field| {
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
fn reals<R: Read + Seek>(
    wire: &mut Wire<R>,
    field: Field,
    into: &mut Vec<f32>,
) -> Result<bool, OnnxError> {
    match field {
        Field::Fixed32(_) if into.len() >= DATA_LIMIT => return Ok(true),
        Field::Fixed32(bits) => into.push(f32::from_bits(bits)),
        Field::Bytes(length) if length / 4 > (DATA_LIMIT - into.len()) as u64 => return Ok(true),
        Field::Bytes(length) => {
            let bytes = wire.bytes(length)?;
            let four = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            into.extend(bytes.chunks_exact(4).map(four));
        }
        _ => {}
    }
    Ok(false)
}

fn value_info<R: Read + Seek>(wire: &mut Wire<R>, field: Field) -> Result<ValueInfo, OnnxError> {
    let mut value = ValueInfo::default();
    fields(wire, field, |wire, number, field| {
        match number {
            1 => value.name = wire.text(field)?,
            2 => stated(wire, field, &mut value.stated)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(value)
}

/// A type. What sequences, maps and options hold is left aside.
fn stated<R: Read + Seek>(
    wire: &mut Wire<R>,
    field: Field,
    stated: &mut Stated,
) -> Result<(), OnnxError> {
    fields(wire, field, |wire, number, field| match number {
        1 | 8 => fields(wire, field, |wire, number, field| {
            match (number, field) {
                (1, Field::Varint(value)) => stated.element = Element(value as i32),
                (2, _) => {
                    let dims = stated.dims.get_or_insert_default();
                    fields(wire, field, |wire, number, field| {
                        if number == 1 {
                            if dims.len() >= RANK_LIMIT {
                                return Err(OnnxError::TooLarge {
                                    what: "the number of dimensions of a tensor",
                                    limit: RANK_LIMIT.to_string(),
                                });
                            }
                            dims.push(dim(wire, field)?);
                        }
                        Ok(())
                    })?;
                }
                _ => {}
            }
            Ok(())
        }),
        4 | 5 | 9 => {
            stated.is_collection = true;
            Ok(())
        }
        _ => Ok(()),
    })
}

fn dim<R: Read + Seek>(wire: &mut Wire<R>, field: Field) -> Result<Dim, OnnxError> {
    let mut dim = Dim::Open;
    fields(wire, field, |wire, number, field| {
        match (number, field) {
            // Some exporters write −1 for a size that is open.
            (1, Field::Varint(value)) => {
                dim = u64::try_from(value as i64).map_or(Dim::Open, Dim::Size);
            }
            (2, _) => {
                let name = wire.text(field)?;
                if !name.is_empty() {
                    dim = Dim::Name(name);
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(dim)
}

fn function<R: Read + Seek>(
    wire: &mut Wire<R>,
    field: Field,
) -> Result<(FunctionName, Function), OnnxError> {
    let mut function = Function::default();
    let (mut name, mut space, mut overload) = (String::new(), String::new(), String::new());
    fields(wire, field, |wire, number, field| {
        match number {
            1 => name = wire.text(field)?,
            4 => function.inputs.push(wire.text(field)?),
            5 => function.outputs.push(wire.text(field)?),
            7 => function.graph.nodes.push(node(wire, field, 0)?),
            9 => {
                let (domain, version) = opset(wire, field)?;
                function.opsets.insert(domain, version);
            }
            10 => space = domain(wire.text(field)?),
            11 => function.defaults.push(attribute(wire, field, 0)?),
            12 => {
                let value = value_info(wire, field)?;
                function.graph.values.insert(value.name, value.stated);
            }
            13 => overload = wire.text(field)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(((space, name, overload), function))
}
