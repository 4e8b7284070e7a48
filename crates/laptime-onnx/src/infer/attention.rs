//! Attention in one node.

use laptime_ops::vocabulary::onnx::attention::Heads;

use super::call::{Call, Outputs, Stop};
use crate::value::Value;

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    match call.op() {
        "Attention" | "MultiHeadAttention" | "GroupQueryAttention" => Some(attention(call)),
        _ => None,
    }
}

/// The result, and the keys and values that are kept for the next call.
fn attention(call: &Call<'_>) -> Outputs {
    let inputs = call.inputs.iter().map(|input| input.as_ref()?.dims());
    let inputs: Vec<Option<Vec<u64>>> = inputs.collect();
    if inputs.first().is_none_or(Option::is_none) {
        return Err(Stop::unknown("the sizes of what it reads are not known"));
    }
    let name = match &call.node.domain[..] {
        "" => "onnx::Attention".to_owned(),
        domain => format!("{domain}::{}", call.op()),
    };
    let tensor = |index: usize| inputs.get(index)?.as_deref();
    let int = |name: &str| call.int(name);
    let ints = |name: &str| call.ints(name);
    let heads = Heads::of(&name, &tensor, &int, &ints).map_err(Stop::Wrong)?;
    let total = call.input(6).and_then(Value::size);
    let total = total.filter(|_| name.ends_with("GroupQueryAttention"));
    let keys = total.unwrap_or(heads.keys);
    let element = call.element(0);
    let rank = call.sizes(0)?.len();
    let output: &[u64] = if rank == 4 && call.node.domain.is_empty() {
        &[
            heads.batch,
            heads.query_heads,
            heads.queries,
            heads.value_size,
        ]
    } else {
        &[
            heads.batch,
            heads.queries,
            heads.query_heads.saturating_mul(heads.value_size),
        ]
    };
    let cache = |size: u64| [heads.batch, heads.key_heads, keys, size];
    let mut outputs = vec![Value::known(element, output)];
    if &name == "com.microsoft::Attention" {
        let [batch, heads, keys, size] = cache(heads.key_size);
        outputs.push(Value::known(element, &[2, batch, heads, keys, size]));
    } else {
        outputs.push(Value::known(element, &cache(heads.key_size)));
        outputs.push(Value::known(element, &cache(heads.value_size)));
        let scores = [heads.batch, heads.query_heads, heads.queries, keys];
        outputs.push(Value::known(element, &scores));
    }
    Ok(outputs)
}
