//! Goes over a model's nodes as they run, and hands each to the account.
//!
//! Each graph and function body has a scope of names; bodies of `If`, `Loop` and `Scan` see those
//! around them, functions don't. How much is walked and remembered is rationed: a file of a few
//! bytes may call for a loop without end.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::error::OnnxError;
use crate::infer::{self, Bindings, Call, Stop};
use crate::model::{Function, FunctionName, Graph, Model, Node, Stated};
use crate::order::order;
use crate::params::Params;
use crate::scopes;
use crate::tally::Sink;
use crate::value::{Dim, Element, Value};
use laptime_ops::Ledger;
use laptime_ops::ModuleId;
use laptime_ops::Repeat;

/// Nodes that are walked beyond those of the file: in bodies once for each round that differs, in
/// functions once for each call.
const STEP_LIMIT: u64 = 100_000;

/// Sizes and contents that are remembered, in numbers.
const NUMBER_LIMIT: u64 = 16 << 20;

/// How deep bodies and functions may be in each other.
const DEPTH_LIMIT: usize = 48;

/// Where a node is walked.
#[derive(Clone)]
pub struct Frame<'m> {
    /// Versions of the operator sets.
    pub opsets: &'m HashMap<String, i64>,
    /// What the function's caller set.
    pub bindings: Rc<Bindings<'m>>,
    /// The module around, for nodes that name none.
    pub module: ModuleId,
    /// Whether nodes' names are those of the model, not of a function.
    pub names_modules: bool,
    /// How often each node runs.
    pub repeat: Repeat,
}

/// Names of one body.
struct Scope<'m> {
    values: HashMap<&'m str, Arc<Value>>,
    /// What the file says of values.
    stated: &'m HashMap<String, Stated>,
    /// Nothing around it is seen.
    is_closed: bool,
}

/// The walk over a model.
pub struct Walk<'m> {
    model: &'m Model,
    /// Sizes that the user gave.
    dims: &'m HashMap<String, u64>,
    /// Where costs go.
    pub sink: Sink,
    /// Constants and who reads them.
    pub params: Params,
    scopes: Vec<Scope<'m>>,
    calls: Vec<&'m FunctionName>,
    orders: HashMap<*const Graph, Rc<Vec<usize>>>,
    steps: u64,
    numbers: u64,
}

impl<'m> Walk<'m> {
    /// A walk that adds to an account.
    pub fn new(model: &'m Model, dims: &'m HashMap<String, u64>, ledger: Ledger) -> Self {
        Self {
            model,
            dims,
            sink: Sink::new(ledger),
            params: Params::default(),
            scopes: Vec::new(),
            calls: Vec::new(),
            orders: HashMap::new(),
            steps: 0,
            numbers: 0,
        }
    }

    /// Walks the whole model from these inputs.
    pub fn run(&mut self, inputs: Vec<(&'m str, Value)>) -> Result<(), OnnxError> {
        let frame = Frame {
            opsets: &self.model.opsets,
            bindings: Rc::default(),
            module: ModuleId::ROOT,
            names_modules: true,
            repeat: Repeat::Times(1),
        };
        let inputs = inputs
            .into_iter()
            .map(|(name, value)| (name, Arc::new(value)));
        self.body(&self.model.graph, &frame, inputs.collect(), false)?;
        Ok(())
    }

    /// Walks a body with these inputs; its outputs come back.
    pub fn body(
        &mut self,
        graph: &'m Graph,
        frame: &Frame<'m>,
        inputs: Vec<(&'m str, Arc<Value>)>,
        is_closed: bool,
    ) -> Result<Vec<Arc<Value>>, OnnxError> {
        let names = graph.outputs.iter().map(|output| &output.name[..]);
        self.scoped(graph, frame, inputs, is_closed, names.collect())
    }

    fn scoped(
        &mut self,
        graph: &'m Graph,
        frame: &Frame<'m>,
        inputs: Vec<(&'m str, Arc<Value>)>,
        is_closed: bool,
        outputs: Vec<&'m str>,
    ) -> Result<Vec<Arc<Value>>, OnnxError> {
        if self.scopes.len() >= DEPTH_LIMIT {
            return Err(OnnxError::TooLarge {
                what: "the depth of bodies and functions within each other",
                limit: DEPTH_LIMIT.to_string(),
            });
        }
        let depth = self.scopes.len();
        self.scopes.push(Scope {
            values: HashMap::with_capacity(graph.nodes.len() + graph.initializers.len()),
            stated: &graph.values,
            is_closed,
        });
        for (name, value) in inputs {
            self.bind(name, value)?;
        }
        let walked = self.nodes(graph, frame).and_then(|()| {
            let find = |name| {
                self.value(name).ok_or_else(|| OnnxError::Missing {
                    name: String::from(name),
                    node: "the graph's list of outputs".into(),
                })
            };
            outputs.into_iter().map(find).collect()
        });
        self.scopes.truncate(depth);
        walked
    }

    fn nodes(&mut self, graph: &'m Graph, frame: &Frame<'m>) -> Result<(), OnnxError> {
        let known = self.orders.get(&std::ptr::from_ref(graph)).cloned();
        let order = match known {
            Some(order) => order,
            None => Rc::new(order(graph)?),
        };
        self.orders.insert(graph, order.clone());
        for constant in &graph.initializers {
            let value = self.params.constant(constant);
            self.bind(&constant.name, Arc::new(value))?;
        }
        order
            .iter()
            .try_for_each(|at| self.node(&graph.nodes[*at], frame))
    }

    fn bind(&mut self, name: &'m str, value: Arc<Value>) -> Result<(), OnnxError> {
        let sizes = value.sizes.as_ref().map_or(0, Vec::len);
        let data = value.data.as_ref().map_or(0, crate::value::Data::len);
        let parts = value.parts.as_ref().map_or(0, |parts| 16 * parts.len());
        self.numbers += (sizes + data + parts) as u64;
        if self.numbers > NUMBER_LIMIT {
            return Err(OnnxError::TooLarge {
                what: "the number of sizes in its graph",
                limit: NUMBER_LIMIT.to_string(),
            });
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.values.insert(name, value);
        }
        Ok(())
    }

    /// The value of a name, as the innermost body sees it.
    fn value(&self, name: &str) -> Option<Arc<Value>> {
        for scope in self.scopes.iter().rev() {
            if let Some(value) = scope.values.get(name) {
                return Some(value.clone());
            }
            if scope.is_closed {
                return None;
            }
        }
        None
    }

    fn node(&mut self, node: &'m Node, outer: &Frame<'m>) -> Result<(), OnnxError> {
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
            let value = self.value(name).ok_or_else(|| OnnxError::Missing {
                name: name.clone(),
                node: node.describe(),
            })?;
            self.params.read(&value, node, slot, frame.module);
            inputs.push(Some(value));
        }
        let call = Call {
            node,
            opset: frame.opsets.get(&node.domain).copied().unwrap_or(i64::MAX),
            inputs,
            bindings: frame.bindings.clone(),
        };
        let outputs = match self.function(node) {
            Some((name, function)) => self.function_call(name, function, &call, &frame)?,
            None => match self.control(&call, &frame) {
                Some(outputs) => outputs?,
                None => self.operator(&call, &frame)?,
            },
        };
        for (name, value) in node.outputs.iter().zip(outputs) {
            if !name.is_empty() {
                self.bind(name, value)?;
            }
        }
        Ok(())
    }

    /// The module of a node, with its class where the exporter says it.
    fn module(&mut self, node: &Node, frame: &Frame<'_>) -> ModuleId {
        if !frame.names_modules {
            return frame.module;
        }
        match scopes::module(node) {
            None => frame.module,
            Some((path, class)) => self.sink.module(&path, class),
        }
    }

    /// The file's own operator that a node calls, unless the user has a formula for it.
    fn function(&self, node: &Node) -> Option<(&'m FunctionName, &'m Function)> {
        if self.model.functions.is_empty() {
            return None;
        }
        let (domain, op) = (node.domain.clone(), node.op.clone());
        let name = (domain, op, node.overload.clone());
        let found = self.model.functions.get_key_value(&name)?;
        (!self.sink.has_formula(&crate::tally::full_name(node))).then_some(found)
    }

    fn function_call(
        &mut self,
        name: &'m FunctionName,
        function: &'m Function,
        call: &Call<'m>,
        frame: &Frame<'m>,
    ) -> Result<Vec<Arc<Value>>, OnnxError> {
        if self.calls.contains(&name) {
            return Err(OnnxError::Cycle {
                at: format!("the function {:?}", name.1),
            });
        }
        let mut bindings: Bindings<'m> = Bindings::new();
        for (name, default) in &function.defaults {
            bindings.insert(name, default);
        }
        for (name, _) in &call.node.attributes {
            if let Some(set) = call.attribute(name) {
                bindings.insert(name, set);
            }
        }
        let inner = Frame {
            opsets: if function.opsets.is_empty() {
                frame.opsets
            } else {
                &function.opsets
            },
            bindings: Rc::new(bindings),
            module: frame.module,
            names_modules: false,
            repeat: frame.repeat,
        };
        let given = |(at, name): (usize, &'m String)| {
            let value = call.inputs.get(at).cloned().flatten().unwrap_or_default();
            (&name[..], value)
        };
        let inputs = function.inputs.iter().enumerate().map(given).collect();
        let outputs = function.outputs.iter().map(|name| &name[..]).collect();
        self.calls.push(name);
        let outputs = self.scoped(&function.graph, &inner, inputs, true, outputs);
        self.calls.pop();
        outputs
    }

    fn operator(
        &mut self,
        call: &Call<'m>,
        frame: &Frame<'m>,
    ) -> Result<Vec<Arc<Value>>, OnnxError> {
        let node = call.node;
        let (mut outputs, own) = match infer::outputs(call) {
            Ok(outputs) => (outputs, None),
            Err(Stop::Unknown(why)) => {
                let why = format!("{}: {why}", node.describe());
                (Vec::new(), Some(why.into()))
            }
            Err(Stop::Wrong(reason)) => {
                let node = node.describe();
                return Err(OnnxError::Shape { node, reason });
            }
        };
        outputs.resize_with(node.outputs.len(), || Value::unknown(Element::UNKNOWN));
        let inherited = || {
            call.inputs
                .iter()
                .flatten()
                .find_map(|input| input.why.clone())
        };
        let mut why = None;
        for (name, output) in node.outputs.iter().zip(&mut outputs) {
            self.state(name, output);
            let is_open = output.dims().is_none() && output.parts.is_none();
            if is_open || (output.element.is_integer() && output.data.is_none()) {
                let reason = || inherited().or_else(|| own.clone());
                output.why.clone_from(why.get_or_insert_with(reason));
            }
        }
        self.sink.add(call, frame, &outputs);
        Ok(outputs.into_iter().map(Arc::new).collect())
    }

    /// Adds what the file says of a value to what is known.
    pub fn state(&self, name: &str, value: &mut Value) {
        let stated = self.scopes.last().and_then(|scope| scope.stated.get(name));
        if let Some(stated) = stated {
            add_stated(value, stated, self.dims);
        }
    }
}

/// Adds what a file says of a value to what is known of it. What is computed comes first.
pub fn add_stated(value: &mut Value, stated: &Stated, dims: &HashMap<String, u64>) {
    if value.element == Element::UNKNOWN {
        value.element = stated.element;
    }
    let Some(said) = &stated.dims else { return };
    let size = |dim: &Dim| match dim {
        Dim::Size(size) => Some(*size),
        Dim::Name(name) => dims.get(name).copied(),
        Dim::Open => None,
    };
    match &mut value.sizes {
        None => value.sizes = Some(said.iter().map(size).collect()),
        Some(sizes) if sizes.len() == said.len() => {
            for (known, said) in sizes.iter_mut().zip(said) {
                *known = known.or_else(|| size(said));
            }
        }
        Some(_) => {}
    }
}
