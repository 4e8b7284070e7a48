//! Inputs that grow from step to step, and where the program gives them.

use crate::reading::notes::INPUTS_GROW;
use crate::reading::process::Process;
use crate::summarize::input_growth::{self, InputGrowth};
use crate::summarize::steady_state::repeated;
use crate::summary::finding::CallSite;

/// Inputs of the main process that grow.
#[derive(Debug)]
pub struct GrowingInputs {
    /// How they grow, and the steps' time with them; times in ns.
    pub growth: InputGrowth,
    /// The place from which the program calls its model, where that was noted.
    pub site: Option<CallSite>,
}

impl GrowingInputs {
    /// Finds those of the steps of a process, or of what it repeats without any.
    pub fn of_process(process: &Process) -> Option<Self> {
        let series = repeated(process)?;
        let changes = process.features.inputs.on_track(series.track);
        let steps = series.stretches.since(0);
        let is_step =
            process.paths.get(series.path)?.name.as_ref() == crate::reading::path_role::STEP;
        let found = input_growth::find(&changes, &steps, false);
        // Where nothing is learned, a device is waited for after the call.
        let found =
            found.or_else(|| input_growth::find(&changes, &steps, true).filter(|_| !is_step));
        let growth = found?;
        let ns = process.facts.anchors.mean_ns_per_tick();
        Some(Self {
            growth: InputGrowth {
                short: growth.short * ns,
                long: growth.long * ns,
                extra: growth.extra * ns,
                ..growth
            },
            site: site(process),
        })
    }
}

/// Reads where the program calls its model.
fn site(process: &Process) -> Option<CallSite> {
    let mut notes = process.features.notes.0.iter();
    let (_, place) = notes.find(|(code, _)| code == INPUTS_GROW)?;
    let mut parts = place.rsplitn(3, '\n');
    let (line, function, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some(CallSite {
        function: function.to_owned(),
        file: file.to_owned(),
        line: line.parse().ok()?,
    })
}
