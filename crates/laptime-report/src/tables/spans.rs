//! Rows of a summary as a table.

use laptime_analysis::summarize::device_steps;
use laptime_analysis::summary::fields::{self, Field, Number, Unit};
use laptime_analysis::{RowKind, SpanRow, Summary};
use laptime_core::Unavailable;

use crate::document::column::Column;
use crate::document::outline::{self, Line, Outline};
use crate::document::view::View;
use crate::document::{Cell, Row, Table};
use crate::quantity::{self, Precision};
use crate::sentences::leftovers;
use crate::tables::modules;

/// Makes a table of rows.
pub fn table(summary: &Summary, rows: &[SpanRow], view: &View) -> Table {
    let outline = outline::outline(rows, view);
    let mut reasons: Vec<Unavailable> = Vec::new();
    let columns: Vec<(Column, &Field)> = columns(rows, view);
    let made = outline.lines.iter().map(|line| {
        let row = line.row;
        let cells = columns.iter().map(|(column, field)| {
            match *column {
                Column::OF_PARENT => return of_parent(line),
                Column::DEVICE_SHARE => return of_device(line),
                _ => {}
            }
            match cell(row, *column, field) {
                Cell::Absent(_) => absent(summary, row, field, &mut reasons),
                cell => cell,
            }
        });
        shown(line, cells.collect(), summary.is_notebook())
    });
    let rows = made.collect();
    Table {
        lead: "span".into(),
        columns: columns.iter().map(|(column, _)| *column).collect(),
        rows,
        notes: notes(&outline),
        notes_of: partly(&outline)
            .into_iter()
            .chain(at_once(&outline))
            .collect(),
        reasons,
        ..Table::default()
    }
}

/// Returns the columns that were asked for, or the usual ones that any row has something in.
fn columns(rows: &[SpanRow], view: &View) -> Vec<(Column, &'static Field)> {
    let is_asked = !view.columns.is_empty();
    let wanted = if is_asked {
        view.columns.as_slice()
    } else {
        &Column::SPANS
    };
    let fields = wanted.iter().filter_map(|column| {
        let field = column.field.and_then(fields::find)?;
        Some((*column, field))
    });
    let is_nested = rows.iter().any(|row| row.depth() > 0);
    let is_on_device = rows.iter().any(|row| row.device.device_ns.is_some());
    let shown = fields.filter(|(column, field)| {
        let is_told = |row| !matches!(cell(row, *column, field), Cell::Absent(_));
        is_asked
            || match *column {
                // Of launching, which is no part of the work that a device did.
                Column::OF_PARENT => is_nested && !is_on_device,
                Column::DEVICE_SHARE => is_nested && is_on_device,
                column => !column.is_optional || rows.iter().any(is_told),
            }
    });
    shown.collect()
}

/// Makes an empty cell, and adds its reason to those of the table.
fn absent(summary: &Summary, row: &SpanRow, field: &Field, reasons: &mut Vec<Unavailable>) -> Cell {
    // Startup, other and exit are no spans: a number of spans has no place in their rows. What other keeps is
    // told of whole runs, and there it may say why it isn't; in the steady state nobody asked for it.
    let is_told = || field.name == fields::KEPT && row.why.contains_key(fields::KEPT);
    if row.kind == RowKind::Leftover && !is_told() {
        return Cell::Blank;
    }
    Cell::absent(summary.why(row, field.name), reasons)
}

/// Makes the cell of a row's share of the row around it.
fn of_parent(line: &Line<'_>) -> Cell {
    let around_ns = line.around.map(|around| around.total_ns);
    share(Some(line.row.total_ns), around_ns)
}

/// Makes the cell of a row's share of the device's time of the row around it, over as many spans as there are of
/// either.
fn of_device(line: &Line<'_>) -> Cell {
    let around_ns = line.around.and_then(device_steps::total_ns);
    share(device_steps::total_ns(line.row), around_ns)
}

fn share(part_ns: Option<u64>, of_ns: Option<u64>) -> Cell {
    match (part_ns, of_ns) {
        (Some(part_ns), Some(of_ns)) if of_ns > 0 => {
            Cell::part_of_time(part_ns as f64 / of_ns as f64)
        }
        _ => Cell::Blank,
    }
}

fn notes(outline: &Outline<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if outline.hidden > 0 {
        let some = quantity::thousands(outline.hidden as u64);
        notes.push(format!(
            "{some} paths below 0.1 % of the wall time are not shown; --filter '**' shows all"
        ));
    }
    if outline.beyond > 0 {
        let some = quantity::plural(outline.beyond as u64, "path comes", "paths come");
        notes.push(format!(
            "{some} after these and are not shown; a larger --top shows more"
        ));
    }
    notes
}

/// Explains a count such as `62 +1`.
fn partly(outline: &Outline<'_>) -> Option<(Column, String)> {
    let mut rows = outline.lines.iter().map(|line| line.row);
    let row = rows.find(|row| row.partial_count > 0)?;
    let (whole, parts) = (row.count.unwrap_or(0), row.partial_count);
    let (whole, parts) = (quantity::thousands(whole), quantity::thousands(parts));
    let said = format!(
        "{whole} +{parts}: {whole} finished, {parts} cut off (by an error, by an end of the program or of the time shown, \
         or by going on under another name): that time is in the total, not in the mean"
    );
    Some((Column::COUNT, said))
}

/// Explains a share such as `3.9 ×`.
fn at_once(outline: &Outline<'_>) -> Option<(Column, String)> {
    let ratios = outline.lines.iter().filter_map(|line| line.row.share_ratio);
    let most = ratios.fold(0.0, f64::max);
    let cell = Cell::part_of_time(most);
    matches!(cell, Cell::Times(_)).then(|| {
        let said = format!("{} the wall time: several ran at once", cell.inline());
        (Column::SHARE, said)
    })
}

fn shown(line: &Line<'_>, cells: Vec<Cell>, is_notebook: bool) -> Row {
    let leftover = leftovers::of_row(line.row, is_notebook);
    let name = leftover.map_or_else(|| modules::shown(line.row), str::to_owned);
    Row {
        span: (line.row.kind == RowKind::Span)
            .then(|| line.row.names.last().cloned())
            .flatten(),
        depth: line.depth,
        is_leftover: line.row.kind == RowKind::Leftover,
        ..Row::new(name, cells)
    }
}

fn cell(row: &SpanRow, column: Column, field: &Field) -> Cell {
    let number = match column {
        _ if row.why.contains_key(field.name) => None,
        Column::CPU => row
            .process_ns
            .or(row.thread_ns)
            .map(|ns| Number::Whole(ns.into())),
        _ => field.number_of(row),
    };
    let precision = match column {
        Column::MEDIAN | Column::P99 => Precision::Estimate,
        _ => Precision::Exact,
    };
    match number {
        None => Cell::Absent(usize::MAX),
        Some(Number::Word(word)) => Cell::from(word),
        Some(Number::Signed(bytes)) => Cell::Bytes(bytes),
        Some(Number::Real(ratio)) if column == Column::SHARE => Cell::part_of_time(ratio),
        Some(Number::Real(ratio)) if field.unit == Unit::Ratio => Cell::Share(ratio),
        Some(Number::Real(rate)) => Cell::Rate(rate),
        Some(Number::Whole(number)) => match field.unit {
            Unit::Spans => Cell::Count(number as u64, partial(row, column)),
            Unit::Ns => Cell::Time(number as u64, precision),
            Unit::Bytes => Cell::Bytes(number as i64),
            _ => Cell::Scaled(number),
        },
    }
}

/// Returns the spans that a count adds as cut off: those of the row's own count only.
fn partial(row: &SpanRow, column: Column) -> u64 {
    if column == Column::COUNT {
        row.partial_count
    } else {
        0
    }
}

#[cfg(test)]
#[path = "tests/spans.rs"]
mod tests;
