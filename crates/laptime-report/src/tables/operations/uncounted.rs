//! The operators that could not be counted, by reason, with calls and elements.

use laptime_core::operations::{Counts, Uncounted};

use super::cells::Cells;
use crate::document::column::Column;
use crate::document::names;
use crate::document::{Content, Row, Section, Table};
use crate::quantity;

/// Makes one section for each reason; none where everything is counted.
pub fn sections(counts: &Counts, exact: bool) -> Vec<Section> {
    let mut reasons: Vec<(&str, Vec<&Uncounted>)> = Vec::new();
    for row in &counts.uncounted {
        match reasons.iter_mut().find(|(reason, _)| *reason == row.reason) {
            Some((_, rows)) => rows.push(row),
            None => reasons.push((&row.reason, vec![row])),
        }
    }
    let section = |(at, (reason, rows)): (usize, &(&str, Vec<&Uncounted>))| Section {
        heading: (at == 0).then(|| "not counted".to_owned()),
        remark: Some(names::visible(reason)),
        content: Content::Table(table(rows, exact)),
    };
    reasons.iter().enumerate().map(section).collect()
}

fn table(rows: &[&Uncounted], exact: bool) -> Table {
    let mut cells = Cells::new(exact, None);
    let mut row = |row: &&Uncounted| {
        Row::new(
            row.name.clone(),
            vec![
                crate::document::Cell::Exact(row.calls.into()),
                cells.number(row.elements),
            ],
        )
    };
    let shown = rows.iter().map(&mut row).collect();
    let notes = rows.iter().filter_map(|row| {
        let each = row.each?;
        Some(format!(
            "one round of {}: {}, {} in all",
            names::visible(&row.name),
            quantity::with_unit(each.mac, "MAC"),
            quantity::with_unit(each.total_flop(), "FLOP"),
        ))
    });
    Table {
        lead: "operator".into(),
        columns: vec![Column::CALLS, Column::ELEMENTS],
        rows: shown,
        notes: notes.collect(),
        reasons: cells.reasons,
        ..Table::default()
    }
}
