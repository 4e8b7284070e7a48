//! What a walk knows while it is under way, and what it gives.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::names::Names;
use super::params::Params;
use super::tally::Sink;
use crate::error::{OnnxError, Result};
use crate::infer::Call;
use crate::model::{Attribute, FunctionName, Graph, Model};
use crate::value::Value;

/// What a walk gives.
pub type Walked = Result<Vec<Arc<Value>>>;

/// The walk over a model.
pub struct Walk<'m> {
    pub model: &'m Model,
    /// Where costs go.
    pub sink: Sink,
    /// Constants and who reads them.
    pub params: Params,
    pub names: Names<'m>,
    /// Functions that are being walked, one within the other.
    pub calls: Vec<&'m FunctionName>,
    pub orders: HashMap<*const Graph, Rc<Vec<usize>>>,
    pub steps: u64,
}

/// The body in an attribute of a call.
pub fn graph<'m>(call: &Call<'m>, name: &'static str) -> Result<&'m Graph> {
    match call.attribute(name) {
        Some(Attribute::Graph(graph)) => Ok(graph),
        _ => Err(wrong(call, format!("it has no {name}"))),
    }
}

/// Sizes of a call contradict each other.
pub fn wrong(call: &Call<'_>, reason: impl Into<String>) -> OnnxError {
    OnnxError::Shape {
        node: call.node.describe(),
        reason: reason.into(),
    }
}
