//! A table's lines: heading, rows as a tree, and the notes that its cells point at.

use super::column_widths::{ColumnWidths, Width, pad_end, pad_start};
use super::renderer::Text;
use crate::document::absence_marks::AbsenceMarks;
use crate::document::column::Column;
use crate::document::names;
use crate::document::{Cell, Table};
use crate::text::paint::Style;
use crate::text::table_notes::TableNotes;

impl Text {
    fn widths(&self, table: &Table) -> ColumnWidths {
        ColumnWidths::new(table, self.is_asked, self.width, self.most, &self.glyphs)
    }

    /// Tells which columns of a table are shown.
    pub(super) fn shown_columns(&self, table: &Table) -> Vec<bool> {
        let columns = self.widths(table).columns;
        columns.iter().map(Option::is_some).collect()
    }

    /// Writes all lines of a table.
    pub(super) fn table(&self, table: &Table, said: &mut TableNotes) -> String {
        let widths = self.widths(table);
        let mut heading = pad_end(&table.lead, widths.name);
        for (column, width) in table.columns.iter().zip(&widths.columns) {
            if let Some(width) = width {
                heading += "  ";
                let number = pad_start(&table.heading(*column), width.total() - width.beside());
                heading += &pad_end(&number, width.total());
            }
        }
        let rule = self.glyphs.rule.repeat(widths.width());
        let mut out = self.paint.with(Style::Faint, heading.trim_end());
        out += "\n";
        out += &self.paint.with(Style::Faint, &rule);
        out += "\n";
        for at in 0..table.rows.len() {
            out += self.row(at, table, &widths, &said.marks).trim_end();
            out += "\n";
        }
        let is_shown = |at: usize| widths.columns[at].is_some();
        let mut notes = said.marks.notes(table, &self.glyphs, is_shown);
        let left_out = widths.left_out(table);
        if left_out
            .iter()
            .any(|column| !said.left_out.contains(column))
        {
            let names: Vec<String> = left_out.iter().map(Column::called).collect();
            notes.push(format!("left out to fit the width: {}", names.join(", ")));
            said.left_out.extend(left_out);
        }
        for note in notes {
            out += &self.wrapped("", &self.glyphs.plain(&note), Style::Faint);
        }
        out
    }

    fn row(&self, at: usize, table: &Table, widths: &ColumnWidths, marks: &AbsenceMarks) -> String {
        let (row, branch) = (&table.rows[at], &widths.branches[at]);
        let room = widths.name.saturating_sub(names::columns(branch)).max(1);
        let plain = |name: &str| self.glyphs.plain(&names::visible(name));
        let whole = plain(&row.whole_name());
        let shown = if names::columns(&whole) <= room {
            whole
        } else {
            names::fitted(&plain(&row.name), room, self.glyphs.ellipsis)
        };
        let gap = " ".repeat(room.saturating_sub(names::columns(&shown)));
        let style = match (row.is_leftover, row.depth) {
            (true, _) => Style::Leftover,
            (_, 0) => Style::Strong,
            _ => Style::Plain,
        };
        let mut out = self.paint.with(Style::Faint, branch);
        out += &self.paint.with(style, &shown);
        out += &gap;
        let hides_intensity = widths.left_out(table).contains(&Column::OTHER_FLOP)
            && matches!(
                row.cell(table, Column::FLOP),
                Some(Cell::Scaled(0) | Cell::Exact(0))
            );
        for ((cell, column), width) in row.cells.iter().zip(&table.columns).zip(&widths.columns) {
            let Some(width) = width else { continue };
            out += "  ";
            out += &match (cell, *column) {
                // Of FLOP that stand nowhere in the row, beside a 0.
                (_, Column::INTENSITY) if hides_intensity => {
                    self.cell(&Cell::Blank, *column, width)
                }
                (Cell::Absent(_), _) => {
                    let dash = marks.dash(table, cell, &self.glyphs);
                    let behind = names::columns(&dash) - 1;
                    let dash = pad_start(&dash, width.before_unit().max(1) + behind);
                    let dash = pad_end(&dash, width.total());
                    self.paint.with(Style::Faint, &dash)
                }
                _ => self.cell(cell, *column, width),
            };
        }
        out
    }

    fn cell(&self, cell: &Cell, column: Column, width: &Width) -> String {
        let number = self.glyphs.plain(&width.aligned(&cell.digits()));
        match *cell {
            Cell::Share(ratio) if width.bar > 0 => {
                let bar = self.glyphs.bar(ratio, width.bar);
                let gap = " ".repeat(width.bar.saturating_sub(names::columns(&bar)));
                format!("{number} {}{gap}", self.paint.with(Style::Bar, &bar))
            }
            // Of several at once there is no part to draw.
            Cell::Times(_) if width.bar > 0 => number + &" ".repeat(width.beside()),
            _ if column.is_strong => self.paint.with(Style::Strong, &number),
            _ => number,
        }
    }
}
