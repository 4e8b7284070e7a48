//! From an operation of burn's intermediate representation to an event.
//!
//! Each operation serialises itself with its name and the names of its fields, so that none of
//! burn's two hundred needs a line here: `Module(Conv2d { x, weight, options, out })` becomes
//! `burn::conv2d` with the tensors `x` and `weight` and what `options` hold. What it costs is in
//! the vocabulary of `laptime_ops`.

use std::collections::HashMap;

use burn::tensor::DType;
use burn_ir::{OperationIr, TensorIr};
use laptime_ops::{Argument, Dtype, Event, Signature, Tensor};
use serde_json::{Map, Value};

/// Reads operations in the order in which they ran.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// Strides of tensors that repeat others, by their id.
    expanded: HashMap<u64, Vec<i64>>,
}

impl Reader {
    /// The event of an operation. `None`: it doesn't look like one.
    pub(crate) fn event(&mut self, operation: &OperationIr) -> Option<Event> {
        let described = serde_json::to_value(operation).ok()?;
        let (name, fields) = unfold(operation, &described)?;
        let inputs: Vec<&TensorIr> = operation.inputs().collect();
        let outputs: Vec<&TensorIr> = operation.outputs().collect();
        let given = |id: u64| inputs.iter().position(|input| input.id.value() == id);

        // Tensors that go in come first, as burn orders them; then what else it is told.
        let mut arguments: Vec<(usize, String, Argument)> = Vec::new();
        for (field, value) in flat(fields) {
            let id = id_of(value).or_else(|| id_of(value.get(0)?));
            let is_result = id.is_some_and(|id| outputs.iter().any(|out| out.id.value() == id));
            let place = id.and_then(given);
            if !is_result || place.is_some() {
                let argument = self.argument(value, &inputs);
                arguments.push((place.unwrap_or(usize::MAX), field.clone(), argument));
            }
        }
        arguments.sort_by_key(|(place, ..)| *place);

        let names: Vec<&str> = arguments.iter().map(|(_, name, _)| &name[..]).collect();
        let signature = Signature::new(format!("burn::{name}"), &names);
        if let ("expand", [input], [output]) = (&name[..], &inputs[..], &outputs[..]) {
            self.expanded
                .insert(output.id.value(), repeats(input, output));
        }
        let outputs = outputs.into_iter().map(|out| self.tensor(out)).collect();
        let arguments = arguments.into_iter().map(|(.., argument)| argument);
        Some(Event::new(signature, arguments.collect(), outputs))
    }

    fn argument(&self, value: &Value, inputs: &[&TensorIr]) -> Argument {
        let tensor = |value: &Value| {
            let id = id_of(value)?;
            let input = inputs.iter().find(|input| input.id.value() == id)?;
            Some(self.tensor(input))
        };
        match value {
            Value::Bool(value) => Argument::Bool(*value),
            Value::Number(number) => match number.as_i64() {
                Some(value) => Argument::Int(value),
                None => number.as_f64().map_or(Argument::Absent, Argument::Float),
            },
            Value::String(text) => Argument::Text(text.clone()),
            Value::Array(several) => match several.iter().map(Value::as_i64).collect() {
                Some(integers) => Argument::Ints(integers),
                None => Argument::Tensors(several.iter().map(tensor).collect()),
            },
            Value::Object(fields) => match (tensor(value), only(fields)) {
                (Some(tensor), _) => Argument::Tensor(tensor),
                // A number with its kind: `{"Float": 2.0}`.
                (None, Some((_, inner))) => self.argument(inner, inputs),
                (None, None) => Argument::Absent,
            },
            Value::Null => Argument::Absent,
        }
    }

    fn tensor(&self, tensor: &TensorIr) -> Tensor {
        let shape: Vec<u64> = tensor.shape.iter().map(|&size| size as u64).collect();
        Tensor {
            strides: self.expanded.get(&tensor.id.value()).cloned(),
            ..Tensor::new(shape, dtype(tensor.dtype))
        }
    }
}

/// An operation's own name, in lower case, and its fields.
fn unfold<'a>(operation: &OperationIr, value: &'a Value) -> Option<(String, &'a Value)> {
    let (group, inner) = only(value.as_object()?)?;
    match operation {
        OperationIr::Custom(custom) => return Some((custom.id.clone(), inner)),
        OperationIr::Init(_) => return Some((lower(group), inner)),
        _ => {}
    }
    // Some groups tell the type first: `[type, operation]`.
    let inner = match inner {
        Value::Array(parts) => parts.last()?,
        inner => inner,
    };
    match inner {
        Value::String(name) => Some((lower(name), &Value::Null)),
        Value::Object(named) => only(named).map(|(name, fields)| (lower(name), fields)),
        _ => None,
    }
}

/// The fields, with those of `options` among them.
fn flat(fields: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let fields = fields.as_object().into_iter().flatten();
    fields.flat_map(|(name, value)| match (&name[..], value) {
        ("options", Value::Object(options)) => options.iter().collect(),
        _ => vec![(name, value)],
    })
}

/// The only entry of an object with one.
fn only(fields: &Map<String, Value>) -> Option<(&String, &Value)> {
    fields.iter().next().filter(|_| fields.len() == 1)
}

/// The id, where a value describes a tensor.
fn id_of(value: &Value) -> Option<u64> {
    value.get("status")?;
    value.get("id")?.get("value")?.as_u64()
}

/// `Conv2dXBackward` as `conv2d_x_backward`.
fn lower(name: &str) -> String {
    let mut lower = String::with_capacity(name.len() + 4);
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 {
            lower.push('_');
        }
        lower.extend(letter.to_lowercase());
    }
    lower
}

/// Strides of a tensor that repeats another along dimensions of size 1, or along new ones.
fn repeats(input: &TensorIr, output: &TensorIr) -> Vec<i64> {
    let new = output.shape.num_dims() - input.shape.num_dims();
    let mut strides = vec![0; output.shape.num_dims()];
    let mut step = 1;
    for (index, &size) in input.shape.iter().enumerate().rev() {
        if size > 1 || output.shape[new + index] == 1 {
            strides[new + index] = step;
        }
        step *= size as i64;
    }
    strides
}

fn dtype(dtype: DType) -> Dtype {
    match dtype {
        DType::F64 => Dtype::float(64),
        DType::F32 | DType::Flex32 => Dtype::F32,
        DType::F16 => Dtype::float(16),
        DType::BF16 => Dtype::BF16,
        DType::I64 | DType::U64 => Dtype::integer(64),
        DType::I32 | DType::U32 => Dtype::integer(32),
        DType::I16 | DType::U16 => Dtype::integer(16),
        DType::I8 | DType::U8 => Dtype::integer(8),
        DType::Bool(_) => Dtype {
            bits: dtype.size() as u16 * 8,
            ..Dtype::BOOL
        },
        DType::QFloat(scheme) => Dtype::integer(scheme.size_bits_value() as u16),
    }
}

#[cfg(test)]
mod tests {
    use super::{Reader, lower};
    use burn::tensor::{DType, Shape};
    use burn_ir::{CustomOpIr, OperationIr, TensorId, TensorIr};

    #[test]
    fn names_are_written_as_burn_writes_its_functions() {
        assert_eq!(lower("Conv2dXBackward"), "conv2d_x_backward");
        assert_eq!(lower("Log1p"), "log1p");
        assert_eq!(lower("ArcTan2"), "arc_tan2");
    }

    #[test]
    fn a_custom_operation_has_its_own_name_and_its_tensors() {
        let tensor =
            |id, size| TensorIr::uninit(TensorId::new(id), Shape::from(vec![size]), DType::BF16);
        let custom = CustomOpIr::new("scan", &[tensor(1, 5), tensor(2, 7)], &[tensor(3, 9)]);
        let event = Reader::default().event(&OperationIr::Custom(custom));
        let event = event.expect("an event");
        assert_eq!(event.signature.name, "burn::scan");
        let sizes: Vec<u64> = event.inputs().map(|input| input.shape[0]).collect();
        assert_eq!(sizes, [5, 7]);
        assert_eq!(event.outputs[0].shape, [9]);
        assert_eq!(event.outputs[0].dtype.name(), "bfloat16");
    }
}
