//! The table of functions: self and total time on both sides, the difference with its interval, and what is sure of it.

use laptime_analysis::compare::{
    Basis, ChangeDoubt, ChangedPart, FunctionChanges, FunctionRow, Pair,
};

use crate::document::column::Column;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, plural};
use crate::sentences::{calls, function_changes};

/// Most rows of a table that leaves some out.
const MOST_ROWS: usize = 8;
/// Part of all time below which a function that did not change is left out.
const LEAST_RATIO: f64 = 0.02;

const COLUMNS: [Column; 4] = [
    Column::FUNCTION_SELF,
    Column::FUNCTION_DIFFERENCE,
    Column::FUNCTION_TOTAL,
    Column::VERDICT,
];

/// Makes the section, with all functions where `is_whole`; none of a step in which no function changed.
pub fn section(pair: &Pair, is_whole: bool) -> Option<Section> {
    let functions = pair.functions.as_ref()?;
    let is_worth = pair.basis == Basis::Run || functions.changed().next().is_some();
    if !is_worth && !is_whole {
        return None;
    }
    let heading = match &functions.within {
        Some(lap) => format!("functions of {lap}"),
        None => "functions".to_owned(),
    };
    Some(Section::headed(
        &heading,
        Content::Table(table(pair, functions, is_whole)),
    ))
}

/// Tells whether the table of laps has nothing to say beside that of functions.
pub fn stands_alone(pair: &Pair) -> bool {
    pair.functions.is_some() && pair.basis == Basis::Run && !pair.has_laps
}

fn table(pair: &Pair, functions: &FunctionChanges, is_whole: bool) -> Table {
    // A function without time of its own on either side says nothing but what those that it calls say.
    let has_own =
        |row: &&FunctionRow| row.changed.is_some() || row.self_ns().into_iter().any(|ns| ns > 0.0);
    let worth: Vec<&FunctionRow> = functions.rows.iter().filter(has_own).collect();
    let is_large = |row: &&FunctionRow| {
        let largest = row.total_ns().into_iter().fold(0.0, f64::max);
        is_whole || row.changed.is_some() || largest >= LEAST_RATIO * functions.base_ns
    };
    let (first, others): (Vec<&FunctionRow>, Vec<&FunctionRow>) = (worth.iter().copied())
        .filter(is_large)
        .partition(|row| row.changed.is_some());
    let shown = first.into_iter().chain(others);
    let most = if is_whole { usize::MAX } else { MOST_ROWS };
    let rows: Vec<Row> = shown.take(most).map(row).collect();
    let hidden = worth.len() - rows.len();
    Table {
        lead: "function".into(),
        columns: COLUMNS.to_vec(),
        rows,
        notes: notes(pair, functions, hidden),
        ..Table::default()
    }
}

fn row(row: &FunctionRow) -> Row {
    let cells = vec![
        both(row, row.self_ns()),
        difference(row.own.difference_ns, row.own.within_ns),
        both(row, row.total_ns()),
        verdict(row),
    ];
    let name = calls::kind(&row.call, function_changes::line(row));
    Row::new(name, cells)
}

/// Makes a cell of the times of both sides, in the unit of the longer one. Of a side without samples only a bound is known.
fn both(row: &FunctionRow, [before, now]: [f64; 2]) -> Cell {
    let below = row.unsampled_below_ns.map(quantity::upper_bound);
    match (&row.base, &row.new, below) {
        (None, _, Some(below)) => {
            return format!("< {below} → {}", quantity::measured(now).inline()).into();
        }
        (_, None, Some(below)) => {
            return format!("{} → < {below}", quantity::measured(before).inline()).into();
        }
        _ => {}
    }
    let longest = before.max(now);
    let unit = quantity::measured(longest).unit;
    let like = |ns: f64| quantity::measured_like(ns, longest);
    format!("{} → {} {unit}", like(before), like(now)).into()
}

fn difference(ns: f64, within_ns: f64) -> Cell {
    let longest = ns.abs().max(within_ns);
    let unit = quantity::measured(longest).unit;
    let like = |ns: f64| quantity::measured_like(ns.abs(), longest);
    let sign = if ns < 0.0 { '-' } else { '+' };
    format!("{sign}{} ± {} {unit}", like(ns), like(within_ns)).into()
}

/// Makes a cell of what is sure of a function; of its total time, that is said, as the interval is of self.
fn verdict(row: &FunctionRow) -> Cell {
    let Some(change) = row.sure_change() else {
        return doubt(row).into();
    };
    let way = if change.difference_ns > 0.0 {
        "slower"
    } else {
        "faster"
    };
    match row.changed {
        Some(ChangedPart::Total) => format!("{way} in total").into(),
        _ => way.into(),
    }
}

fn doubt(row: &FunctionRow) -> &'static str {
    match row.doubt {
        Some(ChangeDoubt::Small) => "small",
        Some(ChangeDoubt::Alike) => "like the rest",
        None => "unclear",
    }
}

fn notes(pair: &Pair, functions: &FunctionChanges, hidden: usize) -> Vec<String> {
    let (base, new) = (functions.base_sample_count, functions.new_sample_count);
    let unit = match pair.basis {
        Basis::Step => format!("times are per {}, warm-up included; ", pair.noun),
        _ => String::new(),
    };
    let mut notes = vec![format!(
        "{unit}self is with what a function calls of packages, total with all that it calls"
    )];
    notes.push(format!(
        "± is the {} interval of self's difference, as several functions are looked at; from {} against {}",
        quantity::confidence(functions.confidence),
        quantity::thousands(base),
        plural(new, "sample", "samples")
    ));
    let open = functions.rows.iter().filter(|row| row.changed.is_none());
    let open: Vec<&FunctionRow> = open.collect();
    for (one, note) in [
        (None, "unclear: chance may explain the difference"),
        (
            Some(ChangeDoubt::Small),
            "small: less than counts as a change, or of too few samples",
        ),
        (
            Some(ChangeDoubt::Alike),
            "like the rest: the rest of the program changed as well, as on a busy machine",
        ),
    ] {
        if open.iter().any(|row| row.doubt == one) {
            notes.push(note.to_owned());
        }
    }
    if hidden > 0 {
        let functions = plural(hidden as u64, "function", "functions");
        notes.push(format!("{functions} not shown; --all shows them"));
    }
    notes
}
