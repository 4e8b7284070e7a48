//! Counts an ONNX file: from its bytes to an account, without Python and without its weights.
//!
//! [`read`] takes from the file what sizes depend on and seeks over the rest. The [`walk`] goes over
//! the nodes as they run: [`infer`] finds the sizes of what each gives, branches and loops are
//! followed, the file's functions are expanded, and each node becomes an event in the dialect
//! `onnx`, or that of its own domain. Nothing is opened: a door hands the bytes, and what a file
//! says of other files is never followed.

#![forbid(unsafe_code)]

mod constant;
mod control;
mod error;
mod infer;
mod model;
mod order;
mod params;
mod read;
mod scopes;
mod tally;
mod value;
mod walk;
mod wire;

use std::collections::HashMap;
use std::io::{Read, Seek};

use laptime_core::{Counts, Warning};
use laptime_ops::{Formulas, Ledger};

pub use error::{OnnxError, OpenDim};
use model::{Graph, Model, Stated, ValueInfo};
use value::{Dim, Value};

/// Counts a model.
///
/// `dims` gives the sizes that the file leaves open, by name; one without a name goes by its input
/// and axis, such as `x[0]`.
///
/// **Errors**: what is wrong with the file; [`OnnxError::OpenDims`] lists the sizes that are to be
/// given.
///
/// ```no_run
/// use laptime_ops::Formulas;
///
/// # fn file() -> std::io::Cursor<Vec<u8>> { unimplemented!() }
/// let dims = [("batch".to_owned(), 8)];
/// let counts = laptime_onnx::count(file(), &dims, Formulas::standard())?;
/// println!("{}", counts.total.total().cost.flop());
/// # Ok::<(), laptime_onnx::OnnxError>(())
/// ```
pub fn count(
    source: impl Read + Seek,
    dims: &[(String, u64)],
    formulas: Formulas,
) -> Result<Counts, OnnxError> {
    let model = read::model(source)?;
    let dims: HashMap<String, u64> = dims.iter().cloned().collect();
    let inputs = inputs(&model, &dims)?;
    let mut walk = walk::Walk::new(&model, &dims, Ledger::new(formulas));
    walk.run(inputs)?;
    let walk::Walk { sink, params, .. } = walk;
    let mut ledger = sink.into_ledger();
    let params = params.assign(&mut ledger.modules);
    let mut counts = ledger.finish();
    counts.params = params;
    if params.is_none() && model.graph.inputs.len() > 1 {
        let message = "the file holds no weights, so the number of parameters is not known";
        counts.warnings.push(Warning::new("no-parameters", message));
    }
    Ok(counts)
}

/// The sizes that a model leaves open, by the names that [`count`] takes.
pub fn open_dims(source: impl Read + Seek) -> Result<Vec<OpenDim>, OnnxError> {
    let model = read::model(source)?;
    Ok(open(&model.graph))
}

/// What is passed in: inputs that are no constants of the file.
fn passed(graph: &Graph) -> impl Iterator<Item = &ValueInfo> {
    let constants: std::collections::HashSet<&str> = graph
        .initializers
        .iter()
        .map(|constant| &constant.name[..])
        .collect();
    graph
        .inputs
        .iter()
        .filter(move |input| !constants.contains(&input.name[..]))
}

/// The name that an input's size goes by. `None`: it is no open one.
fn name(input: &str, axis: usize, dim: &Dim) -> Option<String> {
    match dim {
        Dim::Size(_) => None,
        Dim::Name(name) => Some(name.clone()),
        Dim::Open => Some(format!("{input}[{axis}]")),
    }
}

fn open(graph: &Graph) -> Vec<OpenDim> {
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
fn inputs<'m>(
    model: &'m Model,
    dims: &HashMap<String, u64>,
) -> Result<Vec<(&'m str, Value)>, OnnxError> {
    let open = open(&model.graph);
    let is_known = |name: &String| {
        let states = |stated: &Stated| {
            let dims = stated.dims.as_deref().unwrap_or_default();
            dims.iter()
                .any(|dim| matches!(dim, Dim::Name(own) if own == name))
        };
        open.iter().any(|dim| dim.name == *name) || model.graph.values.values().any(states)
    };
    if let Some(name) = dims.keys().filter(|name| !is_known(name)).min() {
        let name = name.clone();
        return Err(OnnxError::UnknownDim { name, open });
    }
    let missing: Vec<OpenDim> = open
        .iter()
        .filter(|dim| !dims.contains_key(&dim.name))
        .cloned()
        .collect();
    if !missing.is_empty() {
        return Err(OnnxError::OpenDims { open: missing });
    }
    let inputs = passed(&model.graph).map(|input| {
        let mut value = Value::unknown(input.stated.element);
        if !input.stated.is_collection {
            let sizes = input.stated.dims.as_ref().map(|stated| {
                let size = |(axis, dim): (usize, &Dim)| match dim {
                    Dim::Size(size) => Some(*size),
                    open => dims.get(&name(&input.name, axis, open)?).copied(),
                };
                stated.iter().enumerate().map(size).collect()
            });
            value.sizes = sizes;
        }
        if value.sizes.is_none() {
            let why = format!("the file does not say those of its input {:?}", input.name);
            value.why = Some(why.into());
        }
        (&input.name[..], value)
    });
    Ok(inputs.collect())
}
