//! Calls of the file's own operators: their bodies are walked in their place.

use std::rc::Rc;

use super::frame::Frame;
use super::state::{Walk, Walked};
use super::tally::full_name;
use crate::error::OnnxError;
use crate::infer::{Bindings, Call};
use crate::model::{Function, FunctionName, Node};

impl<'m> Walk<'m> {
    /// The file's own operator that a node calls, unless the user has a formula for it.
    pub(super) fn function(&self, node: &Node) -> Option<(&'m FunctionName, &'m Function)> {
        if self.model.functions.is_empty() {
            return None;
        }
        let name = (node.domain.clone(), node.op.clone(), node.overload.clone());
        let found = self.model.functions.get_key_value(&name)?;
        (!self.sink.has_formula(&full_name(node))).then_some(found)
    }

    /// What a call of a function gives.
    pub(super) fn function_call(
        &mut self,
        name: &'m FunctionName,
        function: &'m Function,
        call: &Call<'m>,
        frame: &Frame<'m>,
    ) -> Walked {
        if self.calls.contains(&name) {
            return Err(OnnxError::Cycle {
                at: format!("the function {:?}", name.1),
            });
        }
        let defaults = function.defaults.iter();
        let mut bindings: Bindings<'m> = defaults.map(|(name, set)| (&name[..], set)).collect();
        let set = call.node.attributes.iter();
        bindings.extend(set.filter_map(|(name, _)| Some((&name[..], call.attribute(name)?))));
        let mut inner = Frame {
            bindings: Rc::new(bindings),
            names_modules: false,
            ..frame.clone()
        };
        if !function.opsets.is_empty() {
            inner.opsets = &function.opsets;
        }
        let inputs = function.graph.inputs.iter().enumerate().map(|(at, input)| {
            let value = call.inputs.get(at).cloned().flatten();
            (&input.name[..], value.unwrap_or_default())
        });
        self.calls.push(name);
        let outputs = self.body(&function.graph, &inner, inputs.collect(), true);
        self.calls.pop();
        outputs
    }
}
