//! The table of operators: the cost of all calls of each together.

use laptime_core::operations::Counts;

use super::cells::{Cells, Work, is_nothing, sort_rows};
use super::view::{OperationsSort, OperationsView};
use crate::document::column::Column;
use crate::document::{Content, Row, Section, Table};
use crate::quantity;

const COLUMNS: [Column; 8] = [
    Column::CALLS,
    Column::MAC,
    Column::FLOP,
    Column::OTHER_FLOP,
    Column::BYTES,
    Column::INTENSITY,
    Column::COVERAGE,
    Column::SHARE,
];

/// Makes the section.
pub fn section(counts: &Counts, view: &OperationsView) -> Section {
    let work = Work::most_telling(&counts.total.total().cost);
    let mut shown: Vec<_> = counts
        .by_op
        .iter()
        .map(|operator| (operator.name.as_str(), operator.tallies.total()))
        .collect();
    let all = shown.len();
    shown.retain(|(_, tally)| !is_nothing(tally));
    let hidden = all - shown.len();
    let order = view.sort.unwrap_or(OperationsSort::Model);
    sort_rows(&mut shown, order, |(_, tally)| *tally, |(name, _)| *name);
    let columns: Vec<Column> = COLUMNS
        .into_iter()
        .filter(|column| match *column {
            Column::COVERAGE => shown.iter().any(|(_, tally)| tally.uncounted > 0),
            Column::SHARE => work.is_some(),
            _ => true,
        })
        .collect();
    let mut cells = Cells::new(view.exact, work);
    let rows = shown
        .iter()
        .map(|(name, tally)| {
            Row::new(
                (*name).to_owned(),
                columns
                    .iter()
                    .map(|column| cells.tally(tally, *column))
                    .collect(),
            )
        })
        .collect();
    let mut notes: Vec<String> = work
        .map(|work| format!("share is of all {}", work.noun()))
        .into_iter()
        .collect();
    if hidden > 0 {
        let are = if hidden == 1 {
            "operator that neither computes nor moves"
        } else {
            "operators that neither compute nor move"
        };
        let some = quantity::thousands(hidden as u64);
        notes.push(format!(
            "{some} {are} bytes (views) not shown; JSON and CSV have all"
        ));
    }
    Section::headed(
        "by operator",
        Content::Table(Table {
            lead: "operator".into(),
            columns,
            rows,
            notes,
            reasons: cells.reasons,
            ..Table::default()
        }),
    )
}
