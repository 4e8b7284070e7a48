//! Marks of absent numbers and their reasons: a dash where there is one reason, numbered dashes where there are
//! several, and below each table the reasons that its cells point at.

use laptime_core::Unavailable;

use crate::document::{Cell, Content, Section, Table};
use crate::text::glyphs::Glyphs;

/// The reasons of a document, or of a table that stands alone.
#[derive(Debug, Default)]
pub struct AbsenceMarks {
    reasons: Vec<Unavailable>,
    said: Vec<bool>,
}

impl AbsenceMarks {
    /// Collects the reasons of all tables of some sections.
    pub fn of_sections(sections: &[Section]) -> Self {
        Self::of_shown(sections, |table| vec![true; table.columns.len()])
    }

    /// Collects the reasons of the columns that are shown, so that their numbers begin at 1.
    pub fn of_shown(sections: &[Section], shown: impl Fn(&Table) -> Vec<bool>) -> Self {
        let mut marks = Self::default();
        for section in sections {
            match &section.content {
                Content::Table(table) => marks.take(table, &shown(table)),
                Content::Roofline(roofline) => {
                    let table = roofline.table();
                    marks.take(&table, &shown(&table));
                }
                _ => {}
            }
        }
        marks
    }

    fn take(&mut self, table: &Table, is_shown: &[bool]) {
        let cells = table
            .rows
            .iter()
            .flat_map(|row| row.cells.iter().zip(is_shown));
        for (cell, _) in cells.filter(|(_, is_shown)| **is_shown) {
            if let Some(reason) = reason(table, cell)
                && !self.reasons.contains(reason)
            {
                self.reasons.push(reason.clone());
            }
        }
        self.said.resize(self.reasons.len(), false);
    }

    /// Returns a cell's text outside of a column, a dash where its number is absent.
    pub fn shown(&self, table: &Table, cell: &Cell) -> String {
        match cell {
            Cell::Absent(_) => self.dash(table, cell, &Glyphs::new(true)),
            cell => cell.inline(),
        }
    }

    /// Returns the dash that stands for a cell's absent number, with the reason's number where there are several.
    pub fn dash(&self, table: &Table, cell: &Cell, glyphs: &Glyphs) -> String {
        let known = reason(table, cell).and_then(|reason| self.number(reason));
        match known {
            Some(number) if self.reasons.len() > 1 => {
                format!("{}{}", glyphs.absent, glyphs.raised(number + 1))
            }
            _ => glyphs.absent.to_owned(),
        }
    }

    /// Returns the notes below a table: its own, and the reasons of its shown cells that no earlier table has given.
    pub fn notes(
        &mut self,
        table: &Table,
        glyphs: &Glyphs,
        is_shown: impl Fn(usize) -> bool,
    ) -> Vec<String> {
        let mut notes: Vec<String> = table.notes_where(&is_shown).cloned().collect();
        for row in &table.rows {
            let shown = row.cells.iter().enumerate().filter(|(at, _)| is_shown(*at));
            for (_, cell) in shown {
                let Some(number) = reason(table, cell).and_then(|found| self.number(found)) else {
                    continue;
                };
                if !std::mem::replace(&mut self.said[number], true) {
                    let dash = self.dash(table, cell, glyphs);
                    notes.push(format!("{dash} {}", self.reasons[number]));
                }
            }
        }
        notes
    }

    fn number(&self, reason: &Unavailable) -> Option<usize> {
        self.reasons.iter().position(|known| known == reason)
    }
}

/// Returns the reason for which a cell is empty, where its table has one.
fn reason<'t>(table: &'t Table, cell: &Cell) -> Option<&'t Unavailable> {
    match cell {
        Cell::Absent(number) => table.reasons.get(*number),
        _ => None,
    }
}
