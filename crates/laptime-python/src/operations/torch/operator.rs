//! What is known of an operator after its first call.

use std::sync::Arc;

use laptime_ops::Signature;
use pyo3::prelude::*;

/// How calls of an operator are met.
pub enum Route {
    /// Run and counted.
    Count,
    /// Run only: a question about a tensor.
    Run,
    /// The device of a fake tensor, which it knows without asking the dispatcher.
    Device,
    /// Python sees to it.
    Ask,
}

/// What is known of an operator after its first call.
pub struct Operator {
    /// The operator's name and its arguments'.
    pub signature: Arc<Signature>,
    /// The operator's own way into the dispatcher.
    pub call: Py<PyAny>,
    /// How the operator's calls are met.
    pub route: Route,
    /// Whether the operator writes to what it is given.
    pub writes: bool,
    /// Whether what it made is made again where a call repeats.
    pub is_recalled: bool,
    /// The operator itself, held so that its address stays its own.
    pub function: Py<PyAny>,
}

/// What Python's `meet` says of an operator.
type Described = (
    String,
    String,
    Vec<String>,
    bool,
    String,
    Py<PyAny>,
    bool,
    bool,
);

impl Operator {
    /// An operator as Python describes it; `recalls` where calls may be told by earlier ones.
    pub fn new(function: &Bound<'_, PyAny>, described: Described, recalls: bool) -> Self {
        let (name, overload, arguments, is_view, route, call, writes, is_recalled) = described;
        Self {
            signature: Arc::new(Signature {
                name,
                overload,
                arguments,
                is_view,
            }),
            call,
            route: Route::of(&route),
            writes,
            is_recalled: is_recalled && recalls,
            function: function.clone().unbind(),
        }
    }
}

impl Route {
    fn of(name: &str) -> Self {
        match name {
            "count" => Self::Count,
            "run" => Self::Run,
            "device" => Self::Device,
            _ => Self::Ask,
        }
    }
}
