//! Rows as comma-separated values (RFC 4180): plain numbers in the units of their names.
//!
//! The columns are the analysis' table of fields; `docs/summary.schema.json` says what they hold.
//! An absent number is an empty field. The first column tells the whole run from its
//! steady state; where rows are those of single processes, columns before it tell whose they are.

use laptime_analysis::summary::fields::{self, Field, Number};
use laptime_analysis::{SpanRow, Steady, Summary, UntilSummary};

use crate::document::filter;
use crate::document::view::View;
pub use laptime_core::csv_field as quoted;

/// Names of the columns before all others, where rows are those of single processes.
const PROCESS: &str = "process,rank,";

/// A table of the summary: its section, its rows, and the text before each of its lines.
struct Part<'s> {
    process: String,
    section: &'static str,
    rows: &'s [SpanRow],
}

/// Returns the tables: those of the run or, with the process and its rank before their lines, those of each process.
fn parts(summary: &Summary) -> Vec<Part<'_>> {
    if summary.by_process.is_empty() {
        return both("", &summary.rows, summary.steady.as_ref()).collect();
    }
    let each = summary.by_process.iter().flat_map(|one| {
        let rank = quoted(one.rank.as_deref().unwrap_or_default());
        let process = format!("{},{rank},", one.pid);
        both(&process, &one.rows, one.steady.as_ref())
    });
    each.collect()
}

/// Returns the table of the whole time and, where there is one, that of the steady state.
fn both<'s>(
    process: &str,
    rows: &'s [SpanRow],
    steady: Option<&'s Steady>,
) -> impl Iterator<Item = Part<'s>> + use<'s> {
    let part = |section, rows| Part {
        process: process.to_owned(),
        section,
        rows,
    };
    let whole = part("run", rows);
    let steady = steady.map(|steady| part("steady", &steady.rows));
    [whole].into_iter().chain(steady)
}

/// Renders the rows that the view asks for.
pub fn render(summary: &Summary, view: &View) -> String {
    let parts = parts(summary);
    let rows = || parts.iter().flat_map(|part| part.rows);
    let is_shown = |fields: &&[Field]| {
        let group = fields[0].group;
        !group.is_optional() || rows().any(|row| group.is_told(row))
    };
    let columns: Vec<&Field> = fields::groups().filter(is_shown).flatten().collect();
    let mut heading = "section,kind,path".to_owned();
    for column in &columns {
        heading.extend([",", column.name]);
    }
    let before = if summary.by_process.is_empty() {
        ""
    } else {
        PROCESS
    };
    let mut out = format!("{before}{heading}\r\n");
    for part in &parts {
        for row in filter::wanted(part.rows, view) {
            out += &part.process;
            out += &line(part.section, row, &columns);
        }
    }
    for until in &summary.until {
        out += &before.replace(|one| one != ',', "");
        out += &answer(until, &heading);
    }
    out
}

/// Writes the answer to a question: the question in the path's column, the steps in that of the count, the time in
/// that of the total.
fn answer(until: &UntilSummary, heading: &str) -> String {
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let (steps, at_ns) = (number(until.steps), number(until.at_ns));
    let absent = ",".repeat(heading.matches(',').count() - 4);
    let question = quoted(&until.question);
    format!("until,metric,{question},{steps},{at_ns}{absent}\r\n")
}

fn line(section: &str, row: &SpanRow, columns: &[&Field]) -> String {
    let mut line = format!("{section},{},{}", row.kind.name(), quoted(&row.path));
    for column in columns {
        line.push(',');
        line += &column.number_of(row).map(plain).unwrap_or_default();
    }
    line + "\r\n"
}

fn plain(number: Number) -> String {
    match number {
        Number::Whole(number) => number.to_string(),
        Number::Signed(number) => number.to_string(),
        Number::Real(number) => number.to_string(),
        Number::Word(word) => word.to_owned(),
    }
}
