//! Turns nodes into events, and hands them to the account or, on trial, to a sum.

use std::sync::Arc;

use laptime_core::{Cost, Phase};
use laptime_ops::vocabulary::onnx::{UNKNOWN, input_names};
use laptime_ops::{Argument, Event, Ledger, ModuleId, Outcome, Repeat, Signature};

use super::Frame;
use crate::infer::Call;
use crate::model::{Attribute, Node};
use crate::value::Value;

/// What a body costs that is only tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trial {
    /// What is known.
    pub cost: Cost,
    /// Whether something isn't.
    pub is_open: bool,
}

/// Where costs go.
#[derive(Debug)]
pub struct Sink {
    ledger: Ledger,
    /// What is only tried; `None` while costs are added.
    pub trial: Option<Trial>,
}

impl Sink {
    /// An account.
    pub fn new(ledger: Ledger) -> Self {
        Self {
            ledger,
            trial: None,
        }
    }

    /// The account.
    pub fn into_ledger(self) -> Ledger {
        self.ledger
    }

    /// Whether the user has a formula for an operator.
    pub fn has_formula(&self, name: &str) -> bool {
        self.ledger.formulas().has(name)
    }

    /// The module of a path.
    pub fn module(&mut self, path: &str, class: Option<&str>) -> ModuleId {
        let id = self.ledger.modules.id(path);
        if let Some(class) = class {
            let module = self.ledger.modules.get_mut(id);
            if module.kind.is_empty() {
                class.clone_into(&mut module.kind);
            }
        }
        id
    }

    /// Adds a call.
    pub fn add(&mut self, call: &Call<'_>, frame: &Frame<'_>, outputs: &[Value]) {
        // A constant is where it is; it runs nothing.
        if call.op() == "Constant" {
            return;
        }
        self.event(&event(call, frame, outputs));
    }

    /// Adds a call that can't be counted, for a reason.
    pub fn leave_out(&mut self, call: &Call<'_>, frame: &Frame<'_>, reason: &str) {
        let signature = Signature::new(full_name(call.node), &[UNKNOWN]);
        let reason = vec![Argument::Text(reason.into())];
        self.event(&Event {
            module: frame.module,
            repeat: frame.repeat,
            ..Event::new(signature, reason, Vec::new())
        });
    }

    fn event(&mut self, event: &Event) {
        let Some(trial) = &mut self.trial else {
            self.ledger.add(event);
            return;
        };
        match (self.ledger.formulas().outcome(event), event.repeat) {
            (Outcome::Counted(cost) | Outcome::Zero(cost), Repeat::Times(times)) => {
                trial.cost += cost.times(times);
            }
            _ => trial.is_open = true,
        }
    }
}

/// The name that counts are listed by: `onnx::Conv`, `com.microsoft::Attention`.
pub fn full_name(node: &Node) -> String {
    match &node.domain[..] {
        "" => format!("onnx::{}", node.op),
        domain => format!("{domain}::{}", node.op),
    }
}

fn event(call: &Call<'_>, frame: &Frame<'_>, outputs: &[Value]) -> Event {
    let node = call.node;
    let mut names = input_names(&full_name(node), call.inputs.len());
    let inputs = call.inputs.iter();
    let mut arguments: Vec<Argument> = inputs.map(|input| argument(input.as_deref())).collect();
    for (name, _) in &node.attributes {
        names.push(name.clone());
        arguments.push(call.attribute(name).map_or(Argument::Absent, setting));
    }
    let all = node.outputs.iter().zip(outputs);
    let wanted = all.filter(|(name, _)| !name.is_empty());
    let wanted: Vec<&Value> = wanted.map(|(_, value)| value).collect();
    if let Some(reason) = unknown(call, &wanted) {
        names.push(UNKNOWN.to_owned());
        arguments.push(Argument::Text(reason));
    }
    let results = wanted.iter().flat_map(|value| match &value.parts {
        Some(parts) => &parts[..],
        None => std::slice::from_ref(*value),
    });
    Event {
        signature: Arc::new(Signature {
            name: full_name(node),
            overload: node.overload.clone(),
            arguments: names,
            is_view: false,
        }),
        outputs: results.filter_map(Value::tensor).collect(),
        arguments,
        module: frame.module,
        phase: Phase::Forward,
        repeat: frame.repeat,
    }
}

fn argument(input: Option<&Value>) -> Argument {
    match input {
        None => Argument::Absent,
        Some(Value {
            parts: Some(parts), ..
        }) => Argument::Tensors(parts.iter().map(Value::tensor).collect()),
        Some(value) => value.tensor().map_or(Argument::Absent, Argument::Tensor),
    }
}

fn setting(attribute: &Attribute) -> Argument {
    match attribute {
        Attribute::Int(value) => Argument::Int(*value),
        Attribute::Float(value) => Argument::Float(f64::from(*value)),
        Attribute::Text(text) => Argument::Text(text.clone()),
        Attribute::Ints(values) => Argument::Ints(values.clone()),
        Attribute::Floats(values) => {
            Argument::Floats(values.iter().copied().map(f64::from).collect())
        }
        Attribute::Texts(texts) => Argument::Texts(texts.clone()),
        Attribute::Tensor(_) | Attribute::Graph(_) | Attribute::Reference(_) | Attribute::Other => {
            Argument::Absent
        }
    }
}

/// Why sizes that a formula may need aren't known. `None`: all are.
fn unknown(call: &Call<'_>, outputs: &[&Value]) -> Option<String> {
    let values = call.inputs.iter().flatten().map(|value| &**value);
    let open = values
        .chain(outputs.iter().copied())
        .find(|value| value.parts.is_none() && value.tensor().is_none())?;
    Some(match (&open.why, open.dims()) {
        (Some(why), _) => format!("its sizes are not known: {why}"),
        (None, None) => "its sizes depend on data".into(),
        (None, Some(_)) => "the type of its elements is not a number's, or not known".into(),
    })
}
