//! The model's parameters: constants of the file, and the modules that read them.

use std::collections::HashMap;

use laptime_ops::{ModuleId, Modules};

use crate::infer::constant_value;
use crate::model::{Constant, Node};
use crate::value::Value;

/// A constant that may be a parameter.
#[derive(Debug)]
struct Param {
    elements: u64,
    /// Whether it is floating point, or quantised and read where weights are.
    is_weight: bool,
    readers: Vec<ModuleId>,
}

/// All constants that may be parameters, in the order in which they were met.
#[derive(Debug, Default)]
pub struct Params {
    all: Vec<Param>,
    known: HashMap<*const Constant, usize>,
}

impl Params {
    /// A constant as a value that remembers which it is.
    pub fn constant(&mut self, constant: &Constant) -> Value {
        let mut value = constant_value(constant);
        let Some(dtype) = constant.element.dtype() else {
            return value;
        };
        let is_weight = dtype.is_floating();
        if (is_weight || dtype.bits <= 8)
            && let Some(elements) = value.elements()
        {
            let next = self.all.len();
            let index = *self
                .known
                .entry(std::ptr::from_ref(constant))
                .or_insert(next);
            if index == next {
                self.all.push(Param {
                    elements,
                    is_weight,
                    readers: Vec::new(),
                });
            }
            value.param = Some(index);
        }
        value
    }

    /// A node of a module reads a value at one of its inputs.
    pub fn read(&mut self, value: &Value, node: &Node, slot: usize, module: ModuleId) {
        let Some(param) = value.param.and_then(|index| self.all.get_mut(index)) else {
            return;
        };
        param.is_weight |= is_weight_slot(&node.op, slot);
        if node.op != "Identity" && param.readers.last() != Some(&module) {
            param.readers.push(module);
        }
    }

    /// Adds the elements to the modules that read them and to those around, each once. How many
    /// there are in all comes back; `None` where the file holds no weights.
    pub fn assign(&self, modules: &mut Modules) -> Option<u64> {
        let parents: Vec<Option<ModuleId>> = modules.iter().map(|module| module.parent).collect();
        let mut last_seen = vec![usize::MAX; parents.len()];
        let mut total = None;
        for (index, param) in self
            .all
            .iter()
            .enumerate()
            .filter(|(_, param)| param.is_weight)
        {
            total = Some(u64::saturating_add(total.unwrap_or(0), param.elements));
            for reader in param.readers.iter().copied().chain([ModuleId::ROOT]) {
                let mut next = Some(reader);
                while let Some(id) = next {
                    let seen = &mut last_seen[id.0 as usize];
                    if std::mem::replace(seen, index) == index {
                        break;
                    }
                    let module = modules.get_mut(id);
                    module.params = module.params.saturating_add(param.elements);
                    next = parents[id.0 as usize];
                }
            }
        }
        total
    }
}

/// Whether quantised numbers there are weights, and no zero points.
fn is_weight_slot(op: &str, slot: usize) -> bool {
    match op {
        "DequantizeLinear" | "Gather" => slot == 0,
        "MatMulInteger"
        | "ConvInteger"
        | "DynamicQuantizeMatMul"
        | "MatMulIntegerToFloat"
        | "MatMulNBits" => slot == 1,
        "QLinearMatMul" | "QLinearConv" => slot == 3,
        _ => false,
    }
}
