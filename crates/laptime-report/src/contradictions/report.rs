//! Reports of runs: the rules for rows, findings, the first line and sentences, all together.

use laptime_analysis::summarize::headline::headline as headline_of;
use laptime_analysis::summary::headline::Headline;
use laptime_analysis::{Finding, Summary};

use super::{factors, findings, headline, rows};
use crate::document::view::View;
use crate::document::{Content, Document, Section};
use crate::sentences::findings::finding_sentence;

/// Returns all contradictions of the report of a summary.
pub fn of_summary(summary: &Summary, view: &View) -> Vec<String> {
    let document = Document::new(summary, view);
    let headline = headline_of(summary, !view.whole);
    let lines: Vec<String> = document.sections.iter().flat_map(lines).collect();
    of_report(summary, &headline, &lines)
}

fn lines(section: &Section) -> Vec<String> {
    match &section.content {
        Content::Lines(lines) => lines.clone(),
        _ => section.remark.iter().cloned().collect(),
    }
}

/// Returns all contradictions of a report's numbers and its sentences.
pub fn of_report(summary: &Summary, headline: &Headline, lines: &[String]) -> Vec<String> {
    let mut found = rows::all(summary);
    found.extend(findings::all(summary));
    found.extend(summary.findings.iter().filter_map(without_sentence));
    found.extend(headline::all(summary, headline));
    found.extend(lines.iter().filter_map(|line| factors::all(summary, line)));
    found
}

/// Refuses a finding that no report would show.
fn without_sentence(finding: &Finding) -> Option<String> {
    let is_silent = finding_sentence(finding).is_none();
    is_silent.then(|| format!("a finding without a sentence: {finding:?}"))
}

#[cfg(test)]
#[path = "tests/report.rs"]
mod tests;
