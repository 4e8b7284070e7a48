//! A document as markup, which a reader sees with JavaScript switched off too.

use std::fmt::Write;

use super::escape;
use super::flame_graph;
use crate::document::absence_marks::AbsenceMarks;
use crate::document::column::Column;
use crate::document::{Cell, Content, Document, Figure, Row, Section, Table};
use crate::roofline::svg;
use crate::sentences::findings;
use crate::text::glyphs::Glyphs;

/// Length of a notebook's longest bar, in characters.
const BAR: usize = 12;

/// Length of a page's longest bar, in CSS pixels.
const BAR_PIXELS: u32 = 64;

/// The place where the markup stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A page of ours, with one document or several.
    Page {
        /// Whether the page's heading is the document's.
        is_alone: bool,
    },
    /// A notebook, which has styles of its own: bars are made of characters.
    Notebook,
}

/// Renders a document as a piece of another page, such as a notebook: tables without styles, their bars made of
/// characters.
pub fn fragment(document: &Document) -> String {
    render(document, Place::Notebook)
}

/// Renders facts, tables and warnings of a document; its heading is written unless it is the page's.
pub fn render(document: &Document, place: Place) -> String {
    let mut out = "<section class=\"summary\" aria-label=\"Summary\">\n".to_owned();
    let title = escape::text(&document.title);
    let _ = match place {
        Place::Page { is_alone: true } => writeln!(out, "<h2>Summary</h2>"),
        Place::Page { is_alone: false } => writeln!(out, "<h2>{title}</h2>"),
        Place::Notebook => writeln!(out, "<h4>{title}</h4>"),
    };
    let facts = document.facts.join(" · ");
    let (first, second) = match &document.headline {
        Some(headline) if facts.is_empty() => (headline.clone(), document.measured.clone()),
        Some(headline) => (headline.clone(), format!("{facts} · {}", document.measured)),
        None => (facts, document.measured.clone()),
    };
    let _ = writeln!(
        out,
        "<p class=\"facts\">{}</p>\n<p class=\"measured\">{}</p>",
        escape::sentence(&first),
        escape::sentence(&second),
    );
    out += "<div class=\"parts\">\n";
    let mut marks = AbsenceMarks::of_sections(&document.sections);
    for section in &document.sections {
        out += "<div>\n";
        of_section(section, place, &mut marks, &mut out);
        out += "</div>\n";
    }
    out += "</div>\n";
    for warning in &document.warnings {
        let _ = write!(
            out,
            "<p class=\"warning\"><strong>Warning:</strong> {}",
            escape::sentence(&warning.message)
        );
        if let Some(hint) = &warning.hint {
            let _ = write!(out, "<br><em>Hint:</em> {}", escape::sentence(hint));
        }
        out += "</p>\n";
    }
    out + "</section>\n"
}

/// Renders sections that are no report of a run, as a piece of a notebook's page.
pub fn pieces(sections: &[Section]) -> String {
    let (mut marks, mut out) = (AbsenceMarks::of_sections(sections), String::new());
    for section in sections {
        of_section(section, Place::Notebook, &mut marks, &mut out);
    }
    out
}

fn of_section(section: &Section, place: Place, marks: &mut AbsenceMarks, out: &mut String) {
    if let Some(heading) = &section.heading {
        let _ = writeln!(out, "<h3>{}</h3>", escape::sentence(heading));
    }
    if let Some(remark) = &section.remark {
        let _ = writeln!(out, "<p class=\"remark\">{}</p>", escape::sentence(remark));
    }
    match &section.content {
        Content::Table(table) if !table.rows.is_empty() => of_table(table, place, marks, out),
        Content::Figures(figures) => of_figures(figures, out),
        Content::Lines(lines) => {
            let is_first = section.heading.as_deref() == Some(findings::HEADING);
            let class = if is_first { "findings" } else { "lines" };
            let _ = writeln!(out, "<ul class=\"{class}\">");
            for line in lines {
                let _ = writeln!(out, "<li>{}</li>", escape::sentence(line));
            }
            *out += "</ul>\n";
        }
        Content::Paragraphs(lines) => {
            for line in lines {
                let _ = writeln!(out, "<p>{}</p>", escape::sentence(line));
            }
        }
        Content::Code(lines) => {
            let _ = writeln!(out, "<pre>{}</pre>", escape::code(lines));
        }
        Content::Roofline(roofline) => {
            *out += &svg::render(roofline);
            of_table(&roofline.table(), place, marks, out);
        }
        // Its colours are the page's.
        Content::FlameGraph(flame) if place != Place::Notebook => {
            // Its bars keep their width: on a phone it scrolls by itself.
            let _ = writeln!(
                out,
                "<div class=\"flames\">{}</div>",
                flame_graph::render(flame)
            );
        }
        Content::FlameGraph(_) | Content::Table(_) | Content::Remark => {}
    }
}

fn of_table(table: &Table, place: Place, marks: &mut AbsenceMarks, out: &mut String) {
    let class = match place {
        _ if table.lead == "span" => " class=\"spans\"",
        // No script runs in a page of tables alone, so the headings that a phone shows stand in the markup.
        Place::Page { .. } if is_comparison(table) => " class=\"labelled compared\"",
        _ => "",
    };
    let _ = write!(out, "<div class=\"scroll\"><table{class}>\n<thead><tr>");
    let _ = write!(out, "<th scope=\"col\">{}</th>", table.lead);
    for column in &table.columns {
        // In a notebook the share has its bar in a cell of its own.
        let has_bar = place == Place::Notebook && *column == Column::SHARE;
        let width = if has_bar { " colspan=\"2\"" } else { "" };
        let _ = write!(
            out,
            "<th scope=\"col\"{width}>{}</th>",
            escape::text(&table.heading(*column))
        );
    }
    *out += "</tr></thead>\n<tbody>\n";
    let branches = match place {
        Place::Page { .. } => vec![String::new(); table.rows.len()],
        Place::Notebook => Glyphs::new(true).branches(&table.rows),
    };
    for (row, branch) in table.rows.iter().zip(&branches) {
        of_row((row, branch), table, place, marks, out);
    }
    *out += "</tbody>\n</table></div>\n";
    for note in marks.notes(table, &Glyphs::new(true), |_| true) {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape::sentence(&note));
    }
}

/// Tells whether a table compares two sides.
fn is_comparison(table: &Table) -> bool {
    table.columns.contains(&Column::BASE)
}

fn of_row(
    (row, branch): (&Row, &str),
    table: &Table,
    place: Place,
    marks: &AbsenceMarks,
    out: &mut String,
) {
    // Style attributes are forbidden by the page's policy; the depth is a class, as far as it goes.
    let depth = row.depth.min(12);
    let leftover = if row.is_leftover { " leftover" } else { "" };
    let branch = branch.replace(' ', "&nbsp;");
    let _ = write!(
        out,
        "<tr class=\"d{depth}{leftover}\"{}><th scope=\"row\"{}>{branch}{}</th>",
        match row.span.as_deref().and_then(escape::exact) {
            Some(name) if place != Place::Notebook => format!(" data-name=\"{name}\""),
            _ => String::new(),
        },
        match place {
            Place::Page { .. } => "",
            Place::Notebook => " style=\"text-align: left; white-space: nowrap\"",
        },
        escape::text(&row.whole_name())
    );
    let is_labelled = place != Place::Notebook && is_comparison(table);
    for (cell, column) in row.cells.iter().zip(&table.columns) {
        let label = if is_labelled {
            format!(" data-heading=\"{}\"", column.heading)
        } else {
            String::new()
        };
        match cell {
            Cell::Word(word) if is_labelled => {
                // `not comparable` is two classes.
                let _ = write!(out, "<td class=\"verdict {word}\">{word}</td>");
            }
            Cell::Blank => *out += "<td></td>",
            cell => {
                let number = marks.shown(table, cell);
                let number = match place {
                    Place::Page { .. } => escape::sentence(&number),
                    Place::Notebook => escape::sentence(&number).replace(' ', "&nbsp;"),
                };
                let _ = match cell {
                    Cell::Share(ratio) if place == Place::Notebook && *column == Column::SHARE => {
                        let bar = Glyphs::new(true).bar(*ratio, BAR);
                        write!(
                            out,
                            "<td>{number}</td><td style=\"text-align: left\">{bar}</td>"
                        )
                    }
                    Cell::Times(_) if place == Place::Notebook && *column == Column::SHARE => {
                        write!(out, "<td>{number}</td><td></td>")
                    }
                    Cell::Share(ratio) if *column == Column::SHARE => {
                        write!(out, "<td data-v=\"{ratio}\">{number}{}</td>", drawn(*ratio))
                    }
                    _ => match cell.number().filter(|_| place != Place::Notebook) {
                        Some(value) => {
                            write!(out, "<td{label} data-v=\"{value}\">{number}</td>")
                        }
                        None => write!(out, "<td{label}>{number}</td>"),
                    },
                };
            }
        }
    }
    *out += "</tr>\n";
}

/// Draws a bar for a share by attributes: the page's policy forbids styles in elements.
fn drawn(ratio: f64) -> String {
    let width = (ratio.clamp(0.0, 1.0) * f64::from(BAR_PIXELS)).round();
    format!(
        "<svg class=\"share\" width=\"{BAR_PIXELS}\" height=\"9\" aria-hidden=\"true\">\
         <rect width=\"{width}\" height=\"9\"/></svg>"
    )
}

fn of_figures(figures: &[Figure], out: &mut String) {
    let glyphs = Glyphs::new(true);
    *out += "<div class=\"scroll\"><table class=\"figures\"><tbody>\n";
    for figure in figures {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>",
            escape::text(&figure.label),
            // Characters of ours, or nothing for marks: no name to make visible.
            glyphs.curve(&figure.values, 20),
            escape::sentence(&figure.facts),
        );
    }
    *out += "</tbody></table></div>\n";
}
