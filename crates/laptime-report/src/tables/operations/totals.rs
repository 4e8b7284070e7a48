//! The first table: every quantity, a row each, by phase where several ran, to the last digit.

use laptime_core::operations::{Cost, CostTally, Counts, Phase};

use super::cells::Cells;
use crate::document::column::Column;
use crate::document::names;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, plural};

/// A quantity of a cost.
struct Quantity {
    name: &'static str,
    is_bytes: bool,
    /// Whether the row is left out where the quantity is 0.
    is_optional: bool,
    of: fn(&Cost) -> u128,
}

impl Quantity {
    const fn new(name: &'static str, of: fn(&Cost) -> u128) -> Self {
        Self {
            name,
            is_bytes: false,
            is_optional: false,
            of,
        }
    }

    const fn optional(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }

    const fn bytes(self) -> Self {
        Self {
            is_bytes: true,
            ..self
        }
    }
}

/// Heading of the FLOP that a mask leaves active, where it leaves less than all.
const ACTIVE: &str = "active FLOP";

/// All quantities, in the order of the table.
const QUANTITIES: [Quantity; 12] = [
    Quantity::new("MAC", |cost| cost.mac),
    Quantity::new("FLOP", Cost::flop),
    Quantity::new(ACTIVE, Cost::active_flop),
    Quantity::new("other FLOP", |cost| cost.other_flop),
    Quantity::new("total FLOP", Cost::total_flop),
    Quantity::new("executed FLOP", Cost::executed_flop),
    Quantity::new("transcendentals", |cost| cost.transcendental).optional(),
    Quantity::new("compares", |cost| cost.compare).optional(),
    Quantity::new("integer operations", |cost| cost.integer_op).optional(),
    Quantity::new("bytes read", |cost| cost.bytes_read).bytes(),
    Quantity::new("bytes written", |cost| cost.bytes_written).bytes(),
    Quantity::new("communication bytes", |cost| cost.communication_bytes)
        .bytes()
        .optional(),
];

/// Makes the section; a remark where nothing ran.
pub fn section(counts: &Counts, exact: bool) -> Section {
    let ran: Vec<Phase> = Phase::ALL
        .into_iter()
        .filter(|phase| counts.total.phase(*phase).calls() > 0)
        .collect();
    if ran.is_empty() {
        return Section::remark("no operation ran");
    }
    Content::Table(table(counts, &ran, exact)).into()
}

fn table(counts: &Counts, ran: &[Phase], exact: bool) -> Table {
    let all = counts.total.total();
    let mut tallies: Vec<(Column, CostTally)> = ran
        .iter()
        .map(|phase| (Column::phase(*phase), *counts.total.phase(*phase)))
        .collect();
    if ran.len() > 1 {
        tallies.push((Column::ALL_PHASES, all));
    }
    let mut columns: Vec<Column> = tallies.iter().map(|(column, _)| *column).collect();
    if !exact {
        columns.push(Column::EXACT);
    }
    let mut cells = Cells::new(exact, None);
    let mut rows = Vec::new();
    for quantity in &QUANTITIES {
        let whole = (quantity.of)(&all.cost);
        let is_told = match quantity.name {
            ACTIVE => all.cost.active_mac != all.cost.mac,
            _ => whole > 0 || !quantity.is_optional,
        };
        if !is_told {
            continue;
        }
        let mut row: Vec<Cell> = tallies
            .iter()
            .map(|(_, tally)| match (quantity.of)(&tally.cost) {
                bytes if quantity.is_bytes => cells.bytes(bytes),
                number => cells.number(number),
            })
            .collect();
        if !exact {
            row.push(if whole == u128::MAX {
                Cell::Blank
            } else {
                Cell::Exact(whole)
            });
        }
        rows.push(Row::new(quantity.name, row));
    }
    let mut intensity: Vec<Cell> = tallies
        .iter()
        .map(|(_, tally)| cells.intensity(&tally.cost))
        .collect();
    let mut operations: Vec<Cell> = tallies
        .iter()
        .map(|(_, tally)| cells.number(tally.calls().into()))
        .collect();
    if !exact {
        intensity.push(Cell::Blank);
        operations.push(Cell::Exact(all.calls().into()));
    }
    rows.push(Row::new("total FLOP per byte", intensity));
    rows.push(Row::new("operations", operations));
    Table {
        lead: "quantity".into(),
        columns,
        rows,
        notes: notes(counts, &all),
        reasons: cells.reasons,
        ..Table::default()
    }
}

fn notes(counts: &Counts, all: &CostTally) -> Vec<String> {
    let mut notes = Vec::new();
    if all.uncounted > 0 {
        let are = if all.uncounted == 1 { "is" } else { "are" };
        notes.push(format!(
            "{} of {} {are} not counted: every sum here is at least so much",
            quantity::thousands(all.uncounted),
            plural(all.calls(), "operation", "operations"),
        ));
    }
    if counts.by_dtype.len() > 1 {
        let types = counts.by_dtype.iter().map(|(dtype, mac)| {
            format!(
                "{} {}",
                names::visible(dtype),
                quantity::with_unit(*mac, "MAC")
            )
        });
        let types: Vec<String> = types.collect();
        notes.push(format!("executed, by type: {}", types.join(", ")));
    }
    notes
}
