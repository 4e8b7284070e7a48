//! Goes over a model's nodes as they run, and hands each to the account.
//!
//! [`names`] holds what each body sees. Functions of the file are walked where they are called
//! ([`function`]); branches ([`branch`]), loops ([`rounds`]) and scans ([`scan`]) are followed as
//! far as what they depend on is known.

mod branch;
mod frame;
mod function;
mod merge;
mod names;
mod order;
mod params;
mod rounds;
mod scan;
pub mod scopes;
mod state;
mod tally;

pub use state::Walk;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use laptime_core::Counts;
use laptime_ops::{Ledger, ModuleId, Repeat};

use crate::error::{OnnxError, Result};
use crate::infer::{self, Call, Stop};
use crate::model::{Graph, Model, Node};
use crate::value::{Element, Value};
use frame::Frame;
use names::Names;
use order::order;
use params::Params;
use state::{Walked, wrong};
use tally::{Sink, Trial};

/// Nodes that are walked beyond those of the file: in bodies once for each round that differs, in
/// functions once for each call.
const STEP_LIMIT: u64 = 100_000;

impl<'m> Walk<'m> {
    /// A walk that adds to an account, with the sizes that the user gave.
    pub fn new(model: &'m Model, dims: &'m HashMap<String, u64>, ledger: Ledger) -> Self {
        Self {
            model,
            sink: Sink::new(ledger),
            params: Params::default(),
            names: Names::new(dims),
            calls: Vec::new(),
            orders: HashMap::new(),
            steps: 0,
        }
    }

    /// Walks the whole model from these inputs; the account comes back.
    pub fn run(mut self, inputs: Vec<(&'m str, Arc<Value>)>) -> Result<Counts> {
        let frame = Frame {
            opsets: &self.model.opsets,
            bindings: Rc::default(),
            module: ModuleId::ROOT,
            names_modules: true,
            repeat: Repeat::Times(1),
        };
        self.body(&self.model.graph, &frame, inputs, false)?;
        let mut ledger = self.sink.into_ledger();
        let params = self.params.assign(&mut ledger.modules);
        let mut counts = ledger.finish();
        counts.params = params;
        Ok(counts)
    }

    /// Walks a body with these inputs; its outputs come back. A closed one sees no names around it.
    fn body(
        &mut self,
        graph: &'m Graph,
        frame: &Frame<'m>,
        inputs: Vec<(&'m str, Arc<Value>)>,
        is_closed: bool,
    ) -> Walked {
        self.names.open(graph, is_closed)?;
        let walked = self.nodes(graph, frame, inputs);
        self.names.close();
        walked
    }

    fn nodes(
        &mut self,
        graph: &'m Graph,
        frame: &Frame<'m>,
        inputs: Vec<(&'m str, Arc<Value>)>,
    ) -> Walked {
        for (name, value) in inputs {
            self.names.bind(name, value)?;
        }
        let known = self.orders.get(&std::ptr::from_ref(graph)).cloned();
        let order = known.map_or_else(|| order(graph).map(Rc::new), Ok)?;
        self.orders.insert(graph, order.clone());
        for constant in &graph.initializers {
            let value = self.params.constant(constant);
            self.names.bind(&constant.name, Arc::new(value))?;
        }
        for at in &*order {
            self.node(&graph.nodes[*at], frame)?;
        }
        let reader = || "the graph's list of outputs".into();
        let outputs = graph.outputs.iter();
        outputs
            .map(|output| self.names.value(&output.name, reader))
            .collect()
    }

    fn node(&mut self, node: &'m Node, outer: &Frame<'m>) -> Result<()> {
        self.steps += 1;
        if self.steps > STEP_LIMIT + self.model.parts {
            return Err(OnnxError::TooLarge {
                what: "the number of its nodes, loops and functions unrolled,",
                limit: STEP_LIMIT.to_string(),
            });
        }
        let frame = Frame {
            module: self.module(node, outer),
            ..outer.clone()
        };
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for (slot, name) in node.inputs.iter().enumerate() {
            if name.is_empty() {
                inputs.push(None);
                continue;
            }
            let value = self.names.value(name, || node.describe())?;
            self.params.read(&value, node, slot, frame.module);
            inputs.push(Some(value));
        }
        let call = Call {
            node,
            opset: frame.opsets.get(&node.domain).copied().unwrap_or(i64::MAX),
            inputs,
            bindings: frame.bindings.clone(),
        };
        let outputs = match (self.function(node), call.op()) {
            (Some((name, function)), _) => self.function_call(name, function, &call, &frame)?,
            (None, "If") => self.branch(&call, &frame)?,
            (None, "Loop") => self.rounds(&call, &frame)?,
            (None, "Scan") => self.scan(&call, &frame)?,
            (None, _) => self.operator(&call, &frame)?,
        };
        for (name, value) in node.outputs.iter().zip(outputs) {
            if !name.is_empty() {
                self.names.bind(name, value)?;
            }
        }
        Ok(())
    }

    /// The module of a node, with its class where the exporter says it.
    fn module(&mut self, node: &Node, frame: &Frame<'_>) -> ModuleId {
        match scopes::module(node) {
            Some((path, class)) if frame.names_modules => self.sink.module(&path, class),
            _ => frame.module,
        }
    }

    /// What an operator gives; its cost is added.
    fn operator(&mut self, call: &Call<'m>, frame: &Frame<'m>) -> Walked {
        let node = call.node;
        let (mut outputs, own) = match infer::outputs(call) {
            Ok(outputs) => (outputs, None),
            Err(Stop::Unknown(why)) => {
                let why = format!("{}: {why}", node.describe());
                (Vec::new(), Some(why.into()))
            }
            Err(Stop::Wrong(reason)) => return Err(wrong(call, reason)),
        };
        outputs.resize_with(node.outputs.len(), || Value::unknown(Element::UNKNOWN));
        let mut inputs = call.inputs.iter().flatten();
        let why = inputs.find_map(|input| input.why.clone()).or(own);
        for (name, output) in node.outputs.iter().zip(&mut outputs) {
            self.names.state(name, output);
            let is_open = output.dims().is_none() && output.parts.is_none();
            if is_open || (output.element.is_integer() && output.data.is_none()) {
                output.why.clone_from(&why);
            }
        }
        self.sink.add(call, frame, &outputs);
        Ok(outputs.into_iter().map(Arc::new).collect())
    }

    /// Walks something whose costs are not added: they come back beside what it gives.
    fn tried<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> (T, Trial) {
        let before = self.sink.trial.replace(Trial::default());
        let found = walk(self);
        let tried = std::mem::replace(&mut self.sink.trial, before);
        (found, tried.unwrap_or_default())
    }
}
