//! Reads a model from its file, weights left where they are.
//!
//! Field numbers are those of `onnx.proto` (ONNX 1.23, IR version 13); fields not named here are
//! skipped. Messages that stand in themselves (graphs in attributes, types of sequences) may do so
//! 64 deep.

mod constant;
mod graph;
mod value_info;
mod wire;

use std::io::{Read, Seek};

use crate::error::{OnnxError, Result};
use crate::model::{Function, FunctionName, Model, ValueInfo};
use graph::{attribute, domain, graph, node, state};
use value_info::value_info;
use wire::{Field, Wire};

/// Reads a model.
pub fn model(source: impl Read + Seek) -> Result<Model> {
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
            8 => model.opsets.extend([opset(wire, field)?]),
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

fn opset(wire: &mut Wire<impl Read + Seek>, field: Field) -> Result<(String, i64)> {
    let (mut name, mut version) = (String::new(), 0);
    wire.fields(field, |wire, number, field| {
        match (number, field) {
            (1, _) => name = domain(wire.text(field)?),
            (2, Field::Varint(value)) => version = value as i64,
            _ => {}
        }
        Ok(())
    })?;
    Ok((name, version))
}

fn function(wire: &mut Wire<impl Read + Seek>, field: Field) -> Result<(FunctionName, Function)> {
    let mut function = Function::default();
    let (mut name, mut space, mut overload) = (String::new(), String::new(), String::new());
    let named = |name| ValueInfo {
        name,
        ..ValueInfo::default()
    };
    wire.fields(field, |wire, number, field| {
        let graph = &mut function.graph;
        match number {
            1 => name = wire.text(field)?,
            4 => graph.inputs.push(named(wire.text(field)?)),
            5 => graph.outputs.push(named(wire.text(field)?)),
            7 => graph.nodes.push(node(wire, field, 0)?),
            9 => function.opsets.extend([opset(wire, field)?]),
            10 => space = domain(wire.text(field)?),
            11 => function.defaults.push(attribute(wire, field, 0)?),
            12 => state(graph, value_info(wire, field)?),
            13 => overload = wire.text(field)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(((space, name, overload), function))
}
