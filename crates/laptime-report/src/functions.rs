//! The functions that were sampled: below each lap those that took most of it, with their lines.

use laptime_analysis::{FunctionTime, Functions, LapFunctions, Pattern, RowKind, Summary};

use crate::column::Column;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, Precision};
use crate::view::View;

/// Functions shown of a lap, where nobody asks for more.
const FEW: usize = 6;
/// From this part of a lap on a function is shown.
const LEAST_RATIO: f64 = 0.01;
/// From this part of all time on a lap is shown.
const LEAST_LAP: f64 = 0.002;
/// From this part of the time on, what could not be read makes the rest doubtful.
const DOUBTFUL_RATIO: f64 = 0.05;
/// A lap must last so many times what a moment may be off by, for its samples to be its own.
const SURE_TIMES: u64 = 4;

/// The table; where nothing was sampled, how to.
pub fn section(summary: &Summary, view: &View) -> Section {
    let Some(functions) = &summary.functions else {
        let nothing = match summary.unavailable.get("functions") {
            Some(why) => format!("No stack was sampled: {why}."),
            None => "No stack was sampled. `laptime run --stacks` samples the functions that Python is in, \
                     `--calls` counts their calls."
                .to_owned(),
        };
        return Section {
            heading: None,
            remark: Some(nothing),
            content: Content::Remark,
        };
    };
    Section {
        heading: Some("functions".to_owned()),
        remark: Some(remark(summary, functions)),
        content: Content::Table(table(summary, functions, view)),
    }
}

fn remark(summary: &Summary, functions: &Functions) -> String {
    if functions.sample_count == 0 {
        return "no stack could be read; a thread that is thousands of calls deep has that effect on all threads"
            .to_owned();
    }
    let sampled = format!(
        "{} sampled {:.0} times per second: a share seen in 100 samples is ± {:.0} points, in 1,000 ± {:.0}",
        quantity::plural(functions.sample_count, "stack", "stacks"),
        1e9 / functions.period_ns.max(1) as f64,
        100.0 * Functions::uncertainty(0.5, 100),
        100.0 * Functions::uncertainty(0.5, 1_000),
    );
    let unread = (functions.unread_ratio > DOUBTFUL_RATIO).then(|| {
        format!(
            "{:.0} % of the time could not be read: functions that call many others in a short time are \
             missing most",
            100.0 * functions.unread_ratio,
        )
    });
    let said = [Some(sampled), unread, short_laps(summary, functions)];
    said.into_iter().flatten().collect::<Vec<_>>().join(". ")
}

/// That some laps are too short for the moments of samples, if so.
fn short_laps(summary: &Summary, functions: &Functions) -> Option<String> {
    let short_ns = functions.within_ns.saturating_mul(SURE_TIMES);
    let laps = functions
        .laps
        .iter()
        .filter(|lap| lap.kind == RowKind::Span);
    let mut rows = laps.filter_map(|lap| summary.row(&lap.path));
    let has_short = rows.any(|row| row.mean_ns.is_some_and(|mean_ns| mean_ns < short_ns));
    let time = |ns| quantity::duration(ns, Precision::Estimate).inline();
    has_short.then(|| {
        format!(
            "The moment of a sample is known to ± {}: laps shorter than {} share samples with their \
             neighbours",
            time(functions.within_ns),
            time(short_ns),
        )
    })
}

fn table(summary: &Summary, functions: &Functions, view: &View) -> Table {
    let pattern = view.filter.as_deref().map(Pattern::new);
    let all_ns: u64 = functions.laps.iter().map(|lap| lap.total_ns).sum();
    let laps = functions.laps.iter().filter(|lap| {
        let is_asked = pattern.as_ref().map(|pattern| pattern.matches(&lap.names));
        is_asked.unwrap_or(lap.total_ns as f64 >= LEAST_LAP * all_ns as f64)
    });
    let waits = functions.laps.iter().any(|lap| lap.waiting_ns > 0);
    let most = view.top.unwrap_or(FEW);
    let mut rows = Vec::new();
    for lap in laps {
        rows.push(of_lap(lap, summary.measured_ns, waits));
        let first = rows.len();
        let imports = lap.imports.iter();
        let imports = imports.filter(|import| is_shown(import.total_ns, lap));
        rows.extend(imports.take(most).map(|import| {
            let times = (None, Some(import.total_ns), 0);
            below(&format!("import {}", import.name), lap, times, None, waits)
        }));
        let shown = lap
            .functions
            .iter()
            .filter(|one| is_shown(one.self_ns, lap));
        rows.extend(shown.take(most).map(|one| {
            let times = (Some(one.self_ns), Some(one.total_ns), one.waiting_ns);
            below(&named(one), lap, times, Some(one.self_count), waits)
        }));
        if let Some(last) = rows[first..].last_mut() {
            last.lasts = vec![false, true];
        }
    }
    let mut columns = vec![Column::Samples, Column::OwnTime, Column::Total];
    if waits {
        columns.push(Column::Waiting);
    }
    columns.extend([Column::OfParent, Column::Share]);
    Table {
        lead: "lap, its functions",
        columns,
        rows,
        notes: vec![
            "own is time in the function itself and in what it calls that isn't Python; of parent is the \
             own time's share of the lap, and an import's"
                .to_owned(),
        ],
        reasons: Vec::new(),
    }
}

fn is_shown(ns: u64, lap: &LapFunctions) -> bool {
    ns > 0 && ns as f64 >= LEAST_RATIO * lap.total_ns as f64
}

/// A function's name, and where most of its own time goes.
fn named(function: &FunctionTime) -> String {
    let file = shortened(&function.file);
    match function.lines.first().filter(|line| line.line > 0) {
        Some(line) => format!("{} {file}:{}", function.name, line.line),
        None => format!("{} {file}", function.name),
    }
}

/// The end of a path that tells the file: from the package on, or its own name.
pub fn shortened(file: &str) -> &str {
    for marker in ["/site-packages/", "/dist-packages/"] {
        if let Some(at) = file.rfind(marker) {
            return &file[at + marker.len()..];
        }
    }
    if let Some((_, rest)) = file.split_once("/lib/python3") {
        return rest.split_once('/').map_or(rest, |(_, path)| path);
    }
    if file.starts_with('<') {
        return file;
    }
    file.rsplit('/').next().unwrap_or(file)
}

fn time(ns: u64) -> Cell {
    Cell::Time(ns, Precision::Estimate)
}

fn of_lap(lap: &LapFunctions, measured_ns: u64, waits: bool) -> Row {
    let mut cells = vec![
        Cell::Scaled(lap.sample_count.into()),
        Cell::Blank,
        time(lap.total_ns),
    ];
    if waits {
        cells.push(waiting(lap.waiting_ns));
    }
    let share = lap.total_ns as f64 / measured_ns.max(1) as f64;
    cells.extend([Cell::Blank, Cell::Share(share)]);
    lap_row(&lap.path, &lap.names, lap.kind, cells)
}

/// The row of a lap, above those of its functions.
pub fn lap_row(path: &str, names: &[String], kind: RowKind, cells: Vec<Cell>) -> Row {
    let is_span = kind == RowKind::Span;
    Row {
        name: path.to_owned(),
        lasts: vec![false],
        span: is_span.then(|| names.last().cloned()).flatten(),
        is_leftover: kind == RowKind::Leftover,
        cells,
    }
}

/// A row below a lap, with its own time, all of its time, and how much of it waited.
fn below(
    name: &str,
    lap: &LapFunctions,
    (own_ns, total_ns, waiting_ns): (Option<u64>, Option<u64>, u64),
    samples: Option<u64>,
    waits: bool,
) -> Row {
    let mut cells = vec![
        samples.map_or(Cell::Blank, |samples| Cell::Scaled(samples.into())),
        own_ns.map_or(Cell::Blank, time),
        total_ns.map_or(Cell::Blank, time),
    ];
    if waits {
        cells.push(waiting(waiting_ns));
    }
    let of_lap = own_ns.or(total_ns).unwrap_or(0) as f64 / lap.total_ns.max(1) as f64;
    cells.extend([Cell::Share(of_lap), Cell::Blank]);
    Row {
        name: name.to_owned(),
        lasts: vec![false, false],
        span: None,
        is_leftover: false,
        cells,
    }
}

fn waiting(ns: u64) -> Cell {
    if ns == 0 { Cell::Blank } else { time(ns) }
}
