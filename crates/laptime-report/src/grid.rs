//! An answer in words, a table of short cells below it, and notes: as text, markdown and HTML.
//!
//! For what is no report of a run: contests of functions, latencies of a model. Names in it are text,
//! whatever they hold.

use crate::html::sentence as escaped;
use crate::markdown::escaped as escaped_markdown;
use crate::name;

/// What is shown.
pub struct Grid {
    /// The answer, in one or several lines.
    pub answer: String,
    /// The heading, then a row for each thing; the first cell is its name, the others are numbers.
    pub rows: Vec<Vec<String>>,
    /// Sentences below.
    pub notes: Vec<String>,
}

impl Grid {
    /// As a terminal shows it.
    pub fn text(&self) -> String {
        let columns = self.rows[0].len();
        let rows = || self.rows.iter();
        let width = |column: usize| rows().map(|row| name::columns(&row[column])).max();
        let widths: Vec<usize> = (0..columns)
            .map(|column| width(column).unwrap_or(0))
            .collect();
        let mut lines = vec![self.answer.clone(), String::new()];
        for (at, row) in rows().enumerate() {
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
        if !self.notes.is_empty() {
            lines.push(String::new());
            lines.extend(self.notes.iter().cloned());
        }
        lines.join("\n").trim_start_matches('\n').to_owned()
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
        lines.push(line(&self.rows[0]));
        lines.push(format!("|---|{}", "--:|".repeat(self.rows[0].len() - 1)));
        lines.extend(self.rows[1..].iter().map(|row| line(row)));
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
        let body: String = self.rows[1..]
            .iter()
            .map(|cells| row(cells, "td"))
            .collect();
        let paragraphs = |lines: &mut dyn Iterator<Item = &str>| -> String {
            let said: Vec<String> = lines.map(escaped).collect();
            if said.is_empty() {
                return String::new();
            }
            format!("<p>{}</p>", said.join("</p><p>"))
        };
        format!(
            "{}<table><thead>{}</thead><tbody>{body}</tbody></table>{}",
            paragraphs(&mut self.answer.lines()),
            row(&self.rows[0], "th"),
            paragraphs(&mut self.notes.iter().map(String::as_str)),
        )
    }
}
