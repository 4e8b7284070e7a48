//! The table of laps: both medians, the change with its interval, the time that it adds to a step, and the verdict.

use std::collections::BTreeMap;

use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{Average, Basis, ComparisonRow, Pair, Presence};
use laptime_core::Unavailable;

use crate::document::column::Column;
use crate::document::{Cell, Row, Table};
use crate::quantity::{Precision, plural};
use crate::sentences::nouns::one_of;
use crate::sentences::row_reason::sentence;

/// The most rows of a table that leaves none out.
const MOST_ROWS: usize = 30;
/// Part of a step from which on a difference is shown whatever its verdict.
const SHOWN_RATIO: f64 = 0.01;

/// The heading of names of benchmarks.
const NOUN_LEAD: &str = "benchmark";

const COLUMNS: [Column; 7] = [
    Column::BASE,
    Column::NEW,
    Column::CHANGE,
    Column::INTERVAL,
    Column::DIFFERENCE,
    Column::SELF_SHARE,
    Column::VERDICT,
];

/// Makes the table; with all rows where `is_whole`.
pub fn table(pair: &Pair, is_whole: bool) -> Table {
    let laps = sorted(&shown_rows(pair, is_whole));
    let hidden = pair.rows.len() - laps.len();
    let shown: Vec<&ComparisonRow> = pair.step_to_step.iter().chain(laps).collect();
    let has_share = is_clear(pair.whole.verdict) && shares_of(pair).is_some();
    let columns: Vec<Column> = COLUMNS
        .into_iter()
        .filter(|column| *column != Column::SELF_SHARE || has_share)
        .collect();
    let mut reasons: Vec<Unavailable> = Vec::new();
    let rows = shown.iter().map(|row| {
        let cells = columns.iter();
        let cells = cells.map(|column| cell(pair, row, *column, &mut reasons));
        Row {
            depth: row.depth(),
            ..Row::new(name_with_class(row), cells.collect())
        }
    });
    let rows = rows.collect();
    Table {
        lead: if pair.basis == Basis::Benchmark {
            NOUN_LEAD
        } else {
            "lap"
        }
        .into(),
        columns,
        rows,
        notes: notes(pair, hidden, has_share),
        reasons,
        ..Table::default()
    }
}

/// Returns a row's name, with the class of a network's module.
fn name_with_class(row: &ComparisonRow) -> String {
    let name = row.names.last().map_or("", String::as_str);
    match row.module_class.as_str() {
        "" => name.to_owned(),
        class if class == name => name.to_owned(),
        class => format!("{name} ({class})"),
    }
}

/// Sorts rows, with the largest differences first among those inside one row.
fn sorted<'r>(rows: &[&'r ComparisonRow]) -> Vec<&'r ComparisonRow> {
    let mut inside: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let around = row.names.split_last().map_or(&[][..], |(_, around)| around);
        inside.entry(around).or_default().push(at);
    }
    let size = |at: &usize| rows[*at].median_difference_ns.abs();
    for siblings in inside.values_mut() {
        siblings.sort_by(|one, other| size(other).total_cmp(&size(one)));
        siblings.reverse(); // the first is taken from the end
    }
    let mut order = Vec::with_capacity(rows.len());
    let mut waiting = inside.remove(&[][..]).unwrap_or_default();
    while let Some(at) = waiting.pop() {
        order.push(at);
        waiting.extend(inside.remove(&rows[at].names[..]).unwrap_or_default());
    }
    // Rows without the row around them keep their place at the end.
    let mut is_known = vec![false; rows.len()];
    for at in &order {
        is_known[*at] = true;
    }
    order.extend((0..rows.len()).filter(|at| !is_known[*at]));
    order.into_iter().map(|at| rows[at]).collect()
}

/// Lists the rows with a clear change, or all, with those around them.
fn shown_rows(pair: &Pair, is_whole: bool) -> Vec<&ComparisonRow> {
    let base = pair.whole.base.as_ref();
    let step_ns = base.map_or(0.0, |side| side.median_ns.unwrap_or(side.mean_ns));
    let named = pair.changed_lap.as_ref().map(|part| part.path.as_str());
    let is_all = is_whole || pair.rows.len() <= MOST_ROWS;
    let is_worth = |row: &ComparisonRow| {
        let is_large = row.median_difference_ns.abs() >= SHOWN_RATIO * step_ns;
        is_all
            || row.depth() <= pair.whole.depth() + 1
            || (is_large && has_change(row))
            || named == Some(row.path.as_str())
    };
    let mut shown: Vec<&ComparisonRow> = Vec::new();
    for (at, row) in pair.rows.iter().enumerate() {
        let mut inside = pair.rows[at + 1..].iter();
        let has_worth = inside
            .by_ref()
            .take_while(|inner| inner.names.starts_with(&row.names))
            .any(is_worth);
        if is_worth(row) || has_worth {
            shown.push(row);
        }
    }
    shown
}

/// Tells whether a row has a clear change.
fn has_change(row: &ComparisonRow) -> bool {
    row.presence != Presence::Both || is_clear(row.verdict)
}

fn is_clear(verdict: Option<Verdict>) -> bool {
    matches!(verdict, Some(Verdict::Faster | Verdict::Slower))
}

fn cell(pair: &Pair, row: &ComparisonRow, column: Column, reasons: &mut Vec<Unavailable>) -> Cell {
    let median = |side: Option<f64>| {
        side.map_or(Cell::Blank, |ns| {
            if pair.basis == Basis::Benchmark {
                return Cell::Measured(ns);
            }
            Cell::Time(ns.round() as u64, Precision::Estimate)
        })
    };
    match column {
        Column::BASE => median(row.base.as_ref().and_then(|side| side.median_ns)),
        Column::NEW => median(row.new.as_ref().and_then(|side| side.median_ns)),
        Column::CHANGE => row
            .ratio
            .map_or(Cell::Blank, |ratio| Cell::Change(ratio - 1.0)),
        Column::INTERVAL => match (row.ratio_low, row.ratio_high) {
            (Some(low), Some(high)) => Cell::Interval(low - 1.0, high - 1.0),
            _ if row.presence == Presence::Both => {
                Cell::absent(Some(&Unavailable(sentence(row))), reasons)
            }
            _ => Cell::Blank,
        },
        // A benchmark on one side only has no difference.
        Column::DIFFERENCE if pair.basis == Basis::Benchmark && row.presence != Presence::Both => {
            Cell::Blank
        }
        Column::DIFFERENCE => Cell::Difference(row.median_difference_ns),
        Column::SELF_SHARE if is_part(pair, row) => {
            let whole = &pair.whole;
            Cell::Share(if shares_of(pair) == Some(Average::Means) {
                row.own_difference_ns / whole.difference_ns
            } else {
                row.own_median_difference_ns / whole.median_difference_ns
            })
        }
        Column::VERDICT => match (row.presence, row.verdict) {
            (Presence::Added, _) => Cell::from("added"),
            (Presence::Removed, _) => Cell::from("removed"),
            (_, Some(verdict)) => Cell::from(verdict.name()),
            (_, None) => Cell::Blank,
        },
        _ => Cell::Blank,
    }
}

/// Returns the average whose shares of the difference add up.
fn shares_of(pair: &Pair) -> Option<Average> {
    pair.cause.as_ref()?.shares_of
}

/// Tells whether a row is the step's, or that of a lap inside of it.
fn is_part(pair: &Pair, row: &ComparisonRow) -> bool {
    pair.basis == Basis::Run || row.names.starts_with(&pair.whole.names)
}

fn notes(pair: &Pair, hidden: usize, has_share: bool) -> Vec<String> {
    let noun = &pair.noun;
    let (one, several) = if pair.basis == Basis::Benchmark {
        ("benchmark", "benchmarks")
    } else {
        ("lap", "laps")
    };
    let a_noun = one_of(noun);
    let is_of_run = pair.basis == Basis::Run;
    let mut notes = vec![if is_of_run {
        format!(
            "baseline and candidate are medians, difference is the mean time that {a_noun} takes longer"
        )
    } else {
        let beside = pair.rows.iter().any(|row| !is_part(pair, row));
        let beside = if beside && pair.basis == Basis::Step {
            "; of other laps, what one takes longer"
        } else {
            ""
        };
        format!(
            "baseline, candidate and difference are of medians: difference is what a typical {noun} takes longer{beside}"
        )
    }];
    if let Some(row) = &pair.step_to_step {
        notes.push(format!(
            "{} is from the start of one {noun} to the start of the next",
            row.path
        ));
    }
    if has_share {
        notes.push(if is_of_run {
            "self part is the share of that difference without what the laps inside take: all add up to 100 %"
                .to_owned()
        } else if shares_of(pair) == Some(Average::Means) {
            format!(
                "the medians of the laps inside do not add up to the {noun}'s, so self part is of means: the share of \
                 what {a_noun} takes longer on average, without what the laps inside take; all add up to 100 %"
            )
        } else {
            format!(
                "self part is the share of {a_noun}'s difference without what the laps inside take: in \
                 {a_noun} all add up to 100 %"
            )
        });
    }
    if hidden > 0 {
        let laps = plural(hidden as u64, one, several);
        notes.push(format!(
            "{laps} without a clear change not shown; --all shows them"
        ));
    }
    notes
}
