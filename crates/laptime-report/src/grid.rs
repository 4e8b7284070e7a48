//! An answer in words, tables of short cells below it, and notes: as text, markdown and HTML.
//!
//! For what is no report of a run: contests of functions, latencies of a model. Names in it are text,
//! whatever they hold.

use crate::html::sentence as escaped;
use crate::markdown::escaped as escaped_markdown;
use crate::name;
use crate::wrap::wrapped;

/// The heading, then a row for each thing; the first cell is its name, the others are numbers.
pub type Rows = Vec<Vec<String>>;

/// Columns of a terminal of unknown width, as in a report.
const DEFAULT_WIDTH: usize = 100;
/// Heading of a column that is the interval of the number before it.
const INTERVAL: &str = "95 %";

/// A table, and what it is without where it is too wide.
pub struct Table {
    /// What it shows.
    pub rows: Rows,
    /// Columns in the order in which they give way: headings, an interval as `95 % of median`.
    pub give_way: &'static [&'static str],
}

/// What is shown.
pub struct Grid {
    /// The answer, in one or several lines.
    pub answer: String,
    /// What is found of each thing.
    pub tables: Vec<Table>,
    /// Sentences below.
    pub notes: Vec<String>,
}

impl Grid {
    /// As a terminal of so many columns shows it; `None` where nobody says how many.
    pub fn text(&self, width: Option<usize>) -> String {
        let mut parts = vec![wrapped(&self.answer, width)];
        let mut left_out: Vec<&str> = Vec::new();
        for table in &self.tables {
            let (rows, without) = table.fitted(width.unwrap_or(DEFAULT_WIDTH));
            parts.push(aligned(&rows));
            left_out.extend(without);
        }
        let mut notes = self.notes.clone();
        if !left_out.is_empty() {
            let note = format!("Left out to fit the width: {}.", left_out.join(", "));
            notes.insert(0, note);
        }
        if !notes.is_empty() {
            parts.push(wrapped(&notes.join("\n"), width));
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
        for (at, table) in self.tables.iter().enumerate() {
            let rows = &table.rows;
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
        let table = |table: &Table| {
            let rows = &table.rows;
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

impl Table {
    /// The rows without the columns that are too much, and what those are called.
    fn fitted(&self, width: usize) -> (Rows, Vec<&'static str>) {
        let mut rows = self.rows.clone();
        let mut left_out = Vec::new();
        // By the whole heading: an interval is called after its neighbour, which may go before it does.
        let mut names = names(&rows[0]);
        for one in self.give_way {
            if total(&widths(&rows)) <= width {
                break;
            }
            if let Some(at) = names.iter().position(|name| name == one) {
                for row in &mut rows {
                    row.remove(at);
                }
                names.remove(at);
                left_out.push(*one);
            }
        }
        (rows, left_out)
    }
}

/// What the columns are called.
fn names(heading: &[String]) -> Vec<String> {
    let before = std::iter::once("").chain(heading.iter().map(String::as_str));
    let both = heading.iter().zip(before);
    let name = |(own, before): (&String, &str)| match own.as_str() {
        INTERVAL => format!("{INTERVAL} of {before}"),
        own => own.to_owned(),
    };
    both.map(name).collect()
}

/// How wide each column is.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let width = |column: usize| rows.iter().map(|row| name::columns(&row[column])).max();
    (0..rows[0].len())
        .map(|column| width(column).unwrap_or(0))
        .collect()
}

/// All of a line.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * (widths.len() - 1)
}

/// Rows whose columns stand below each other.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let widths = widths(rows);
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
            lines.push("─".repeat(total(&widths)));
        }
    }
    lines.join("\n")
}
