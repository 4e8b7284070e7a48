//! The table of what stands beside the times: memory, operations, CPU time and metrics.

use laptime_analysis::compare::{Beside, Pair, Unit};
use laptime_core::Unavailable;

use crate::document::column::Column;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::Precision;

/// The section; none where nothing was recorded.
pub fn section(pair: &Pair) -> Option<Section> {
    if pair.beside.is_empty() {
        return None;
    }
    let rows = pair
        .beside
        .iter()
        .map(|beside| Row::new(beside.name.clone(), cells(beside)));
    Some(Section::headed(
        "beside the times",
        Content::Table(Table {
            lead: "number".into(),
            columns: vec![Column::BASE, Column::NEW, Column::CHANGE],
            rows: rows.collect(),
            reasons: vec![Unavailable(
                "not recorded by every run of this side".to_owned(),
            )],
            ..Table::default()
        }),
    ))
}

fn cells(beside: &Beside) -> Vec<Cell> {
    let number =
        |number: Option<f64>| number.map_or(Cell::Absent(0), |number| cell(beside.unit, number));
    let change = match (beside.base, beside.new) {
        (Some(base), Some(new)) if base != 0.0 => Cell::Change((new - base) / base.abs()),
        _ => Cell::Blank,
    };
    vec![number(beside.base), number(beside.new), change]
}

fn cell(unit: Unit, number: f64) -> Cell {
    match unit {
        Unit::Ns => Cell::Time(number.round().max(0.0) as u64, Precision::Estimate),
        Unit::Bytes => Cell::Bytes(number.round() as i64),
        Unit::Flop => Cell::Scaled(number.round().max(0.0) as u128),
        Unit::FlopPerS => Cell::Rate(number),
        Unit::Metric => Cell::Plain(number),
    }
}

/// A number with its unit, in a sentence.
pub fn shown(unit: Unit, number: f64) -> String {
    cell(unit, number).inline()
}
