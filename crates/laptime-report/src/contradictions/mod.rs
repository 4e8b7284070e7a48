//! What can't be, in a report: refused where reports are tested, whatever made them.
//!
//! Comes in as a report's numbers, and as its sentences; goes out as what contradicts something else, in words. Compiled for
//! tests, and with the feature `checked`, which those of the command and of Python ask for: every report that a test, an
//! example or a page makes passes through it. A report of a user's does not.
//!
//! Each rule holds whatever was recorded. Where a warning says that spans don't add up, sums aren't asked.

mod comparison;
mod findings;
mod headline;
mod rows;
mod words;

use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_analysis::compare::Comparison;
use laptime_analysis::summarize::headline::headline;
use laptime_analysis::summary::headline::Headline;
use laptime_analysis::{Finding, StepWindow, Summary};

use crate::document::Document;
use crate::document::view::View;
use crate::sentences::findings::finding_sentence;

/// Refuses a report that contradicts itself.
pub fn refuse(summary: &Summary, view: &View) {
    assert_none(&of_summary(summary, view));
}

/// All that can't be, in a report.
pub fn of_summary(summary: &Summary, view: &View) -> Vec<String> {
    let document = Document::new(summary, view);
    let headline = headline(summary, view.steady);
    let lines: Vec<String> = document.sections.iter().flat_map(lines).collect();
    of_report(summary, &headline, &lines)
}

fn lines(section: &crate::document::Section) -> Vec<String> {
    match &section.content {
        crate::document::Content::Lines(lines) => lines.clone(),
        _ => section.remark.iter().cloned().collect(),
    }
}

/// Refuses a comparison that contradicts itself.
pub fn refuse_comparison(found: &Comparison) {
    assert_none(&comparison::all(found));
}

/// Refuses a window of steps that contradicts itself.
pub fn refuse_window(window: &StepWindow) {
    let StepWindow {
        mean_ns,
        p95_ns,
        max_ns,
        ..
    } = window;
    let mut found = Vec::new();
    if mean_ns > max_ns {
        found.push(format!(
            "a mean of {mean_ns} ns above the longest, {max_ns}"
        ));
    }
    if p95_ns.is_some_and(|p95_ns| p95_ns > *max_ns) {
        found.push(format!(
            "a percentile of {p95_ns:?} ns above the longest, {max_ns}"
        ));
    }
    assert_none(&found);
}

/// What was refused where whoever tests asks for it; `None` where a refusal ends the program.
static KEPT: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// From now on refusals are kept for whoever asks: a panic would end what a test did not ask about.
pub fn keep() {
    kept().get_or_insert_default();
}

/// What was refused since this was last asked.
pub fn take() -> Vec<String> {
    kept().as_mut().map(std::mem::take).unwrap_or_default()
}

fn kept() -> MutexGuard<'static, Option<Vec<String>>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn assert_none(found: &[String]) {
    if found.is_empty() {
        return;
    }
    let said = format!("this report contradicts itself:\n{}", found.join("\n"));
    let is_kept = kept()
        .as_mut()
        .map(|kept| kept.push(said.clone()))
        .is_some();
    assert!(is_kept, "{said}");
}

/// All that can't be, of a report's numbers and its sentences.
pub fn of_report(summary: &Summary, headline: &Headline, lines: &[String]) -> Vec<String> {
    let mut found = rows::all(summary);
    found.extend(findings::all(summary));
    found.extend(summary.findings.iter().filter_map(without_sentence));
    found.extend(headline::all(summary, headline));
    found.extend(lines.iter().filter_map(|line| words::all(summary, line)));
    found
}

/// Refuses a finding that no report would show.
fn without_sentence(finding: &Finding) -> Option<String> {
    let is_silent = finding_sentence(finding).is_none();
    is_silent.then(|| format!("a finding without a sentence: {finding:?}"))
}

#[cfg(test)]
#[path = "tests/contradictions.rs"]
mod tests;
