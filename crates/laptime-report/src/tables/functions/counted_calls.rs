//! The functions whose calls were counted: below each lap those that took most of its time.

use laptime_analysis::{ExactFunction, ExactFunctions, ExactInLap, ExactLap, Pattern, Summary};
use laptime_core::Total;

use crate::document::column::Column;
use crate::document::view::View;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, Precision};
use crate::tables::functions::callers;
use crate::tables::functions::function_rows::{self, Weight, counted_name, lap_name, lap_row};
use crate::tables::functions::sampled_functions::cut_off;

/// Number of functions shown of a lap, where nobody asks for more.
const FEW: usize = 10;
/// Share of a lap from which on a function is shown.
const LEAST_RATIO: f64 = 0.005;
/// Share of a lap from which on a function's callers are shown.
const CALLER_RATIO: f64 = 0.2;
/// Share of all time from which on a lap is shown.
const LEAST_LAP: f64 = 0.002;

/// Note that counted calls took longer.
pub const LONGER: &str =
    "Times include the counting, which makes short functions look longer than they are";

/// Makes the section of counted functions.
pub fn section(summary: &Summary, exact: &ExactFunctions, view: &View) -> Section {
    let laps = asked(exact, view);
    if let Some(pattern) = view.filter.as_deref().filter(|_| laps.is_empty()) {
        return function_rows::no_lap(pattern);
    }
    let mut remark = format!(
        "{} counted, {} of them primitive: not below another call of the same function. {LONGER}",
        quantity::plural(exact.call_count, "call", "calls"),
        quantity::thousands(exact.primitive_count),
    );
    if let Some(cut_off) = cut_off(summary) {
        remark = format!("{remark}. {cut_off}");
    }
    Section::headed(
        "functions, exact",
        Content::Table(table(exact, &laps, view.top.unwrap_or(FEW), view)),
    )
    .remarked(remark)
}

/// Returns the laps that are shown.
fn asked<'e>(exact: &'e ExactFunctions, view: &View) -> Vec<&'e ExactLap> {
    let pattern = view.filter.as_deref().map(Pattern::new);
    let all_ns = all_ns(exact);
    let laps = exact.laps.iter().filter(|lap| {
        let is_asked = pattern.as_ref().map(|pattern| pattern.matches(&lap.names));
        is_asked.unwrap_or(lap.self_ns as f64 >= LEAST_LAP * all_ns as f64)
    });
    laps.collect()
}

fn all_ns(exact: &ExactFunctions) -> u64 {
    exact.laps.iter().map(|lap| lap.self_ns).total()
}

/// Makes the table of some laps, each with at most so many functions.
pub fn table(exact: &ExactFunctions, laps: &[&ExactLap], most: usize, view: &View) -> Table {
    let mut rows = Vec::new();
    for lap in laps {
        rows.push(of_lap(lap, exact));
        let shown = (
            most,
            function_rows::least_ns(view, LEAST_RATIO, lap.self_ns),
        );
        let shown = function_rows::shown(
            &lap.functions,
            |one| weight(exact, one),
            view.function_sort,
            shown,
        );
        let others = others(lap, &shown);
        let below = shown.into_iter().filter_map(|one| {
            let function = exact.functions.get(one.function)?;
            let mut rows = vec![of_function(function, one, lap)];
            if one.self_ns as f64 >= CALLER_RATIO * lap.self_ns as f64 {
                let cells = rows[0].cells.len();
                let said = callers::of_counted(exact, one);
                rows.extend(said.map(|said| function_rows::text_row(said, cells)));
            }
            Some(rows)
        });
        rows.extend(below.chain(others).flatten());
    }
    Table {
        lead: "lap, functions called in it".into(),
        columns: vec![
            Column::FUNCTION_CALLS,
            Column::CODE_SELF_TIME,
            Column::TOTAL,
            Column::PER_CALL,
            Column::OF_PARENT,
            Column::SHARE,
        ],
        rows,
        notes: vec![
            "self is time in the function itself, total also in what it called; share is the lap's of all"
                .to_owned(),
        ],
        notes_of: vec![
            (
                Column::PER_CALL,
                "per call is the total of a primitive call".to_owned(),
            ),
            (
                Column::OF_PARENT,
                "of parent is the self time's share of the lap's".to_owned(),
            ),
        ],
        ..Table::default()
    }
}

fn weight<'e>(exact: &'e ExactFunctions, one: &'e ExactInLap) -> Weight<'e> {
    let function = exact.functions.get(one.function);
    Weight {
        self_ns: one.self_ns,
        total_ns: one.total_ns,
        count: one.call_count,
        name: function.map_or("", |function| &function.name),
    }
}

fn time(ns: u64) -> Cell {
    Cell::Time(ns, Precision::Exact)
}

fn of_lap(lap: &ExactLap, exact: &ExactFunctions) -> Row {
    let cells = vec![
        Cell::Count(lap.call_count, 0),
        time(lap.self_ns),
        Cell::Blank,
        Cell::Blank,
        Cell::Blank,
        Cell::Share(lap.self_ns as f64 / all_ns(exact).max(1) as f64),
    ];
    let name = lap_name(&lap.path, lap.kind, exact.has_lap(&lap.path));
    lap_row(name, &lap.names, lap.kind, cells)
}

fn of_function(function: &ExactFunction, one: &ExactInLap, lap: &ExactLap) -> Row {
    // A function that was only called by itself here has its time where it was called first.
    let is_inner = one.primitive_count == 0;
    let per_call = time(one.total_ns / one.primitive_count.max(1));
    let cells = vec![
        Cell::Count(one.call_count, 0),
        time(one.self_ns),
        if is_inner {
            Cell::Blank
        } else {
            time(one.total_ns)
        },
        if is_inner { Cell::Blank } else { per_call },
        Cell::Share(one.self_ns as f64 / lap.self_ns.max(1) as f64),
        Cell::Blank,
    ];
    function_rows::below_lap(counted_name(function), cells)
}

/// Makes a row for all functions of a lap that are not shown.
fn others(lap: &ExactLap, shown: &[&ExactInLap]) -> Option<Vec<Row>> {
    let count = lap.functions.len() - shown.len();
    let rest = |all: u64, of: fn(&ExactInLap) -> u64| {
        all.saturating_sub(shown.iter().map(|one| of(one)).total())
    };
    let self_ns = rest(lap.self_ns, |one| one.self_ns);
    let cells = vec![
        Cell::Count(rest(lap.call_count, |one| one.call_count), 0),
        time(self_ns),
        Cell::Blank,
        Cell::Blank,
        Cell::Share(self_ns as f64 / lap.self_ns.max(1) as f64),
        Cell::Blank,
    ];
    let name = quantity::plural(count as u64, "other function", "other functions");
    (count > 0).then(|| vec![function_rows::below_lap(name, cells)])
}
