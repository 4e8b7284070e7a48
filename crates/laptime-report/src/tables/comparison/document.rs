//! The document of one pair of sides: its headline, its tables, and its doubts.

use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{Basis, GateOutcome, GateResult, Pair, SideSummary, Unit};

use super::side_names::side_name;
use super::{functions, other_numbers, table};
use crate::document::names;
use crate::document::{Content, Document, Section};
use crate::quantity::{self, plural};
use crate::sentences::{comparison, comparison_notes, differences};

/// Makes the document; with all rows where `is_whole`.
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
    sections.extend(lines(heading, difference_lines(pair)));
    sections.extend(lines("limits", pair.gates.iter().map(gate_line).collect()));
    if is_whole || !functions::stands_alone(pair) {
        sections.push(Section::from(Content::Table(table::table(pair, is_whole))));
    }
    sections.extend(functions::section(pair, is_whole));
    sections.extend(other_numbers::section(pair));
    Document {
        title: format!("{} → {}", side_name(base), side_name(&pair.new)),
        headline: Some(comparison::headline(pair)),
        facts: facts(base, pair),
        measured: format!("medians with 95 % intervals; {}", threshold(pair)),
        is_measured_as_usual: false,
        sections,
        warnings: comparison_notes::warnings(pair),
    }
}

fn lines(heading: &str, lines: Vec<String>) -> Option<Section> {
    (!lines.is_empty()).then(|| Section::headed(heading, Content::Lines(lines)))
}

fn difference_lines(pair: &Pair) -> Vec<String> {
    let each = pair.differences.iter();
    each.map(|one| comparison::sentence(&differences::phrase(one)))
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
    if let (Some(of_base), Some(of_new)) = (steady_from(base), steady_from(&pair.new)) {
        let noun = &pair.noun;
        facts.push(if of_base == of_new {
            format!("steady state from {noun} {of_base}")
        } else {
            format!("steady state from {noun} {of_base}, new from {noun} {of_new}")
        });
    }
    facts
}

/// Writes the first steady step of a side, or the range of its runs'; `None` where a run has none.
fn steady_from(side: &SideSummary) -> Option<String> {
    let steps = side.recordings.iter().map(|run| run.from_step);
    let steps: Vec<u64> = steps.collect::<Option<_>>()?;
    let (first, last) = (steps.iter().min()?, steps.iter().max()?);
    Some(if first == last {
        first.to_string()
    } else {
        format!("{first} to {last}")
    })
}

fn threshold(pair: &Pair) -> String {
    let percent = quantity::plain(pair.threshold_ratio * 100.0);
    format!("changes within ±{percent} % are none")
}

/// Writes a limit with its outcome.
fn gate_line(result: &GateResult) -> String {
    let gate = names::visible(&result.gate.to_string());
    let unit = if result.gate.statistic.is_memory() {
        Unit::Bytes
    } else {
        Unit::Ns
    };
    let shown = |number: Option<f64>| {
        number.map_or(quantity::ABSENT.to_owned(), |number| {
            other_numbers::inline(unit, number)
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
