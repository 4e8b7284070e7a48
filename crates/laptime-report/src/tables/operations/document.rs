//! The document of counts: its header, its tables, and how its numbers are to be read.

use laptime_core::operations::{CONVENTIONS, CostTally, Counts};

use super::subject::Subject;
use super::view::{By, OperationsView};
use super::{modules, operators, totals, uncounted};
use crate::document::names;
use crate::document::{Content, Document, Section};
use crate::html::Page;
use crate::quantity;
use crate::roofline::Roofline;

/// Most inputs that are named one by one.
const MOST_INPUTS: usize = 6;

/// Makes the document of counts.
pub fn document(
    counts: &Counts,
    subject: &Subject,
    roofline: Option<&Roofline>,
    view: &OperationsView,
) -> Document {
    let by = view.by.unwrap_or(if modules::has_parts(counts) {
        By::Module
    } else {
        By::Operator
    });
    with_tables(counts, subject, roofline, view, &[by])
}

/// Makes the page of counts: both tables, unless one was asked for.
pub fn page(
    counts: &Counts,
    subject: &Subject,
    roofline: Option<&Roofline>,
    view: &OperationsView,
) -> Page {
    let tables = match view.by {
        Some(by) => vec![by],
        None if modules::has_parts(counts) => vec![By::Module, By::Operator],
        None => vec![By::Operator],
    };
    let document = with_tables(counts, subject, roofline, view, &tables);
    Page {
        why: None,
        ..Page::of_tables(&document.title.clone(), vec![document], "")
    }
}

fn with_tables(
    counts: &Counts,
    subject: &Subject,
    roofline: Option<&Roofline>,
    view: &OperationsView,
    tables: &[By],
) -> Document {
    let all = counts.total.total();
    let mut sections = vec![totals::section(counts, view.exact)];
    if all.calls() > 0 {
        sections.extend(tables.iter().map(|by| match by {
            By::Module => modules::section(counts, subject, view),
            By::Operator => operators::section(counts, view),
        }));
    }
    sections.extend(uncounted::sections(counts, view.exact));
    sections.extend(roofline.map(Roofline::section));
    sections.push(Section::headed(
        "conventions",
        Content::Lines(CONVENTIONS.iter().map(|line| (*line).to_owned()).collect()),
    ));
    Document {
        title: title(counts, subject),
        headline: None,
        facts: facts(counts, &all),
        measured: measured(subject),
        is_measured_as_usual: false,
        sections,
        warnings: counts.warnings.clone(),
    }
}

/// Returns the subject's name, else the model's class.
fn title(counts: &Counts, subject: &Subject) -> String {
    let root = counts.by_module.first();
    match (subject.name.as_str(), root) {
        ("", Some(root)) if !root.kind.is_empty() => root.kind.clone(),
        ("", _) => "operations".to_owned(),
        (name, _) => name.to_owned(),
    }
}

fn facts(counts: &Counts, all: &CostTally) -> Vec<String> {
    let mut facts = vec![match counts.params {
        Some(params) => format!(
            "{}parameters",
            space(&quantity::with_unit(params.into(), ""))
        ),
        None => "parameters – (no weights known)".to_owned(),
    }];
    if !all.cost.is_saturated() {
        facts.push(quantity::with_unit(all.cost.mac, "MAC"));
        facts.push(quantity::with_unit(all.cost.flop(), "FLOP"));
    }
    facts.push(coverage(all));
    facts
}

fn space(number: &str) -> String {
    format!("{} ", number.trim_end())
}

/// Formats the share of counted calls, never rounded up to all of them.
fn coverage(all: &CostTally) -> String {
    match all.coverage_ratio() {
        None => "coverage – (no operation ran)".to_owned(),
        Some(_) if all.uncounted == 0 => "coverage 100 %".to_owned(),
        Some(ratio) => {
            let ratio = (ratio * 1_000.0).floor() / 1_000.0;
            format!("coverage {}", quantity::percent(ratio).inline())
        }
    }
}

fn measured(subject: &Subject) -> String {
    let mut said = Vec::new();
    let mut inputs: Vec<String> = subject
        .inputs
        .iter()
        .take(MOST_INPUTS)
        .map(|input| names::visible(input))
        .collect();
    let more = subject.inputs.len().saturating_sub(MOST_INPUTS);
    if more > 0 {
        inputs.push(format!("{} more", quantity::thousands(more as u64)));
    }
    match inputs.len() {
        0 => {}
        1 => said.push(format!("input {}", inputs.concat())),
        _ => said.push(format!("inputs {}", inputs.join(", "))),
    }
    if !subject.how.is_empty() {
        said.push(names::visible(&subject.how));
    }
    said.join("; ")
}
