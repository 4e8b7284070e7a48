//! One call of an operator, as inference and formulas look at it.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::sizes::place;
use crate::model::{Attribute, Node};
use crate::value::{Data, Element, Sizes, Value};

/// Why inference stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Something isn't known.
    Unknown(String),
    /// Something contradicts itself.
    Wrong(String),
}

impl Stop {
    /// Something isn't known, for a reason.
    pub fn unknown(why: impl Into<String>) -> Self {
        Self::Unknown(why.into())
    }

    /// Something is wrong.
    pub fn wrong(what: impl Into<String>) -> Self {
        Self::Wrong(what.into())
    }
}

/// What a call gives, as far as it can be told.
pub type Outputs = Result<Vec<Value>, Stop>;

/// What a function's caller set, by name.
pub type Bindings<'a> = HashMap<&'a str, &'a Attribute>;

/// A node with what it reads.
pub struct Call<'a> {
    /// The node.
    pub node: &'a Node,
    /// The version of its operator set.
    pub opset: i64,
    /// What the node reads, in order; `None` where one is left out.
    pub inputs: Vec<Option<Arc<Value>>>,
    /// What the caller of the function set that it is in.
    pub bindings: Rc<Bindings<'a>>,
}

impl<'a> Call<'a> {
    /// The operator's name where it is the standard's, or Microsoft's.
    pub fn op(&self) -> &'a str {
        match &self.node.domain[..] {
            "" | "com.microsoft" => &self.node.op,
            _ => "",
        }
    }

    /// An attribute, by whoever set it.
    pub fn attribute(&self, name: &str) -> Option<&'a Attribute> {
        let (_, own) = self.node.attributes.iter().find(|(own, _)| own == name)?;
        match own {
            Attribute::Reference(outer) => self.bindings.get(&outer[..]).copied(),
            own => Some(own),
        }
    }

    /// An integer attribute.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attribute::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// An integer attribute as a size; `None` for a negative one.
    pub fn size(&self, name: &str) -> Option<u64> {
        u64::try_from(self.int(name)?).ok()
    }

    /// The axis that it works along, of so many; where none is set, a default.
    pub fn axis(&self, default: i64, rank: usize) -> Result<usize, Stop> {
        place(self.int("axis").unwrap_or(default), rank)
    }

    /// A type of elements that is set, else a default.
    pub fn kind(&self, name: &str, default: Element) -> Element {
        match self.int(name) {
            Some(kind) if kind != 0 => Element(kind as i32),
            _ => default,
        }
    }

    /// A flag: an integer attribute that isn't zero.
    pub fn flag(&self, name: &str) -> bool {
        self.int(name).is_some_and(|value| value != 0)
    }

    /// A list of integers.
    pub fn ints(&self, name: &str) -> Option<&'a [i64]> {
        match self.attribute(name)? {
            Attribute::Ints(values) => Some(values),
            Attribute::Int(value) => Some(std::slice::from_ref(value)),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        match self.attribute(name)? {
            Attribute::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An input that is there.
    pub fn input(&self, index: usize) -> Option<&Value> {
        self.inputs.get(index)?.as_deref()
    }

    /// An input that must be there.
    pub fn need(&self, index: usize) -> Result<&Value, Stop> {
        self.input(index)
            .ok_or_else(|| Stop::wrong(format!("its input {index} is missing")))
    }

    /// Sizes of an input that must be there.
    pub fn sizes(&self, index: usize) -> Result<&Sizes, Stop> {
        let value = self.need(index)?;
        value
            .sizes
            .as_ref()
            .ok_or_else(|| Stop::unknown("the sizes of what it reads are not known"))
    }

    /// Type of the elements of an input.
    pub fn element(&self, index: usize) -> Element {
        self.input(index)
            .map_or(Element::UNKNOWN, |value| value.element)
    }

    /// Integers that older versions have as an attribute and newer ones as an input. `None` where
    /// they are left out.
    pub fn setting(&self, name: &str, index: usize) -> Result<Option<Vec<i64>>, Stop> {
        if let Some(values) = self.ints(name) {
            return Ok(Some(values.to_vec()));
        }
        match self.input(index) {
            None => Ok(None),
            Some(value) => value
                .ints()
                .map(Some)
                .ok_or_else(|| Stop::unknown(format!("its {name} are computed from data"))),
        }
    }

    /// Sizes that an input holds, which are `what` to the call.
    pub fn held(&self, index: usize, what: &str) -> Result<Sizes, Stop> {
        let value = self.need(index)?;
        let Some(Data::Ints(values)) = &value.data else {
            let why = value.why.as_deref();
            let why = why.unwrap_or("they are computed from data");
            return Err(Stop::unknown(format!("{what}: {why}")));
        };
        let size = |size: i64| {
            let wrong = |_| Stop::wrong(format!("{what}: {size} is no size"));
            u64::try_from(size).map_err(wrong)
        };
        values
            .iter()
            .map(|value| value.map(size).transpose())
            .collect()
    }

    /// One result of these sizes, its elements of the first input's type.
    pub fn like(&self, sizes: impl Into<Sizes>) -> Vec<Value> {
        vec![Value::new(self.element(0), sizes)]
    }
}
