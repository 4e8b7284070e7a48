//! The table of numbers beside the times: memory, operations, CPU time and metrics.

use laptime_analysis::compare::{OtherNumber, Pair, Unit};
use laptime_core::Unavailable;

use crate::document::column::Column;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::Precision;
use crate::sentences::other_numbers::name;

/// Makes the section; none where nothing was recorded.
pub fn section(pair: &Pair) -> Option<Section> {
    if pair.other_numbers.is_empty() {
        return None;
    }
    let rows = pair
        .other_numbers
        .iter()
        .map(|number| Row::new(name(&number.kind, &pair.noun), cells(number)));
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

fn cells(both: &OtherNumber) -> Vec<Cell> {
    let unit = both.kind.unit();
    let number = |number: Option<f64>| number.map_or(Cell::Absent(0), |number| cell(unit, number));
    let change = match (both.base, both.new) {
        (Some(base), Some(new)) if base != 0.0 => Cell::Change((new - base) / base.abs()),
        _ => Cell::Blank,
    };
    vec![number(both.base), number(both.new), change]
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

/// Writes a number with its unit, in a sentence.
pub fn inline(unit: Unit, number: f64) -> String {
    cell(unit, number).inline()
}
