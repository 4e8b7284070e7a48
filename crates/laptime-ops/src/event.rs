//! One call of an operation, as a feed describes it.

use std::sync::Arc;

use laptime_core::{Cost, Phase};

use crate::family::movement::bytes;
use crate::modules::ModuleId;
use crate::tensor::{Dtype, Tensor};

/// An operator: its name and those of its arguments. Shared by all its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Dialect and name: `aten::convolution`, `jax::dot_general`, `onnx::Conv`.
    pub name: String,
    /// The overload, such as `Tensor` of `aten::add.Tensor`; may be empty.
    pub overload: String,
    /// Names of the arguments, in order; attributes follow the inputs.
    pub arguments: Vec<String>,
    /// Whether the operator only looks at its arguments in another way: results share storage.
    pub is_view: bool,
}

impl Signature {
    /// An operator whose arguments have these names.
    pub fn new(name: impl Into<String>, arguments: &[&str]) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            overload: String::new(),
            arguments: arguments.iter().map(|&name| name.into()).collect(),
            is_view: false,
        })
    }
}

/// What was passed for an argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// Nothing, or something that no formula looks at.
    Absent,
    /// A tensor.
    Tensor(Tensor),
    /// Tensors, some of which may be absent.
    Tensors(Vec<Option<Tensor>>),
    /// A truth value.
    Bool(bool),
    /// Truth values.
    Bools(Vec<bool>),
    /// An integer.
    Int(i64),
    /// Integers.
    Ints(Vec<i64>),
    /// A real number.
    Float(f64),
    /// Real numbers.
    Floats(Vec<f64>),
    /// A text.
    Text(String),
    /// Texts.
    Texts(Vec<String>),
    /// The type of an element.
    Dtype(Dtype),
}

impl Argument {
    /// The tensors in it.
    pub fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        let (one, many) = match self {
            Self::Tensor(tensor) => (Some(tensor), &[][..]),
            Self::Tensors(tensors) => (None, &tensors[..]),
            _ => (None, &[][..]),
        };
        one.into_iter().chain(many.iter().flatten())
    }
}

/// How often a call happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// A known number of times.
    Times(u64),
    /// A loop whose end depends on data.
    Unknown,
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The operator that is called.
    pub signature: Arc<Signature>,
    /// What is passed, in the signature's order; missing ones at the end are absent.
    pub arguments: Vec<Argument>,
    /// What came out.
    pub outputs: Vec<Tensor>,
    /// The module that the call is in.
    pub module: ModuleId,
    /// The phase that the call is part of.
    pub phase: Phase,
    /// How often the call happens.
    pub repeat: Repeat,
}

impl Event {
    /// A call outside any module, in the forward, once.
    pub fn new(signature: Arc<Signature>, arguments: Vec<Argument>, outputs: Vec<Tensor>) -> Self {
        Self {
            signature,
            arguments,
            outputs,
            module: ModuleId::ROOT,
            phase: Phase::Forward,
            repeat: Repeat::Times(1),
        }
    }

    /// A call with arguments by name.
    #[cfg(test)]
    pub fn named(name: &str, arguments: &[(&str, Argument)], outputs: Vec<Tensor>) -> Self {
        let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
        let values = arguments.iter().map(|(_, value)| value.clone()).collect();
        Self::new(Signature::new(name, &names), values, outputs)
    }

    /// The argument of a name. Absent where the operator has none, or it wasn't passed.
    pub fn get(&self, name: &str) -> &Argument {
        self.signature
            .arguments
            .iter()
            .position(|argument| argument == name)
            .and_then(|index| self.arguments.get(index))
            .unwrap_or(&Argument::Absent)
    }

    /// The tensor of a name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        match self.get(name) {
            Argument::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The integer of a name; truth values are 0 and 1.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Argument::Int(value) => Some(*value),
            Argument::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// The integer of a name that counts something; `None` for a negative one.
    pub fn count(&self, name: &str) -> Option<u128> {
        u128::try_from(self.int(name)?).ok()
    }

    /// The integers of a name; a single one is a list of one.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.get(name) {
            Argument::Ints(values) => Some(values),
            Argument::Int(value) => Some(std::slice::from_ref(value)),
            _ => None,
        }
    }

    /// The truth value of a name.
    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Argument::Bool(value) => Some(*value),
            Argument::Int(value) => Some(*value != 0),
            _ => None,
        }
    }

    /// Whether the truth value of a name is there, and true.
    pub fn is_set(&self, name: &str) -> bool {
        self.bool(name) == Some(true)
    }

    /// The truth values of a name.
    pub fn bools(&self, name: &str) -> Option<&[bool]> {
        match self.get(name) {
            Argument::Bools(values) => Some(values),
            _ => None,
        }
    }

    /// The text of a name.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Argument::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a name, whole or not; truth values are 0 and 1.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Argument::Float(value) => Some(*value),
            _ => self.int(name).map(|value| value as f64),
        }
    }

    /// The tensors of a name: those of a list that are there, or a single one.
    pub fn tensors(&self, name: &str) -> impl Iterator<Item = &Tensor> {
        self.get(name).tensors()
    }

    /// The tensor of a name, or why nothing can be told without it.
    pub fn require(&self, name: &str) -> Result<&Tensor, String> {
        self.tensor(name)
            .ok_or_else(|| format!("its argument `{name}` is not a tensor"))
    }

    /// The tensor of the first of these names that has one, or why nothing can be told without it.
    pub fn require_any(&self, names: &[&str]) -> Result<&Tensor, String> {
        names
            .iter()
            .find_map(|name| self.tensor(name))
            .ok_or_else(|| format!("none of its arguments `{}` is a tensor", names.join("`, `")))
    }

    /// The output of an index, or why nothing can be told without it.
    pub fn require_output(&self, index: usize) -> Result<&Tensor, String> {
        self.outputs
            .get(index)
            .ok_or_else(|| format!("it gave no output {index}"))
    }

    /// Every tensor that goes in, those in lists too, in order. Where an `out=` is to be written
    /// doesn't go in.
    pub fn inputs(&self) -> impl Iterator<Item = &Tensor> {
        self.arguments
            .iter()
            .enumerate()
            .filter(|(index, _)| {
                let name = self.signature.arguments.get(*index);
                name.is_none_or(|name| name != "out")
            })
            .flat_map(|(_, argument)| argument.tensors())
    }

    /// What the call gives: its outputs, or where it gives none because it writes in place, the tensors
    /// of its first argument.
    pub fn results(&self) -> impl Iterator<Item = &Tensor> {
        let first = self.arguments.first().filter(|_| self.outputs.is_empty());
        self.outputs
            .iter()
            .chain(first.into_iter().flat_map(Argument::tensors))
    }

    /// Whether the operator writes into its first argument, as a trailing underscore says.
    pub fn is_in_place(&self) -> bool {
        let name = &self.signature.name;
        name.ends_with('_') && !name.ends_with("__")
    }

    /// The first tensor that goes in.
    pub fn input(&self) -> Option<&Tensor> {
        self.inputs().next()
    }

    /// The first output.
    pub fn output(&self) -> Option<&Tensor> {
        self.outputs.first()
    }

    /// Elements of all outputs.
    pub fn output_elements(&self) -> u128 {
        self.outputs
            .iter()
            .fold(0, |all, output| all.saturating_add(output.elements()))
    }

    /// Bytes read when each input is read once, and written when each output is written once.
    pub fn traffic(&self) -> (u128, u128) {
        (bytes(self.inputs()), bytes(self.results()))
    }

    /// A cost with this traffic: all that goes in, and all that comes out.
    pub fn moving(&self, cost: Cost) -> Cost {
        let (bytes_read, bytes_written) = self.traffic();
        Cost {
            bytes_read,
            bytes_written,
            ..cost
        }
    }
}
