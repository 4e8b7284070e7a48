//! What is passed into a model, and the sizes that it leaves open.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::error::{OnnxError, OpenDim, Result};
use crate::model::{Graph, Model, Stated, ValueInfo};
use crate::value::{Dim, Value};

/// What is passed in: inputs that are no constants of the file.
fn passed(graph: &Graph) -> impl Iterator<Item = &ValueInfo> {
    let constants = graph.initializers.iter();
    let constants: HashSet<&str> = constants.map(|constant| &constant.name[..]).collect();
    let inputs = graph.inputs.iter();
    inputs.filter(move |input| !constants.contains(&input.name[..]))
}

/// The name that an input's size goes by. `None`: it is no open one.
fn name(input: &str, axis: usize, dim: &Dim) -> Option<String> {
    match dim {
        Dim::Size(_) => None,
        Dim::Name(name) => Some(name.clone()),
        Dim::Open => Some(format!("{input}[{axis}]")),
    }
}

/// The sizes that a graph's inputs leave open.
pub fn open(graph: &Graph) -> Vec<OpenDim> {
    let mut open: Vec<OpenDim> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for input in passed(graph) {
        let dims = input.stated.dims.as_deref().unwrap_or_default();
        for (axis, dim) in dims.iter().enumerate() {
            let Some(name) = name(&input.name, axis, dim) else {
                continue;
            };
            let place = *places.entry(name.clone()).or_insert_with(|| {
                let inputs = Vec::new();
                open.push(OpenDim { name, inputs });
                open.len() - 1
            });
            if open[place].inputs.last() != Some(&input.name) {
                open[place].inputs.push(input.name.clone());
            }
        }
    }
    open
}

/// Values of the inputs, their open sizes as given.
pub fn values<'m>(
    model: &'m Model,
    dims: &HashMap<String, u64>,
) -> Result<Vec<(&'m str, Arc<Value>)>> {
    let mut open = open(&model.graph);
    let is_known = |name: &String| {
        let states = |stated: &Stated| {
            let dims = stated.dims.as_deref().unwrap_or_default();
            let mut dims = dims.iter();
            dims.any(|dim| matches!(dim, Dim::Name(own) if own == name))
        };
        open.iter().any(|dim| dim.name == *name) || model.graph.values.values().any(states)
    };
    if let Some(name) = dims.keys().filter(|name| !is_known(name)).min() {
        let name = name.clone();
        return Err(OnnxError::UnknownDim { name, open });
    }
    open.retain(|dim| !dims.contains_key(&dim.name));
    if !open.is_empty() {
        return Err(OnnxError::OpenDims { open });
    }
    let inputs = passed(&model.graph).map(|input| {
        let mut value = Value::unknown(input.stated.element);
        let stated = input.stated.dims.as_ref();
        if let Some(stated) = stated.filter(|_| !input.stated.is_collection) {
            let size = |(axis, dim): (usize, &Dim)| match dim {
                Dim::Size(size) => Some(*size),
                open => dims.get(&name(&input.name, axis, open)?).copied(),
            };
            value.sizes = Some(stated.iter().enumerate().map(size).collect());
        }
        if value.sizes.is_none() {
            let why = format!("the file does not say those of its input {:?}", input.name);
            value.why = Some(why.into());
        }
        (&input.name[..], Arc::new(value))
    });
    Ok(inputs.collect())
}
