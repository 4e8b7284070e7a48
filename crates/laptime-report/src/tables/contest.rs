//! The result of a contest, in words and as a table: from an [`Outcome`] to text, markdown and HTML.
//!
//! The first line is the answer: `compiled is 12 % faster than eager (between 10 and 14 %).` It means the part of
//! time saved: 12 % faster takes 88 % of the time. Names are text, whatever they hold.

use laptime_analysis::benchmark::contest::{Ending, Outcome, Pair};
use laptime_analysis::benchmark::verdict::Judged;

use crate::Shown;
use crate::document::column::Column;
use crate::document::names::visible;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, plural};
use crate::sentences::benchmark;
use crate::tables::benchmark as figures;
use crate::{html, markdown, text};

use crate::sentences::contest::{number, percent, sentences};
pub use crate::sentences::contest::{pair_sentence, verdict_sentence};
pub use crate::text::wrap::{fitted_names, wrapped};

/// Writes the answer: a sentence for each contender against the base, or one for all that have the same.
pub fn headline(outcome: &Outcome, names: &[String]) -> String {
    let against_base = outcome.pairs.iter().filter(|pair| pair.base == 0);
    let against_base: Vec<&Pair> = against_base.collect();
    sentences(&against_base, names).join("\n")
}

/// Renders all of it for a terminal of so many columns; `None` where nobody says how many. `asked` is the way in which a
/// budget is asked for, such as `--budget {}`.
pub fn text(outcome: &Outcome, names: &[String], asked: &str, width: Option<usize>) -> Shown {
    let sections = sections(outcome, &fitted_names(names, width), asked);
    Shown::lines(&text::sections(&sections, width))
}

/// Renders all of it for a pull request; `asked` as in [`text`].
pub fn markdown(outcome: &Outcome, names: &[String], asked: &str) -> String {
    markdown::sections(&sections(outcome, names, asked))
}

/// Renders all of it as a piece of a notebook's page; `asked` as in [`text`].
pub fn fragment(outcome: &Outcome, names: &[String], asked: &str) -> String {
    html::pieces(&sections(outcome, names, asked))
}

fn sections(outcome: &Outcome, names: &[String], asked: &str) -> [Section; 3] {
    let answer = headline(outcome, names);
    [
        Content::Paragraphs(answer.lines().map(str::to_owned).collect()).into(),
        Content::Table(table(outcome, names)).into(),
        Content::Paragraphs(notes(outcome, names, asked)).into(),
    ]
}

/// Makes a row for each contender.
fn table(outcome: &Outcome, names: &[String]) -> Table {
    let rows = outcome.contenders.iter().enumerate().map(|(at, one)| {
        let against = outcome
            .pairs
            .iter()
            .find(|pair| (pair.base, pair.new) == (0, at));
        let judged = against.map(|pair| &pair.judged);
        let [median, interval] = figures::median_cells(one.median_ns, &one.interval_ns);
        let cells = vec![
            median,
            interval,
            judged.map_or(Cell::Blank, |judged| change(judged).into()),
            judged.map_or(Cell::Blank, |judged| judged.verdict.name().into()),
        ];
        Row::new(names[at].clone(), cells)
    });
    Table {
        columns: vec![
            figures::MEDIAN,
            Column::interval_of(figures::MEDIAN).gives_way(0),
            Column::AGAINST,
            Column::VERDICT,
        ],
        rows: rows.collect(),
        base: names[0].clone(),
        ..Table::default()
    }
}

/// Writes the change of time, as `-12 % (-14 to -10 %)`.
fn change(judged: &Judged) -> String {
    let signed = |ratio: f64| {
        let percent = number((ratio - 1.0).abs());
        let sign = if ratio < 1.0 && percent != "0.0" {
            "-"
        } else {
            "+"
        };
        format!("{sign}{percent}")
    };
    match &judged.interval {
        Ok((low, high)) => {
            format!(
                "{} % ({} to {} %)",
                signed(judged.ratio),
                signed(*low),
                signed(*high)
            )
        }
        Err(_) if judged.ratio.is_finite() => format!("{} %", signed(judged.ratio)),
        Err(_) => quantity::ABSENT.to_owned(),
    }
}

/// Writes notes on pairs without the base, the noise floor, and doubts.
fn notes(outcome: &Outcome, names: &[String], asked: &str) -> Vec<String> {
    let others: Vec<&Pair> = (outcome.pairs.iter())
        .filter(|pair| pair.base != 0)
        .collect();
    let mut notes = sentences(&others, names);
    let base = visible(&names[0]);
    notes.push(match outcome.noise_ratio {
        Some(noise) => format!(
            "Noise floor: {base} against itself differs by {} in the same {}.",
            percent(noise),
            plural(outcome.rounds as u64, "round", "rounds"),
        ),
        None => format!("No noise floor: the budget ended before {base} ran against itself."),
    });
    if outcome.ending == Some(Ending::Budget) && !outcome.is_clear() {
        notes.push(format!(
            "The runs took {}: {} may tell.",
            quantity::measured(outcome.spent_ns).inline(),
            benchmark::asked_for(outcome.larger_budget_ns(), asked),
        ));
    }
    for (one, name) in outcome.contenders.iter().zip(names) {
        let doubts = (one.doubts.iter()).map(|doubt| benchmark::doubt(doubt, one.noun()));
        notes.extend(doubts.map(|doubt| format!("{}: {doubt}", visible(name))));
    }
    notes
}

#[cfg(test)]
#[path = "tests/contest.rs"]
mod tests;
