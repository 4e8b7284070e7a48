//! Rows of a summary as a table.

use laptime_analysis::fields::{self, Field, Number, Unit};
use laptime_analysis::{RowKind, SpanRow, Summary};
use laptime_core::Unavailable;

use crate::column::Column;
use crate::document::{Cell, Row, Table};
use crate::outline::{self, Line, Outline};
use crate::quantity::{self, Precision};
use crate::view::View;

/// Rows as a table.
pub fn table(summary: &Summary, rows: &[SpanRow], view: &View) -> Table {
    let outline = outline::outline(rows, view);
    let mut reasons: Vec<Unavailable> = Vec::new();
    let columns: Vec<(Column, &Field)> = Column::SPANS
        .into_iter()
        .filter_map(|column| {
            column
                .field()
                .and_then(fields::named)
                .map(|field| (column, field))
        })
        .filter(|(column, field)| {
            let is_told = |row| cell(row, *column, field) != Cell::Absent;
            !column.is_optional() || rows.iter().any(is_told)
        })
        .collect();
    let made = outline.lines.iter().map(|line| {
        let row = line.row;
        let cells = columns.iter().map(|(column, field)| {
            let cell = cell(row, *column, field);
            if cell == Cell::Absent
                && let Some(why) = summary.why(row, field.name)
                && !reasons.contains(why)
            {
                reasons.push(why.clone());
            }
            cell
        });
        shown(line, cells.collect())
    });
    let rows = made.collect();
    Table {
        lead: "span",
        columns: columns.iter().map(|(column, _)| *column).collect(),
        rows,
        notes: notes(&outline),
        reasons,
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
    if outline.lines.iter().any(|line| line.row.partial_count > 0) {
        notes.push(
            "n +1: n finished and 1 was cut off, still open at the end or begun before; its time is \
             in total and self, not in mean and percentiles"
                .to_owned(),
        );
    }
    notes
}

fn shown(line: &Line<'_>, cells: Vec<Cell>) -> Row {
    Row {
        name: line.row.names.last().cloned().unwrap_or_default(),
        lasts: line.lasts.clone(),
        is_leftover: line.row.kind == RowKind::Leftover,
        cells,
    }
}

fn cell(row: &SpanRow, column: Column, field: &Field) -> Cell {
    let number = match column {
        _ if row.why.contains_key(field.name) => None,
        Column::Cpu => row
            .process_ns
            .or(row.thread_ns)
            .map(|ns| Number::Whole(ns.into())),
        _ => field.of(row),
    };
    let precision = match column {
        Column::Median | Column::P99 => Precision::Estimate,
        _ => Precision::Exact,
    };
    match number {
        None => Cell::Absent,
        Some(Number::Word(word)) => Cell::Word(word),
        Some(Number::Signed(bytes)) => Cell::Bytes(bytes),
        Some(Number::Real(ratio)) if field.unit == Unit::Ratio => Cell::Share(ratio),
        Some(Number::Real(rate)) => Cell::Rate(rate),
        Some(Number::Whole(number)) => match field.unit {
            Unit::Spans => Cell::Count(number as u64, row.partial_count),
            Unit::Ns => Cell::Time(number as u64, precision),
            Unit::Bytes => Cell::Bytes(number as i64),
            _ => Cell::Scaled(number),
        },
    }
}
