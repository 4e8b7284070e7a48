//! The functions that were sampled: below each lap those that took most of its time, with their lines.

use laptime_core::Total;

use std::cmp::Reverse;

use laptime_analysis::{
    FunctionTime, Functions, LapFunctions, Pattern, ProcessState, ProcessSummary, RowKind, Summary,
};

use crate::document::column::Column;
use crate::document::view::View;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, Precision};
use crate::sentences::calls;
use crate::tables::functions::callers;
use crate::tables::functions::function_rows::{self, Weight, lap_name, lap_row, named};

/// Number of functions shown of a lap, where nobody asks for more.
const FEW: usize = 6;
/// Share of a lap from which on a function is shown.
const LEAST_RATIO: f64 = 0.01;
/// Share of a lap from which on a function's callers are shown.
const CALLER_RATIO: f64 = 0.2;
/// Share of all time from which on a lap is shown.
const LEAST_LAP: f64 = 0.002;
/// Share of the time from which on samples that could not be read make the rest doubtful.
const DOUBTFUL_RATIO: f64 = 0.05;
/// Time between two looks above which they are rare.
const RARE_NS: u64 = 200_000_000;
/// Number of times that a lap must outlast the error of a sample's moment, for its samples to belong to it.
const SURE_TIMES: u64 = 4;

/// Makes the table or, where nothing was sampled, says how to sample.
pub fn section(summary: &Summary, view: &View) -> Section {
    let Some(functions) = &summary.functions else {
        let nothing = match summary.unavailable.get("functions") {
            Some(why) => format!("No stack was sampled: {why}."),
            None => "No stack was sampled. `laptime run` samples the functions that Python is in, unless \
                     --no-stacks or LAPTIME_STACKS=0 says not to; `--calls` counts their calls."
                .to_owned(),
        };
        return Section::remark(nothing);
    };
    let laps = asked(summary, functions, view);
    if let Some(pattern) = view.filter.as_deref().filter(|_| laps.is_empty()) {
        return function_rows::no_lap(pattern);
    }
    let most = view.top.unwrap_or(FEW);
    Section::headed(
        "functions",
        Content::Table(table(summary, functions, &laps, most, view)),
    )
    .remarked(remark(summary, functions))
}

fn remark(summary: &Summary, functions: &Functions) -> String {
    if functions.sample_count == 0 {
        return "no stack could be read".to_owned();
    }
    let sampled = format!(
        "{} sampled {:.0} times per second: a share seen in 100 samples is ± {:.0} points, in 1,000 ± {:.0}",
        quantity::plural(functions.sample_count, "stack", "stacks"),
        1e9 / functions.period_ns.max(1) as f64,
        100.0 * Functions::uncertainty(0.5, 100),
        100.0 * Functions::uncertainty(0.5, 1_000),
    );
    let said = [
        Some(sampled),
        unread(functions),
        short_laps(summary, functions),
        rare(functions),
        cut_off(summary),
    ];
    said.into_iter().flatten().collect::<Vec<_>>().join(". ")
}

/// Says how sure a share is where looks were rare: the table's sentence of 100 and 1,000 samples says little then.
pub fn rare(functions: &Functions) -> Option<String> {
    let samples = functions.sample_count;
    (functions.period_ns > RARE_NS && samples > 0).then(|| {
        format!(
            "Looks were rare, as each cost or wrote much, or many processes shared the processors: a share of all {} \
             is ± {:.0} points",
            quantity::plural(samples, "sample", "samples"),
            100.0 * Functions::uncertainty(0.5, samples),
        )
    })
}

/// Says which share of the samples could not be read, if it is large.
pub fn unread(functions: &Functions) -> Option<String> {
    (functions.unread_ratio > DOUBTFUL_RATIO).then(|| {
        format!(
            "No stack could be read in {:.0} % of the time: shares are of the rest, and functions that call many \
             others in a short time are missing most",
            100.0 * functions.unread_ratio,
        )
    })
}

/// Says that workers ended before they could write the last of their samples, if so: a pool that is left by `with`
/// terminates its own.
pub fn cut_off(summary: &Summary) -> Option<String> {
    let processes = || summary.processes.iter();
    let is_worker = |one: &&ProcessSummary| processes().any(|other| other.pid == one.parent_pid);
    let killed = processes().filter(|one| one.state == ProcessState::Killed);
    let killed = killed.filter(is_worker);
    let (workers, they, their) = match killed.count() {
        0 => return None,
        1 => ("1 worker process was".to_owned(), "it", "its"),
        count => (format!("{count} worker processes were"), "they", "their"),
    };
    Some(format!(
        "{workers} terminated or called os._exit: what {they} did after {their} last write, up to 1 s, is \
         missing"
    ))
}

/// Says that some laps are too short for the moments of samples, if so.
fn short_laps(summary: &Summary, functions: &Functions) -> Option<String> {
    let short_ns = functions.within_ns.saturating_mul(SURE_TIMES);
    let laps = functions
        .laps
        .iter()
        .filter(|lap| lap.kind == RowKind::Span);
    let mut rows = laps.filter_map(|lap| summary.row(&lap.path));
    let has_short = rows.any(|row| row.mean_ns.is_some_and(|mean_ns| mean_ns < short_ns));
    has_short.then(|| {
        format!(
            "The moment of a sample is known to ± {}: laps shorter than {} share samples with their \
             neighbours",
            quantity::estimate(functions.within_ns),
            quantity::estimate(short_ns),
        )
    })
}

/// Returns the laps that are shown, the longest first, those beside the run last.
fn asked<'f>(summary: &Summary, functions: &'f Functions, view: &View) -> Vec<&'f LapFunctions> {
    let pattern = view.filter.as_deref().map(Pattern::new);
    let all_ns: u64 = functions.laps.iter().map(|lap| lap.total_ns).total();
    let laps = functions.laps.iter().filter(|lap| {
        let is_asked = pattern.as_ref().map(|pattern| pattern.matches(&lap.names));
        is_asked.unwrap_or(whole_ns(summary, lap) as f64 >= LEAST_LAP * all_ns as f64)
    });
    let mut laps: Vec<&LapFunctions> = laps.collect();
    laps.sort_by_key(|lap| (lap.is_beside(), Reverse(whole_ns(summary, lap))));
    laps
}

/// Returns the duration of a lap: startup and exit are longer than what was sampled of them, and known.
fn whole_ns(summary: &Summary, lap: &LapFunctions) -> u64 {
    let is_left = |kind: RowKind| kind == RowKind::Leftover;
    let mut rows = summary.rows.iter();
    let known = rows.find(|row| is_left(row.kind) && is_left(lap.kind) && row.path == lap.path);
    known.map_or(0, |row| row.total_ns).max(lap.total_ns)
}

/// Makes the rows of some laps, each with at most so many functions.
pub fn table(
    summary: &Summary,
    functions: &Functions,
    laps: &[&LapFunctions],
    most: usize,
    view: &View,
) -> Table {
    let waits = laps.iter().any(|lap| lap.waiting_ns > 0);
    let mut columns = vec![Column::SAMPLES, Column::CODE_SELF_TIME, Column::TOTAL];
    if waits {
        columns.push(Column::WAITING);
    }
    columns.extend([Column::OF_PARENT, Column::SHARE]);
    let mut rows = Vec::new();
    let mut has_rest = false;
    for lap in laps {
        let whole_ns = whole_ns(summary, lap);
        let is_taken = functions.has_lap(&lap.path);
        rows.push(of_lap(lap, is_taken, whole_ns, summary.measured_ns, waits));
        let below = below(lap, (whole_ns, most), waits, view);
        let rest_ns = whole_ns - lap.total_ns;
        let is_rest = rest_ns as f64 >= LEAST_RATIO * whole_ns as f64 && rest_ns > 0;
        has_rest |= is_rest;
        let rest = is_rest.then(|| {
            let times = (None, Some(rest_ns), 0);
            vec![row("not sampled", whole_ns, times, None, waits)]
        });
        rows.extend(below.into_iter().chain(rest).flatten());
    }
    Table {
        lead: "lap, its functions".into(),
        columns,
        rows,
        notes: notes(summary, laps, has_rest),
        notes_of: vec![(
            Column::OF_PARENT,
            "of parent is the self time's share of the lap".to_owned(),
        )],
        ..Table::default()
    }
}

fn notes(summary: &Summary, laps: &[&LapFunctions], has_rest: bool) -> Vec<String> {
    let mut notes = vec![
        "self is time in the function itself and in what it calls that isn't Python, total also in the \
         functions that it calls"
            .to_owned(),
    ];
    if laps.iter().any(|lap| !lap.imports.is_empty()) {
        notes.push(
            "an import's time is all that it runs; self times of functions are beside it"
                .to_owned(),
        );
    }
    if has_rest {
        notes.push(
            "not sampled: the start and the end of the interpreter itself, and what could not be read"
                .to_owned(),
        );
    }
    notes.extend(shares_beside(summary, laps));
    notes
}

/// Says what shares are of where threads or processes ran beside the laps.
pub fn shares_beside(summary: &Summary, laps: &[&LapFunctions]) -> Option<String> {
    let time = quantity::estimate(summary.measured_ns);
    let whose = if summary.measured_ns == summary.wall_ns {
        format!("the run's {time}")
    } else {
        format!("the {time} of the measured processes")
    };
    let has_beside = laps.iter().any(|lap| lap.is_parallel());
    has_beside.then(|| {
        format!(
            "share is of {whose}; other threads and processes ran beside it, so theirs can be several times that (×)"
        )
    })
}

/// Makes the rows below a lap: its imports, and its functions with their callers.
fn below(
    lap: &LapFunctions,
    (whole_ns, most): (u64, usize),
    waits: bool,
    view: &View,
) -> Vec<Vec<Row>> {
    let is_shown = |ns: u64| ns > 0 && ns as f64 >= LEAST_RATIO * lap.total_ns as f64;
    let imports = imports(lap).into_iter();
    let imports = imports.filter(|(_, ns, _)| is_shown(*ns));
    let imports = imports.take(most).map(|(name, ns, count)| {
        let times = (Some(ns), Some(ns), 0);
        let count = Some(count).filter(|count| *count > 0);
        vec![row(&name, whole_ns, times, count, waits)]
    });
    // Beside the run ten threads may wait for one that works.
    let (whole, of) = if lap.is_beside() {
        (lap.running_ns(), running as fn(&FunctionTime) -> Weight<'_>)
    } else {
        (lap.total_ns, weight as fn(&FunctionTime) -> Weight<'_>)
    };
    let shown = (most, function_rows::least_ns(view, LEAST_RATIO, whole));
    let shown = function_rows::shown(&lap.functions, of, view.function_sort, shown);
    let shown = shown.into_iter().map(|one| {
        let self_ns = one.beside_imports_ns();
        let times = (
            Some(self_ns),
            Some(one.total_ns),
            one.waiting_ns.min(self_ns),
        );
        let count = Some(one.beside_imports_count());
        let mut rows = vec![row(&named(one), whole_ns, times, count, waits)];
        if self_ns as f64 >= CALLER_RATIO * lap.total_ns as f64 {
            let cells = rows[0].cells.len();
            rows.extend(
                callers::of_sampled(lap, one).map(|said| function_rows::text_row(said, cells)),
            );
        }
        rows
    });
    imports.chain(shown).collect()
}

/// Returns the imports of a lap with their times and samples, the longest first: one that is made in several lines is
/// told by each of these, and whoever else imports it there counts to the line.
fn imports(lap: &LapFunctions) -> Vec<(String, u64, u64)> {
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    for import in &lap.imports {
        let mut same = lap.imports.iter().filter(|one| one.name == import.name);
        let name = format!("import {}", import.name);
        let name = if same.any(|one| one.place != import.place) {
            calls::named_at(&name, import.place.as_ref())
        } else {
            name
        };
        match found.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, ns, count)) => {
                *ns = ns.saturating_add(import.total_ns);
                *count += import.sample_count;
            }
            None => found.push((name, import.total_ns, import.sample_count)),
        }
    }
    found.sort_by_key(|(_, ns, _)| Reverse(*ns));
    found
}

/// Weighs a function by the time in which it ran.
fn running(one: &FunctionTime) -> Weight<'_> {
    Weight {
        self_ns: one.beside_imports_ns().saturating_sub(one.waiting_ns),
        ..weight(one)
    }
}

fn weight(one: &FunctionTime) -> Weight<'_> {
    Weight {
        self_ns: one.beside_imports_ns(),
        total_ns: one.total_ns,
        count: one.beside_imports_count(),
        name: &one.name,
    }
}

fn time(ns: u64) -> Cell {
    Cell::Time(ns, Precision::Estimate)
}

fn of_lap(lap: &LapFunctions, is_taken: bool, whole_ns: u64, measured_ns: u64, waits: bool) -> Row {
    let mut cells = vec![
        Cell::Scaled(lap.sample_count.into()),
        Cell::Blank,
        time(whole_ns),
    ];
    if waits {
        cells.push(waiting(lap.waiting_ns));
    }
    let share = whole_ns as f64 / measured_ns.max(1) as f64;
    cells.extend([Cell::Blank, Cell::part(share)]);
    lap_row(
        lap_name(&lap.path, lap.kind, is_taken),
        &lap.names,
        lap.kind,
        cells,
    )
}

/// Makes a row below a lap, with its self time, its total time, and the part of it that waited.
fn row(
    name: &str,
    lap_ns: u64,
    (self_ns, total_ns, waiting_ns): (Option<u64>, Option<u64>, u64),
    samples: Option<u64>,
    waits: bool,
) -> Row {
    let mut cells = vec![
        samples.map_or(Cell::Blank, |samples| Cell::Scaled(samples.into())),
        self_ns.map_or(Cell::Blank, time),
        total_ns.map_or(Cell::Blank, time),
    ];
    if waits {
        cells.push(waiting(waiting_ns));
    }
    let of_lap = self_ns.or(total_ns).unwrap_or(0) as f64 / lap_ns.max(1) as f64;
    cells.extend([Cell::part(of_lap), Cell::Blank]);
    function_rows::below_lap(name.to_owned(), cells)
}

fn waiting(ns: u64) -> Cell {
    if ns == 0 { Cell::Blank } else { time(ns) }
}
