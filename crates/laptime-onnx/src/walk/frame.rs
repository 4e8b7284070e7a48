//! Where a node is walked: in which module, and how often it runs.

use std::collections::HashMap;
use std::rc::Rc;

use laptime_ops::{ModuleId, Repeat};

use crate::infer::Bindings;

/// Rounds beyond which a loop is one that its condition ends: exporters write the largest number.
const ROUND_LIMIT: u64 = 1 << 40;

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

impl Frame<'_> {
    /// A frame whose nodes run so often for each time they did.
    pub fn repeated(&self, repeat: Repeat) -> Self {
        let times = match (self.repeat, repeat) {
            (Repeat::Times(outer), Repeat::Times(inner)) => outer.checked_mul(inner),
            _ => None,
        };
        let known = times.filter(|times| *times <= ROUND_LIMIT);
        Self {
            repeat: known.map_or(Repeat::Unknown, Repeat::Times),
            ..self.clone()
        }
    }
}
