//! The span tree with times and shares, a line a path, without statistics.

use crate::document::column::Column;
use crate::document::names;
use crate::document::view::View;
use crate::document::{Cell, Content, Document, Row, Table};
use crate::text::glyphs::Glyphs;
use crate::text::paint::{Paint, Style};
use crate::text::renderer;

/// Longest name shown whole, in columns.
const MOST_NAME: usize = 60;
/// Columns shown beside a name, in this order.
const SHOWN: [Column; 5] = [
    Column::TOTAL,
    Column::DEVICE,
    Column::SHARE,
    Column::COUNT,
    Column::MEAN,
];

/// Renders a document.
pub fn render(document: &Document, view: &View) -> String {
    let (glyphs, paint) = (Glyphs::new(view.utf8), Paint::new(view.color));
    let mut out = renderer::header(document, view);
    for section in &document.sections {
        let Content::Table(table) = &section.content else {
            continue;
        };
        out += "\n";
        if let Some(heading) = &section.heading {
            out += &paint.with(Style::Strong, &glyphs.plain(heading));
            out += "\n";
        }
        for (row, branch) in table.rows.iter().zip(glyphs.branches(&table.rows)) {
            out += &paint.with(Style::Faint, &branch);
            out += &line(row, table, &glyphs, paint);
        }
    }
    out + &renderer::warnings(document, view)
}

fn line(row: &Row, table: &Table, glyphs: &Glyphs, paint: Paint) -> String {
    let shown = glyphs.plain(&names::visible(&row.whole_name()));
    let shown = names::fitted(&shown, MOST_NAME, glyphs.ellipsis);
    let style = if row.is_leftover {
        Style::Leftover
    } else {
        Style::Strong
    };
    let mut out = paint.with(style, &shown);
    for column in SHOWN {
        let index = table.columns.iter().position(|known| *known == column);
        let cell = index.map_or(&Cell::Blank, |index| &row.cells[index]);
        let number = glyphs.plain(&cell.inline());
        if number.is_empty() {
            continue;
        }
        let before = match column {
            Column::COUNT if glyphs.is_utf8() => "  ×",
            Column::COUNT => "  x",
            Column::MEAN => "  mean ",
            Column::DEVICE => "  device ",
            _ => "  ",
        };
        out.extend([before, &number]);
    }
    out + "\n"
}
