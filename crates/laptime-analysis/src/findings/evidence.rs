//! Everything that a rule may ask: the summary, what the summary doesn't hold, and the steps of the run.

use super::clues::Clues;
use super::repeated_steps::Steps;
use crate::summarize::device_steps;
use crate::summary::Summary;
use crate::summary::span_row::SpanRow;

/// All that is known of a run. Findings are no part of it: no rule looks at what another one found.
pub struct Evidence<'s> {
    /// The summary, complete but for its findings.
    pub summary: &'s Summary,
    /// The facts that the summary doesn't hold.
    pub clues: &'s Clues,
    /// The steps that most rules ask about; `None` where a run repeats nothing, or too little of it.
    pub steps: Option<Steps<'s>>,
    /// The row of the steps and those inside of them with a device's times, where a device tells what steps are made of.
    device_rows: Option<Vec<SpanRow>>,
}

impl<'s> Evidence<'s> {
    /// Finds the steps of a summary, and what a device tells of them.
    pub fn new(summary: &'s Summary, clues: &'s Clues) -> Self {
        let steps = Steps::in_summary(summary);
        let device_rows = steps.and_then(|steps| device_steps::by_device(steps.step, steps.rows));
        Self {
            summary,
            clues,
            steps,
            device_rows,
        }
    }

    /// Returns the steps where the host's times tell what they are made of; `None` where a device's do.
    ///
    /// Which of the host's steps waits for the device says nothing of that step.
    pub fn host_steps(&self) -> Option<Steps<'s>> {
        self.steps.filter(|_| self.device_rows.is_none())
    }

    /// Returns the steps with the times of the device that did their work; with the host's where no device tells them.
    pub fn worked_steps(&self) -> Option<Steps<'_>> {
        let steps = self.steps?;
        Some(match &self.device_rows {
            Some(rows) => steps.with_times_of(rows),
            None => steps,
        })
    }
}
