//! Branches and loops.
//!
//! A branch whose condition is known is walked; of one that isn't, only what both ways cost alike
//! is counted. A loop is counted once for each round where all rounds are alike, walked round by
//! round where they aren't (a cache that grows), and listed as open where its end depends on data.

use std::sync::Arc;

use crate::error::OnnxError;
use crate::infer::{Call, agree};
use crate::model::{Attribute, Graph};
use crate::value::{Data, Element, Sizes, Value};
use crate::walk::{Frame, Walk};
use laptime_ops::Repeat;

/// Rounds that are walked one by one.
const UNROLL_LIMIT: u64 = 1024;

/// Rounds beyond which a loop is one that its condition ends: exporters write the largest number.
const ROUND_LIMIT: u64 = 1 << 40;

/// What a walk gives.
type Walked = Result<Vec<Arc<Value>>, OnnxError>;

impl<'m> Walk<'m> {
    /// What a branch or loop gives. `None`: the operator is of another kind.
    pub(super) fn control(&mut self, call: &Call<'m>, frame: &Frame<'m>) -> Option<Walked> {
        Some(match call.op() {
            "If" => self.branch(call, frame),
            "Loop" => self.rounds(call, frame),
            "Scan" => self.scan(call, frame),
            _ => return None,
        })
    }

    fn branch(&mut self, call: &Call<'m>, frame: &Frame<'m>) -> Walked {
        let (yes, no) = (graph(call, "then_branch")?, graph(call, "else_branch")?);
        match call.input(0).and_then(Value::int) {
            Some(0) => return self.body(no, frame, Vec::new(), false),
            Some(_) => return self.body(yes, frame, Vec::new(), false),
            None => {}
        }
        let [first, second] = [yes, no].map(|body| {
            let before = self.sink.try_on();
            let walked = self.body(body, frame, Vec::new(), false);
            (walked, self.sink.end_trial(before))
        });
        let reason = "which of its branches runs depends on data, and they differ";
        let (outputs, is_alike) = match (first, second) {
            ((Ok(yes), one), (Ok(no), other)) => {
                let is_alike = one == other && !one.is_open;
                (merged(&yes, &no), is_alike)
            }
            // A branch that would contradict itself is one that doesn't run.
            ((Err(OnnxError::Shape { .. }), _), (Ok(outputs), _))
            | ((Ok(outputs), _), (Err(OnnxError::Shape { .. }), _)) => (opened(&outputs), false),
            ((Err(error), _), _) | (_, (Err(error), _)) => return Err(error),
        };
        if is_alike {
            self.body(yes, frame, Vec::new(), false)?;
        } else {
            self.sink.leave_out(call, frame, reason);
        }
        Ok(outputs)
    }

    fn rounds(&mut self, call: &Call<'m>, frame: &Frame<'m>) -> Walked {
        let body = graph(call, "body")?;
        let carried: Vec<Arc<Value>> = call
            .inputs
            .iter()
            .skip(2)
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
        let before = self.sink.try_on();
        let tried = self.round(body, frame, None, &state);
        let trial = self.sink.end_trial(before);
        let stays = |outputs: &[Arc<Value>]| {
            let after = outputs.iter().skip(1);
            state
                .iter()
                .zip(after)
                .all(|(before, after)| before.sizes == after.sizes)
        };
        let runs_on = |outputs: &[Arc<Value>]| outputs.first().and_then(|on| on.int()) == Some(1);
        if let Ok(outputs) = &tried
            && stays(outputs)
            && runs_on(outputs)
            && !trial.is_open
            && let Some(count) = most
        {
            let inner = repeated(frame, Repeat::Times(count));
            let outputs = self.round(body, &inner, None, &state)?;
            return Ok(self.after_rounds(call, &outputs[1..], &outputs, Some(count)));
        }
        if starts == Some(1)
            && most.unwrap_or(UNROLL_LIMIT) <= UNROLL_LIMIT
            && let Some((outputs, count)) = self.unrolled(body, frame, &carried, most)?
        {
            return Ok(self.after_rounds(call, &outputs[1..], &outputs, Some(count)));
        }
        let inner = repeated(frame, Repeat::Unknown);
        let state: Vec<Arc<Value>> = match &tried {
            Ok(outputs) => merged(&state, &outputs[1.min(outputs.len())..]),
            Err(_) => opened(&state),
        };
        let outputs = self.round(body, &inner, None, &state)?;
        Ok(self.after_rounds(call, &merged(&state, &outputs[1..]), &outputs, None))
    }

    /// Rounds one by one, their number known. `None`: it comes to depend on data; nothing is added.
    #[allow(clippy::type_complexity)]
    fn unrolled(
        &mut self,
        body: &'m Graph,
        frame: &Frame<'m>,
        carried: &[Arc<Value>],
        most: Option<u64>,
    ) -> Result<Option<(Vec<Arc<Value>>, u64)>, OnnxError> {
        // First on trial, so that half a loop is never counted.
        let mut result = None;
        for is_trial in [true, false] {
            let before = is_trial.then(|| self.sink.try_on());
            let mut count = 0;
            let mut state = carried.to_vec();
            let walked = loop {
                match self.round(body, frame, Some(count), &state) {
                    Err(error) => break Err(error),
                    Ok(outputs) => {
                        count += 1;
                        let goes_on = outputs.first().and_then(|on| on.int());
                        state = outputs[1..=carried.len().min(outputs.len() - 1)].to_vec();
                        match goes_on {
                            _ if Some(count) == most => break Ok(Some(outputs)),
                            Some(0) => break Ok(Some(outputs)),
                            Some(_) if count < UNROLL_LIMIT => {}
                            _ => break Ok(None),
                        }
                    }
                }
            };
            if let Some(before) = before {
                self.sink.end_trial(before);
            }
            match walked? {
                None => return Ok(None),
                Some(outputs) => result = Some((outputs, count)),
            }
        }
        Ok(result)
    }

    fn round(
        &mut self,
        body: &'m Graph,
        frame: &Frame<'m>,
        number: Option<u64>,
        state: &[Arc<Value>],
    ) -> Walked {
        let number = number.map(|number| Data::Ints(vec![Some(number as i64)]));
        let number = Value::known(Element::I64, &[]).with(number);
        let goes_on = Value::known(Element::BOOL, &[]).with(Some(Data::Ints(vec![Some(1)])));
        let given = [Arc::new(number), Arc::new(goes_on)];
        let given = given.iter().chain(state);
        let inputs = body
            .inputs
            .iter()
            .map(|input| &input.name[..])
            .zip(given.cloned());
        let outputs = self.body(body, frame, inputs.collect(), false)?;
        if outputs.len() <= state.len() {
            return Err(OnnxError::Shape {
                node: "the body of a loop".into(),
                reason: format!(
                    "it gives {} values for {} carried",
                    outputs.len(),
                    state.len()
                ),
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
        let wanted = call.node.outputs.len();
        let mut outputs: Vec<Arc<Value>> = carried.iter().take(kept).cloned().collect();
        for index in kept..wanted {
            let mut value = match round.get(index + 1) {
                None => Value::unknown(Element::UNKNOWN),
                Some(each) => stacked(each, 0, count),
            };
            self.state(&call.node.outputs[index], &mut value);
            outputs.push(Arc::new(value));
        }
        outputs
    }

    fn scan(&mut self, call: &Call<'m>, frame: &Frame<'m>) -> Walked {
        let wrong = |reason: &str| OnnxError::Shape {
            node: call.node.describe(),
            reason: reason.into(),
        };
        let body = graph(call, "body")?;
        if call.opset < 9 {
            self.sink
                .leave_out(call, frame, "Scan of operator set 8 is not known");
            return Ok(opened(&vec![Arc::default(); call.node.outputs.len()]));
        }
        let scanned = call
            .int("num_scan_inputs")
            .and_then(|n| usize::try_from(n).ok());
        let carried = scanned.and_then(|scanned| call.inputs.len().checked_sub(scanned));
        let carried = carried.ok_or_else(|| wrong("it has no inputs to scan"))?;
        let axis = |name: &str, index: usize, rank: usize| {
            let set = call.ints(name).unwrap_or_default();
            let axis = set.get(index).copied().unwrap_or(0);
            let axis = if axis < 0 {
                axis.saturating_add(rank as i64)
            } else {
                axis
            };
            usize::try_from(axis).ok().filter(|axis| *axis < rank)
        };
        let mut count = None;
        let mut given: Vec<Arc<Value>> = call.inputs[..carried]
            .iter()
            .map(|value| blurred(&value.clone().unwrap_or_default()))
            .collect();
        for (index, input) in call.inputs[carried..].iter().enumerate() {
            let mut each = Value::clone(&blurred(&input.clone().unwrap_or_default()));
            if let Some(sizes) = &mut each.sizes {
                let axis = axis("scan_input_axes", index, sizes.len());
                let axis = axis.ok_or_else(|| wrong("it scans along an axis that is not there"))?;
                let length = sizes.remove(axis);
                if !agree(count, length) {
                    return Err(wrong("what it scans is not of one length"));
                }
                count = count.or(length);
            }
            given.push(Arc::new(each));
        }
        let inner = repeated(frame, count.map_or(Repeat::Unknown, Repeat::Times));
        let names = body.inputs.iter().map(|input| &input.name[..]);
        let round = self.body(body, &inner, names.zip(given).collect(), false)?;
        let outputs = round.iter().enumerate().map(|(index, each)| {
            let Some(left) = index.checked_sub(carried) else {
                return each.clone();
            };
            let rank = each.rank().unwrap_or(0) + 1;
            let axis = axis("scan_output_axes", left, rank).unwrap_or(0);
            Arc::new(stacked(each, axis, count))
        });
        Ok(outputs.collect())
    }
}

fn graph<'m>(call: &Call<'m>, name: &'static str) -> Result<&'m Graph, OnnxError> {
    match call.attribute(name) {
        Some(Attribute::Graph(graph)) => Ok(graph),
        _ => Err(OnnxError::Shape {
            node: call.node.describe(),
            reason: format!("it has no {name}"),
        }),
    }
}

/// A frame whose nodes run so often for each time they did.
fn repeated<'m>(frame: &Frame<'m>, repeat: Repeat) -> Frame<'m> {
    let times = match (frame.repeat, repeat) {
        (Repeat::Times(outer), Repeat::Times(inner)) => outer.checked_mul(inner),
        _ => None,
    };
    let known = times.filter(|times| *times <= ROUND_LIMIT);
    let repeat = known.map_or(Repeat::Unknown, Repeat::Times);
    Frame {
        repeat,
        ..frame.clone()
    }
}

/// A value of which only the sizes are sure: its content changes from round to round.
fn blurred(value: &Arc<Value>) -> Arc<Value> {
    if value.data.is_none() && value.param.is_none() {
        return value.clone();
    }
    Arc::new(Value {
        data: None,
        param: None,
        ..Value::clone(value)
    })
}

/// Values of which no size is sure.
fn opened(values: &[Arc<Value>]) -> Vec<Arc<Value>> {
    let open = |value: &Arc<Value>| Value {
        why: Some("they depend on which way a branch or loop takes".into()),
        ..Value::unknown(value.element)
    };
    values.iter().map(|value| Arc::new(open(value))).collect()
}

/// What two ways give alike.
fn merged(one: &[Arc<Value>], other: &[Arc<Value>]) -> Vec<Arc<Value>> {
    let both = one.iter().zip(other);
    both.map(|(one, other)| {
        let sizes: Option<Sizes> = match (&one.sizes, &other.sizes) {
            (Some(one), Some(other)) if one.len() == other.len() => Some(
                one.iter()
                    .zip(other)
                    .map(|(a, b)| if a == b { *a } else { None })
                    .collect(),
            ),
            _ => None,
        };
        let data = one
            .data
            .clone()
            .filter(|_| one.data == other.data && one.sizes == other.sizes);
        Arc::new(Value {
            element: one.element,
            sizes,
            data,
            why: Some("they depend on which way a branch or loop takes".into()),
            ..Value::default()
        })
    })
    .collect()
}

/// So many of a value, one after the other along a new axis.
fn stacked(each: &Value, axis: usize, count: Option<u64>) -> Value {
    let sizes = each.sizes.clone().map(|mut sizes| {
        sizes.insert(axis.min(sizes.len()), count);
        sizes
    });
    Value {
        element: each.element,
        sizes,
        why: each.why.clone(),
        ..Value::default()
    }
}
