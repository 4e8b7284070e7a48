//! The names of values, as each body sees them.
//!
//! Each body has a scope. Those of `If`, `Loop` and `Scan` see the scopes around them, those of
//! functions don't. How much is remembered is rationed: a file of a few bytes may call for a loop
//! without end.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{OnnxError, Result};
use crate::model::{Graph, Stated};
use crate::value::{Data, Dim, Element, Value};

/// Sizes and contents that are remembered, in numbers.
const NUMBER_LIMIT: u64 = 16 << 20;

/// How deep bodies and functions may be in each other.
const DEPTH_LIMIT: usize = 48;

/// The names of one body.
struct Scope<'m> {
    values: HashMap<&'m str, Arc<Value>>,
    /// What the file says of values.
    stated: &'m HashMap<String, Stated>,
    /// Nothing around it is seen.
    is_closed: bool,
}

/// All names, those of the innermost body last.
pub struct Names<'m> {
    /// Sizes that the user gave.
    dims: &'m HashMap<String, u64>,
    scopes: Vec<Scope<'m>>,
    numbers: u64,
}

impl<'m> Names<'m> {
    /// No names yet, and the sizes that the user gave.
    pub fn new(dims: &'m HashMap<String, u64>) -> Self {
        Self {
            dims,
            scopes: Vec::new(),
            numbers: 0,
        }
    }

    /// Enters a body; a closed one sees nothing of those around it.
    pub fn open(&mut self, graph: &'m Graph, is_closed: bool) -> Result<()> {
        if self.scopes.len() >= DEPTH_LIMIT {
            return Err(OnnxError::TooLarge {
                what: "the depth of bodies and functions within each other",
                limit: DEPTH_LIMIT.to_string(),
            });
        }
        self.scopes.push(Scope {
            values: HashMap::with_capacity(graph.nodes.len() + graph.initializers.len()),
            stated: &graph.values,
            is_closed,
        });
        Ok(())
    }

    /// Leaves the innermost body.
    pub fn close(&mut self) {
        self.scopes.pop();
    }

    /// Gives a value its name in the innermost body.
    pub fn bind(&mut self, name: &'m str, value: Arc<Value>) -> Result<()> {
        let sizes = value.sizes.as_ref().map_or(0, Vec::len);
        let data = value.data.as_ref().map_or(0, Data::len);
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

    /// The value of a name that `reader` asks for, as the innermost body sees it.
    pub fn value(&self, name: &str, reader: impl FnOnce() -> String) -> Result<Arc<Value>> {
        for scope in self.scopes.iter().rev() {
            if let Some(value) = scope.values.get(name) {
                return Ok(value.clone());
            }
            if scope.is_closed {
                break;
            }
        }
        Err(OnnxError::Missing {
            name: name.into(),
            node: reader(),
        })
    }

    /// Adds what the file says of a value to what is computed of it, which comes first.
    pub fn state(&self, name: &str, value: &mut Value) {
        let stated = self.scopes.last().and_then(|scope| scope.stated.get(name));
        let Some(stated) = stated else { return };
        if value.element == Element::UNKNOWN {
            value.element = stated.element;
        }
        let Some(said) = &stated.dims else { return };
        let size = |dim: &Dim| match dim {
            Dim::Size(size) => Some(*size),
            Dim::Name(name) => self.dims.get(name).copied(),
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
}
