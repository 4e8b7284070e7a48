//! Loops: counted once for each round where all rounds are alike, walked round by round where they
//! aren't (a cache that grows), and listed as open where their end depends on data.

use std::sync::Arc;

use laptime_ops::Repeat;

use super::frame::Frame;
use super::merge::{blurred, merged, opened, stacked};
use super::state::{Walk, Walked, graph};
use crate::error::{OnnxError, Result};
use crate::infer::Call;
use crate::model::Graph;
use crate::value::{Data, Element, Value};

/// Rounds that are walked one by one.
const UNROLL_LIMIT: u64 = 1024;

impl<'m> Walk<'m> {
    /// What a `Loop` gives.
    pub(super) fn rounds(&mut self, call: &Call<'m>, frame: &Frame<'m>) -> Walked {
        let body = graph(call, "body")?;
        let carried = call.inputs.iter().skip(2);
        let carried: Vec<Arc<Value>> = carried
            .map(|value| value.clone().unwrap_or_default())
            .collect();
        let most = call.input(0).and_then(Value::int);
        let most = most.map(|count| u64::try_from(count).unwrap_or(0));
        let starts = call.input(1).map_or(Some(1), Value::int);
        if most == Some(0) || starts == Some(0) {
            return Ok(self.after_rounds(call, &carried, &[], Some(0)));
        }
        // A first look: what of the carried values stays, and whether the loop can end early.
        let state: Vec<Arc<Value>> = carried.iter().map(blurred).collect();
        let (tried, cost) = self.tried(|walk| walk.round(body, frame, None, &state));
        let is_alike = |outputs: &[Arc<Value>]| {
            let mut both = state.iter().zip(&outputs[1..]);
            outputs[0].int() == Some(1) && both.all(|(before, after)| before.sizes == after.sizes)
        };
        let unroll = |walk: &mut Self| walk.unrolled(body, frame, &carried, most);
        if starts == Some(1) {
            let walked = match (&tried, most) {
                (Ok(outputs), Some(count)) if is_alike(outputs) && !cost.is_open => {
                    let inner = frame.repeated(Repeat::Times(count));
                    Some((self.round(body, &inner, None, &state)?, count))
                }
                (_, Some(count)) if count > UNROLL_LIMIT => None,
                // First on trial, so that half a loop is never counted.
                _ if self.tried(unroll).0?.is_some() => unroll(self)?,
                _ => None,
            };
            if let Some((outputs, count)) = walked {
                return Ok(self.after_rounds(call, &outputs[1..], &outputs, Some(count)));
            }
        }
        let state = match &tried {
            Ok(outputs) => merged(&state, &outputs[1..]),
            Err(_) => opened(&state),
        };
        let outputs = self.round(body, &frame.repeated(Repeat::Unknown), None, &state)?;
        Ok(self.after_rounds(call, &merged(&state, &outputs[1..]), &outputs, None))
    }

    /// The last of rounds that are walked one by one, and how many there were. `None` where data come
    /// to decide whether there is another.
    fn unrolled(
        &mut self,
        body: &'m Graph,
        frame: &Frame<'m>,
        carried: &[Arc<Value>],
        most: Option<u64>,
    ) -> Result<Option<(Vec<Arc<Value>>, u64)>> {
        let mut state = carried.to_vec();
        for count in 1..=UNROLL_LIMIT {
            let outputs = self.round(body, frame, Some(count - 1), &state)?;
            match outputs[0].int() {
                _ if Some(count) == most => return Ok(Some((outputs, count))),
                Some(0) => return Ok(Some((outputs, count))),
                Some(_) => state = outputs[1..=carried.len()].to_vec(),
                None => break,
            }
        }
        Ok(None)
    }

    /// What a round gives: whether there is another, what is carried on, and what is left behind.
    fn round(
        &mut self,
        body: &'m Graph,
        frame: &Frame<'m>,
        number: Option<u64>,
        state: &[Arc<Value>],
    ) -> Walked {
        let number = Value::number(number.map(|number| number as i64));
        let goes_on = Value::known(Element::BOOL, &[]).with(Some(Data::Ints(vec![Some(1)])));
        let given = [Arc::new(number), Arc::new(goes_on)];
        let names = body.inputs.iter().map(|input| &input.name[..]);
        let inputs = names.zip(given.iter().chain(state).cloned());
        let outputs = self.body(body, frame, inputs.collect(), false)?;
        if outputs.len() <= state.len() {
            let (found, carried) = (outputs.len(), state.len());
            return Err(OnnxError::Shape {
                node: "the body of a loop".into(),
                reason: format!("it gives {found} values for {carried} carried"),
            });
        }
        Ok(outputs)
    }

    /// What a loop gives: what was carried, and what each round left behind, one after the other.
    fn after_rounds(
        &self,
        call: &Call<'m>,
        carried: &[Arc<Value>],
        round: &[Arc<Value>],
        count: Option<u64>,
    ) -> Vec<Arc<Value>> {
        let kept = call.inputs.len().saturating_sub(2);
        let mut outputs: Vec<Arc<Value>> = carried.iter().take(kept).cloned().collect();
        for (index, name) in call.node.outputs.iter().enumerate().skip(kept) {
            let mut value = match round.get(index + 1) {
                None => Value::unknown(Element::UNKNOWN),
                Some(each) => stacked(each, 0, count),
            };
            self.names.state(name, &mut value);
            outputs.push(Arc::new(value));
        }
        outputs
    }
}
