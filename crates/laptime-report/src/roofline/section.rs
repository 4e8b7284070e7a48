//! The roofline as a part of a report: its sentence, and the numbers of its picture.

use super::content::{Roofline, mark};
use crate::document::column::Column;
use crate::document::names;
use crate::document::{Cell, Content, Row, Section, Table};
use crate::quantity::{self, si};

impl Roofline {
    /// Makes the roofline's section of a report.
    pub fn section(&self) -> Section {
        Section::headed("roofline", Content::Roofline(self.clone())).remarked(self.remark())
    }

    fn remark(&self) -> String {
        let roof = &self.roof;
        format!(
            "{} ({}) and {} ({}): below {} FLOP/byte memory is the limit, above it arithmetic",
            si(roof.flop_per_s, "FLOP/s"),
            names::visible(&roof.flop_label),
            si(roof.bytes_per_s, "B/s"),
            names::visible(&roof.bytes_label),
            quantity::rate(roof.ridge_flop_per_byte()).inline(),
        )
    }

    /// Makes the table of the picture's numbers, by the marks of its points.
    pub fn table(&self) -> Table {
        let mut columns = vec![
            Column::INTENSITY,
            Column::BOUND,
            Column::ATTAINABLE,
            Column::ACHIEVED,
            Column::LEAST_TIME,
        ];
        let is_timed = self
            .points
            .iter()
            .any(|point| point.achieved_flop_per_s.is_some());
        if !is_timed {
            columns.retain(|column| *column != Column::ACHIEVED);
        }
        let rows = self.points.iter().enumerate().map(|(index, point)| {
            let cell = |column: &Column| match *column {
                Column::INTENSITY => Cell::Rate(point.intensity()),
                Column::BOUND => {
                    let bound = point.bound(&self.roof);
                    bound.map_or(Cell::from("above"), |bound| Cell::from(bound.name()))
                }
                Column::ATTAINABLE => {
                    Cell::Rate(self.roof.attainable_flop_per_s(point.intensity()))
                }
                Column::ACHIEVED => point.achieved_flop_per_s.map_or(Cell::Blank, Cell::Rate),
                _ if point.is_above(&self.roof) => Cell::Blank,
                _ => {
                    let ns = point.least_s(&self.roof) * 1e9;
                    Cell::Time(ns.round() as u64, quantity::Precision::Estimate)
                }
            };
            Row::new(
                format!("{} {}", mark(index), point.name),
                columns.iter().map(cell).collect(),
            )
        });
        Table {
            lead: "point".into(),
            rows: rows.collect(),
            columns,
            notes: self.notes.clone(),
            ..Table::default()
        }
    }
}
