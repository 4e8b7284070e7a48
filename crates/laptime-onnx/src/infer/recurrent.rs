//! Recurrent layers.

use super::call::{Call, Outputs, Stop};
use crate::value::Value;

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    match call.op() {
        "LSTM" | "GRU" | "RNN" => Some(layers(call)),
        _ => None,
    }
}

/// All hidden states, the last ones, and the last cells of an LSTM.
fn layers(call: &Call<'_>) -> Outputs {
    let [first, second, _] = call.sizes(0)?[..] else {
        return Err(Stop::wrong("its input has not three dimensions"));
    };
    let [directions, _, hidden] = call.sizes(2)?[..] else {
        return Err(Stop::wrong("its recurrent weight has not three dimensions"));
    };
    let (all, last) = if call.flag("layout") {
        let (batch, steps) = (first, second);
        (
            vec![batch, steps, directions, hidden],
            vec![batch, directions, hidden],
        )
    } else {
        let (steps, batch) = (first, second);
        (
            vec![steps, directions, batch, hidden],
            vec![directions, batch, hidden],
        )
    };
    let element = call.element(0);
    let mut outputs = vec![Value::new(element, all), Value::new(element, last.clone())];
    if call.op() == "LSTM" {
        outputs.push(Value::new(element, last));
    }
    Ok(outputs)
}
