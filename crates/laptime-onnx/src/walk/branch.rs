//! Branches: the one that a known condition chooses, else what both have in common.

use super::frame::Frame;
use super::merge::{merged, opened};
use super::state::{Walk, Walked, graph};
use crate::error::OnnxError;
use crate::infer::Call;
use crate::value::Value;

impl<'m> Walk<'m> {
    /// What an `If` gives. Where its condition depends on data, both ways are walked for the sizes
    /// they give; what they cost is added only where it is the same.
    pub(super) fn branch(&mut self, call: &Call<'m>, frame: &Frame<'m>) -> Walked {
        let (yes, no) = (graph(call, "then_branch")?, graph(call, "else_branch")?);
        if let Some(condition) = call.input(0).and_then(Value::int) {
            let body = if condition == 0 { no } else { yes };
            return self.body(body, frame, Vec::new(), false);
        }
        let [(first, cost), (second, other)] =
            [yes, no].map(|body| self.tried(|walk| walk.body(body, frame, Vec::new(), false)));
        let outputs = match (first, second) {
            (Ok(_), Ok(no)) if cost == other && !cost.is_open => {
                // Added now, by walking one of them again.
                return Ok(merged(&self.body(yes, frame, Vec::new(), false)?, &no));
            }
            (Ok(yes), Ok(no)) => merged(&yes, &no),
            // A branch that would contradict itself is one that doesn't run.
            (Err(OnnxError::Shape { .. }), Ok(outputs))
            | (Ok(outputs), Err(OnnxError::Shape { .. })) => opened(&outputs),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        let reason = "which of its branches runs depends on data, and they differ";
        self.sink.leave_out(call, frame, reason);
        Ok(outputs)
    }
}
