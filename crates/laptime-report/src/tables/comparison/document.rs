//! The document of one pair of sides: its headline, its tables, and what makes it doubtful.

use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{Basis, GateOutcome, GateResult, Pair, SideSummary, Unit};

use super::{beside, named, table};
use crate::document::names;
use crate::document::{Content, Document, Section};
use crate::quantity::{self, plural};
use crate::sentences::comparison;
use crate::sentences::doubts;

/// The document.
pub fn document(base: &SideSummary, pair: &Pair, is_whole: bool) -> Document {
    let mut sections: Vec<Section> = Vec::new();
    // Of several benchmarks some may be refused that don't decide the verdict.
    let mut verdicts = pair.rows.iter().filter_map(|row| row.verdict);
    let is_refused = pair.verdict == Verdict::NotComparable
        || verdicts.any(|verdict| verdict == Verdict::NotComparable);
    let heading = if is_refused {
        "not comparable"
    } else {
        "compared although they differ"
    };
    sections.extend(lines(heading, differs(pair)));
    sections.extend(lines("limits", pair.gates.iter().map(gate).collect()));
    sections.push(Section::from(Content::Table(table::table(pair, is_whole))));
    sections.extend(beside::section(pair));
    Document {
        title: format!("{} → {}", named::side(base), named::side(&pair.new)),
        headline: Some(comparison::of_pair(pair)),
        facts: facts(base, pair),
        measured: format!("medians with 95 % intervals; {}", threshold(pair)),
        sections,
        warnings: doubts::all_in_words(&pair.notes),
    }
}

fn lines(heading: &str, lines: Vec<String>) -> Option<Section> {
    (!lines.is_empty()).then(|| Section::headed(heading, Content::Lines(lines)))
}

fn differs(pair: &Pair) -> Vec<String> {
    let each = pair.differs.iter();
    each.map(|one| comparison::sentence(&one.to_string()))
        .collect()
}

fn facts(base: &SideSummary, pair: &Pair) -> Vec<String> {
    let (one, several) = if pair.basis == Basis::Benchmark {
        ("measurement", "measurements")
    } else {
        ("run", "runs")
    };
    let count = |side: &SideSummary| plural(side.recordings.len() as u64, one, several);
    let mut facts = vec![format!("{} against {}", count(base), count(&pair.new))];
    let all = || base.recordings.iter().chain(&pair.new.recordings);
    let first = all().filter_map(|run| run.from_step).max();
    if let Some(step) = first.filter(|_| all().all(|run| run.from_step.is_some())) {
        facts.push(format!("steady state from {} {step}", pair.noun));
    }
    facts
}

fn threshold(pair: &Pair) -> String {
    let percent = quantity::plain(pair.threshold_ratio * 100.0);
    format!("changes within ±{percent} % are none")
}

/// A limit and what came of it.
fn gate(result: &GateResult) -> String {
    let gate = names::visible(&result.gate.to_string());
    let unit = if result.gate.statistic.is_memory() {
        Unit::Bytes
    } else {
        Unit::Ns
    };
    let shown = |number: Option<f64>| {
        number.map_or(quantity::ABSENT.to_owned(), |number| {
            beside::shown(unit, number)
        })
    };
    let from_to = format!("{} → {}", shown(result.base), shown(result.new));
    match result.outcome {
        GateOutcome::Kept => format!("{gate}: kept ({from_to})"),
        GateOutcome::Exceeded => format!("{gate}: exceeded ({from_to})"),
        GateOutcome::Unclear => {
            format!("{gate}: can't be told ({from_to}), the limit lies within what noise explains")
        }
        GateOutcome::Unknown => format!("{gate}: not on both sides"),
    }
}
