//! What an ONNX file says, as far as counting needs it: no weights.
//!
//! Names follow `onnx.proto`. [`crate::read`] fills these, the walker goes over them.

use std::collections::HashMap;

use crate::value::{Data, Dim, Element};

/// A whole file.
#[derive(Debug, Default)]
pub struct Model {
    /// Versions of the operator sets, by domain; the default one is empty.
    pub opsets: HashMap<String, i64>,
    /// What runs.
    pub graph: Graph,
    /// How many names, nodes and the like were read.
    pub parts: u64,
    /// The file's own operators, by domain, name and overload.
    pub functions: HashMap<FunctionName, Function>,
}

/// What a function is called by: domain, name, overload.
pub type FunctionName = (String, String, String);

/// Nodes and what they read.
#[derive(Debug, Default)]
pub struct Graph {
    /// The graph's nodes, in an order in which they can run, by the standard.
    pub nodes: Vec<Node>,
    /// Constants.
    pub initializers: Vec<Constant>,
    /// What is passed in.
    pub inputs: Vec<ValueInfo>,
    /// What comes out.
    pub outputs: Vec<ValueInfo>,
    /// What the file says of values in between, and of those that come out.
    pub values: HashMap<String, Stated>,
}

/// One call of an operator.
#[derive(Debug, Default)]
pub struct Node {
    /// The node's own name; may be empty.
    pub name: String,
    /// The operator's name.
    pub op: String,
    /// The operator's domain; empty for the standard's.
    pub domain: String,
    /// The operator's overload.
    pub overload: String,
    /// Names of what the node reads; empty where one is left out.
    pub inputs: Vec<String>,
    /// Names of what the node gives; empty where one isn't wanted.
    pub outputs: Vec<String>,
    /// Attributes by name.
    pub attributes: Vec<(String, Attribute)>,
    /// Where the exporter was in the model, outermost first, as `PyTorch` writes it down.
    pub scopes: Vec<String>,
    /// The classes of the scopes.
    pub classes: Vec<String>,
}

impl Node {
    /// What errors call the node.
    pub fn describe(&self) -> String {
        match (&self.name[..], self.outputs.first()) {
            ("", Some(output)) => format!("{} of {output:?}", self.op),
            (name, _) => format!("{} {name:?}", self.op),
        }
    }
}

/// What is set at a node.
#[derive(Debug)]
pub enum Attribute {
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f32),
    /// A text.
    Text(String),
    /// Integers.
    Ints(Vec<i64>),
    /// Real numbers.
    Floats(Vec<f32>),
    /// Texts.
    Texts(Vec<String>),
    /// A constant.
    Tensor(Constant),
    /// A body.
    Graph(Box<Graph>),
    /// What the function's caller set by this name.
    Reference(String),
    /// Something else, or too much of it.
    Other,
}

/// A constant, its content only where it is small.
#[derive(Debug, Default)]
pub struct Constant {
    /// The constant's name in the graph.
    pub name: String,
    /// Type of its elements.
    pub element: Element,
    /// The constant's sizes.
    pub dims: Vec<u64>,
    /// The constant's content, where it is small.
    pub data: Option<Data>,
    /// Whether the content is in another file, which isn't opened.
    pub is_external: bool,
    /// Elements that are stored, where the constant is sparse.
    pub stored: Option<u64>,
}

/// A named value and what is said of it.
#[derive(Clone, Debug, Default)]
pub struct ValueInfo {
    /// The value's name.
    pub name: String,
    /// What is said of the value.
    pub stated: Stated,
}

/// What a file states of a value.
#[derive(Debug, Clone, Default)]
pub struct Stated {
    /// Type of its elements.
    pub element: Element,
    /// The value's sizes; `None` where not even their number is said.
    pub dims: Option<Vec<Dim>>,
    /// Whether the value is no tensor but a sequence or a map.
    pub is_collection: bool,
}

/// An operator that the file defines.
#[derive(Debug, Default)]
pub struct Function {
    /// What attributes are where the caller sets none.
    pub defaults: Vec<(String, Attribute)>,
    /// The function's body.
    pub graph: Graph,
    /// Versions of the operator sets that the function uses.
    pub opsets: HashMap<String, i64>,
}
