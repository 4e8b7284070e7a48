//! Scans: a body that runs once for each slice of what is scanned.

use std::sync::Arc;

use laptime_ops::Repeat;

use super::frame::Frame;
use super::merge::{blurred, opened, stacked};
use super::state::{Walk, Walked, graph, wrong};
use crate::infer::{Call, agree, place};
use crate::value::Value;

impl<'m> Walk<'m> {
    /// What a `Scan` gives: its body is counted as often as what is scanned is long.
    pub(super) fn scan(&mut self, call: &Call<'m>, frame: &Frame<'m>) -> Walked {
        let body = graph(call, "body")?;
        if call.opset < 9 {
            let reason = "Scan of operator set 8 is not known";
            self.sink.leave_out(call, frame, reason);
            return Ok(opened(&vec![Arc::default(); call.node.outputs.len()]));
        }
        let scanned = call.size("num_scan_inputs");
        let carried = scanned.and_then(|scanned| call.inputs.len().checked_sub(scanned as usize));
        let carried = carried.ok_or_else(|| wrong(call, "it has no inputs to scan"))?;
        let axis = |name: &str, index: usize, rank: usize| {
            let set = call.ints(name).and_then(|set| set.get(index).copied());
            place(set.unwrap_or(0), rank).ok()
        };
        let mut count = None;
        let mut given = Vec::with_capacity(call.inputs.len());
        for (index, input) in call.inputs.iter().enumerate() {
            let value = blurred(&input.clone().unwrap_or_default());
            let Some(index) = index.checked_sub(carried) else {
                given.push(value);
                continue;
            };
            let mut each = Value::clone(&value);
            if let Some(sizes) = &mut each.sizes {
                let axis = axis("scan_input_axes", index, sizes.len());
                let axis =
                    axis.ok_or_else(|| wrong(call, "it scans along an axis that is not there"))?;
                let length = sizes.remove(axis);
                if !agree(count, length) {
                    return Err(wrong(call, "what it scans is not of one length"));
                }
                count = count.or(length);
            }
            given.push(Arc::new(each));
        }
        let inner = frame.repeated(count.map_or(Repeat::Unknown, Repeat::Times));
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
