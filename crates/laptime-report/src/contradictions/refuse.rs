//! Refusal of what contradicts itself: a panic, or an entry in a list for somebody who tests.

use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_analysis::compare::Comparison;
use laptime_analysis::{StepWindow, Summary};

use super::{comparison, report, step_window};
use crate::document::view::View;

/// Refusals kept for somebody who tests; `None` where a refusal ends the program.
static REFUSALS: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Refuses a report that contradicts itself.
pub fn refuse(summary: &Summary, view: &View) {
    assert_none(&report::of_summary(summary, view));
}

/// Refuses a comparison that contradicts itself.
pub fn refuse_comparison(found: &Comparison) {
    assert_none(&comparison::all(found));
}

/// Refuses a window of steps that contradicts itself.
pub fn refuse_window(steps: &StepWindow) {
    assert_none(&step_window::all(steps));
}

/// Keeps refusals for [`take`] from now on: a panic would end what a test did not ask about.
pub fn keep() {
    refusals().get_or_insert_default();
}

/// Returns the refusals since it was last called.
pub fn take() -> Vec<String> {
    refusals().as_mut().map(std::mem::take).unwrap_or_default()
}

fn refusals() -> MutexGuard<'static, Option<Vec<String>>> {
    REFUSALS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn assert_none(found: &[String]) {
    if found.is_empty() {
        return;
    }
    let refusal = format!("this report contradicts itself:\n{}", found.join("\n"));
    let is_kept = refusals()
        .as_mut()
        .map(|kept| kept.push(refusal.clone()))
        .is_some();
    assert!(is_kept, "{refusal}");
}
