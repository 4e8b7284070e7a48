//! The answer of a job of many ranks: sentences, and what a step of each rank is made of.

use laptime_analysis::compare::GateOutcome;
use laptime_analysis::ranks::{JobAnswer, LimitResult, MeanStep, OwnPart};

use crate::document::column::{Column, headed};
use crate::document::{Cell, Content, Document, Row, Section, Table};
use crate::quantity::{Precision, plural};
use crate::sentences::job;
use crate::{Format, Shown, View, csv, html, json, markdown, text};

/// Ranks that all have a row; of more, those that stand out and the median of the rest.
const FEW: usize = 8;

/// Renders the answer, as text in formats that have none of their own.
pub fn render(answer: &JobAnswer, limits: &[LimitResult], format: Format, view: &View) -> Shown {
    match format {
        Format::Json => json::ranks::render(answer, limits),
        Format::Csv => Shown::lines(&csv::ranks::render(answer)),
        Format::Markdown => Shown::lines(&markdown::render(&document(answer, limits))),
        Format::Html => {
            let document = document(answer, limits);
            let title = document.title.clone();
            html::render(&html::Page::of_tables(
                &title,
                vec![document],
                "ranks have no timeline",
            ))
        }
        Format::Text | Format::Tree => Shown::lines(&text::render(&document(answer, limits), view)),
    }
}

/// Writes the first sentence of the answer.
pub fn headline(answer: &JobAnswer) -> String {
    let first = job::sentences(answer).into_iter().next();
    first.unwrap_or_default()
}

/// Renders it as a piece of a notebook's page.
pub fn fragment(answer: &JobAnswer) -> String {
    html::fragment(&document(answer, &[]))
}

fn document(answer: &JobAnswer, limits: &[LimitResult]) -> Document {
    let mut sentences = job::sentences(answer).into_iter();
    let headline = sentences.next();
    let rest: Vec<String> = sentences.collect();
    let mut sections = Vec::new();
    if !rest.is_empty() {
        sections.push(Section::from(Content::Paragraphs(rest)));
    }
    if !limits.is_empty() {
        let lines = limits.iter().map(limit_line).collect();
        sections.push(Section::from(Content::Paragraphs(lines)));
    }
    sections.push(Section::headed(
        "a step of each rank",
        Content::Table(table(answer)),
    ));
    Document {
        title: plural(answer.means.len() as u64, "rank", "ranks"),
        headline,
        facts: vec![
            plural(answer.means.len() as u64, "rank", "ranks"),
            plural(answer.step_count, "step", "steps"),
        ],
        measured: job::basis(answer),
        is_measured_as_usual: false,
        sections,
        warnings: Vec::new(),
    }
}

fn limit_line(one: &LimitResult) -> String {
    let outcome = match one.outcome {
        GateOutcome::Exceeded => "exceeded",
        GateOutcome::Kept => "kept",
        GateOutcome::Unclear | GateOutcome::Unknown => {
            "can't be told: the interval reaches across it"
        }
    };
    format!("limit {}: {outcome}", one.limit)
}

const STEP: Column = headed("step");
const COMMUNICATION: Column = headed("communication");

fn table(answer: &JobAnswer) -> Table {
    let (means, stand_out) = (&answer.means, standing_out(answer));
    let mut rows: Vec<Row> = Vec::new();
    let is_shown = |one: &&MeanStep| means.len() <= FEW || stand_out.contains(&one.rank);
    for one in means.iter().filter(is_shown) {
        rows.push(Row::new(format!("rank {}", one.rank), cells(one)));
    }
    let others: Vec<&MeanStep> = means.iter().filter(|one| !is_shown(one)).collect();
    if !others.is_empty() {
        let name = format!("median of the {} others", others.len());
        rows.push(Row::new(name, cells(&median(&others))));
    }
    Table {
        lead: "rank".into(),
        columns: vec![
            STEP,
            headed("data"),
            headed("forward"),
            headed("backward"),
            headed("optimizer"),
            headed("other"),
            COMMUNICATION,
        ],
        rows,
        ..Table::default()
    }
}

/// Returns the ranks that the sentences name.
fn standing_out(answer: &JobAnswer) -> Vec<u32> {
    let found = &answer.diagnosis;
    let all = found.slow.iter().chain(&found.of_their_own);
    all.map(|one| one.rank).collect()
}

fn cells(one: &MeanStep) -> Vec<Cell> {
    let times = [one.step_ns]
        .into_iter()
        .chain(one.part_ns)
        .chain([one.exchanged_ns]);
    times
        .map(|ns| Cell::Time(ns.max(0) as u64, Precision::Exact))
        .collect()
}

fn median(ranks: &[&MeanStep]) -> MeanStep {
    let middle = |ns: &dyn Fn(&MeanStep) -> i64| {
        let mut all: Vec<i64> = ranks.iter().map(|one| ns(one)).collect();
        all.sort_unstable();
        all[all.len() / 2]
    };
    MeanStep {
        rank: 0,
        pid: 0,
        step_ns: middle(&|one| one.step_ns),
        part_ns: OwnPart::ALL.map(|part| middle(&|one| one.part_ns[part as usize])),
        exchanged_ns: middle(&|one| one.exchanged_ns),
    }
}
