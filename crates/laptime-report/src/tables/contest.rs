//! What a contest found, in words and as a table: from an [`Outcome`] to text, markdown and HTML.
//!
//! The first line is the answer: `compiled is 12 % faster than eager (between 10 and 14 %).` A part of
//! time saved is what is meant: 12 % faster takes 88 % of the time. Names are text, whatever they hold.

use laptime_analysis::benchmark::contest::{Ending, Outcome, Pair};
use laptime_analysis::benchmark::verdict::Judged;

use crate::Shown;
use crate::document::column::Column;
use crate::document::names;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, plural};
use crate::sentences::benchmark;
use crate::{html, markdown, text};

pub use crate::sentences::contest::{against, said};
use crate::sentences::contest::{number, percent, said_of_all};
pub use crate::text::wrap::{fitted_names, wrapped};

/// The answer: a sentence for each contender against the base, or one for all of which the same is said.
pub fn headline(outcome: &Outcome, names: &[String]) -> String {
    let against_base = outcome.pairs.iter().filter(|pair| pair.base == 0);
    let against_base: Vec<&Pair> = against_base.collect();
    said_of_all(&against_base, names).join("\n")
}

/// All of it, as a terminal of so many columns shows it; `None` where nobody says how many. `asked` is how a
/// budget is asked for, such as `--budget {}`.
pub fn text(outcome: &Outcome, names: &[String], asked: &str, width: Option<usize>) -> Shown {
    let sections = sections(outcome, &fitted_names(names, width), asked);
    Shown::lines(&text::sections(&sections, width))
}

/// All of it, for a pull request; `asked` as in [`text`].
pub fn markdown(outcome: &Outcome, names: &[String], asked: &str) -> String {
    markdown::sections(&sections(outcome, names, asked))
}

/// All of it, as a piece of a notebook's page; `asked` as in [`text`].
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

pub(crate) fn shown(given: &str) -> String {
    names::visible(given)
}

/// A row for each contender.
fn table(outcome: &Outcome, names: &[String]) -> Table {
    let rows = outcome.contenders.iter().enumerate().map(|(at, one)| {
        let against = outcome
            .pairs
            .iter()
            .find(|pair| (pair.base, pair.new) == (0, at));
        let judged = against.map(|pair| &pair.judged);
        let [median, interval] = benchmark::median_cells(one.median_ns, &one.interval_ns);
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
            benchmark::MEDIAN,
            Column::interval_of(benchmark::MEDIAN).gives_way(0),
            Column::AGAINST,
            Column::VERDICT,
        ],
        rows: rows.collect(),
        base: names[0].clone(),
        ..Table::default()
    }
}

/// `−12 % (−14 to −10 %)`.
fn change(judged: &Judged) -> String {
    let signed = |ratio: f64| {
        let sign = if ratio < 1.0 { "−" } else { "+" };
        format!("{sign}{}", number((ratio - 1.0).abs()))
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

/// What else is to be known: pairs without the base, the noise floor, the doubts.
fn notes(outcome: &Outcome, names: &[String], asked: &str) -> Vec<String> {
    let others: Vec<&Pair> = (outcome.pairs.iter())
        .filter(|pair| pair.base != 0)
        .collect();
    let mut notes = said_of_all(&others, names);
    let base = shown(&names[0]);
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
    if outcome.pairs.iter().any(|pair| differs(outcome, pair)) {
        notes.push(
            "The last columns compare runs side by side, which leaves out what the machine did meanwhile; the \
             medians are of all runs."
                .to_owned(),
        );
    }
    for (one, name) in outcome.contenders.iter().zip(names) {
        let doubts = (one.doubts.iter()).map(|doubt| benchmark::doubt(doubt, one.noun()));
        notes.extend(doubts.map(|doubt| format!("{}: {doubt}", shown(name))));
    }
    notes
}

/// Whether the medians in the table tell another ratio than the runs side by side.
fn differs(outcome: &Outcome, pair: &Pair) -> bool {
    let median_ns = |at: usize| outcome.contenders[at].median_ns;
    let of_medians = median_ns(pair.new) / median_ns(pair.base);
    pair.base == 0 && (of_medians / pair.judged.ratio - 1.0).abs() > pair.judged.threshold_ratio
}

#[cfg(test)]
#[path = "tests/contest.rs"]
mod tests;
