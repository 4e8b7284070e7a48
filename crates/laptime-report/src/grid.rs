//! An answer in words, tables of short cells below it, and notes: as text, markdown and HTML.
//!
//! For what is no report of a run: contests of functions, latencies of a model. Names in it are text,
//! whatever they hold.

use crate::html::sentence as escaped;
use crate::markdown::escaped as escaped_markdown;
use crate::name;

/// The heading, then a row for each thing; the first cell is its name, the others are numbers.
pub type Rows = Vec<Vec<String>>;

/// What is shown.
pub struct Grid {
    /// The answer, in one or several lines.
    pub answer: String,
    /// What is found of each thing.
    pub tables: Vec<Rows>,
    /// Sentences below.
    pub notes: Vec<String>,
}

impl Grid {
    /// As a terminal shows it.
    pub fn text(&self) -> String {
        let mut parts = vec![self.answer.clone()];
        parts.extend(self.tables.iter().map(|rows| aligned(rows)));
        if !self.notes.is_empty() {
            parts.push(self.notes.join("\n"));
        }
        parts.join("\n\n").trim_start_matches('\n').to_owned()
    }

    /// For a pull request.
    pub fn markdown(&self) -> String {
        let line = |row: &[String]| {
            let cells: Vec<String> = row.iter().map(|cell| escaped_markdown(cell)).collect();
            format!("| {} |", cells.join(" | "))
        };
        let answer = self.answer.lines();
        let mut lines: Vec<String> = answer
            .map(|said| format!("{}\n", escaped_markdown(said)))
            .collect();
        for (at, rows) in self.tables.iter().enumerate() {
            lines.extend((at > 0).then(String::new));
            lines.push(line(&rows[0]));
            lines.push(format!("|---|{}", "--:|".repeat(rows[0].len() - 1)));
            lines.extend(rows[1..].iter().map(|row| line(row)));
        }
        let notes = self.notes.iter();
        lines.extend(notes.map(|note| format!("\n{}", escaped_markdown(note))));
        lines.join("\n") + "\n"
    }

    /// As a piece of a notebook's page.
    pub fn fragment(&self) -> String {
        let row = |cells: &[String], tag: &str| {
            let cells = cells
                .iter()
                .map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)));
            format!("<tr>{}</tr>", cells.collect::<Vec<_>>().concat())
        };
        let table = |rows: &Rows| {
            let body: String = rows[1..].iter().map(|cells| row(cells, "td")).collect();
            let head = row(&rows[0], "th");
            format!("<table><thead>{head}</thead><tbody>{body}</tbody></table>")
        };
        let paragraphs = |lines: &mut dyn Iterator<Item = &str>| -> String {
            let said: Vec<String> = lines.map(escaped).collect();
            if said.is_empty() {
                return String::new();
            }
            format!("<p>{}</p>", said.join("</p><p>"))
        };
        format!(
            "{}{}{}",
            paragraphs(&mut self.answer.lines()),
            self.tables.iter().map(table).collect::<String>(),
            paragraphs(&mut self.notes.iter().map(String::as_str)),
        )
    }
}

/// Rows whose columns stand below each other.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows[0].len();
    let width = |column: usize| rows.iter().map(|row| name::columns(&row[column])).max();
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                let room = " ".repeat(width - name::columns(cell));
                if column == 0 {
                    format!("{cell}{room}")
                } else {
                    format!("{room}{cell}")
                }
            });
        lines.push(cells.collect::<Vec<_>>().join("  ").trim_end().to_owned());
        if at == 0 {
            lines.push("─".repeat(widths.iter().sum::<usize>() + 2 * (columns - 1)));
        }
    }
    lines.join("\n")
}
