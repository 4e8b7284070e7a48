//! Tables in GitHub's markdown, for documents and pull requests.
//!
//! Names come from the measured program: every character that markdown or HTML could act
//! on is escaped.

use std::fmt::Write;

use crate::document::absence_marks::AbsenceMarks;
use crate::document::names;
use crate::document::{Content, Document, Figure, Row, Section, Table};
use crate::sentences::headline;
use crate::text::glyphs::Glyphs;
use crate::text::wrap::capitalised;

/// Renders a document.
pub fn render(document: &Document) -> String {
    let title = names::bounded(&document.title);
    let title = if title.is_empty() {
        "Summary".to_owned()
    } else {
        escaped(&title)
    };
    let mut out = format!("## {title}\n\n");
    if let Some(headline) = &document.headline {
        let headline = headline.replace(headline::UNBROKEN, " ");
        let _ = writeln!(out, "{}\n", escaped_sentence(&headline));
    }
    if !document.facts.is_empty() {
        let _ = writeln!(out, "{}  ", escaped_sentence(&document.facts.join(" · ")));
    }
    let _ = writeln!(out, "{}", escaped_sentence(&document.measured));
    if !document.sections.is_empty() {
        out += "\n";
        out += &sections(&document.sections);
    }
    if !document.warnings.is_empty() {
        out += "\n";
    }
    for warning in &document.warnings {
        let _ = writeln!(
            out,
            "> **Warning:** {}  ",
            escaped_sentence(&warning.message)
        );
        if let Some(hint) = &warning.hint {
            let _ = writeln!(out, "> *Hint:* {}", escaped_sentence(hint));
        }
        out += ">\n";
    }
    out.truncate(out.strip_suffix(">\n").map_or(out.len(), str::len));
    out
}

/// Renders sections, with an empty line between them.
pub fn sections(sections: &[Section]) -> String {
    let mut marks = AbsenceMarks::of_sections(sections);
    let each = sections.iter();
    let each: Vec<String> = each.map(|one| of_section(one, &mut marks)).collect();
    each.join("\n")
}

fn of_section(section: &Section, marks: &mut AbsenceMarks) -> String {
    let mut out = String::new();
    if let Some(heading) = &section.heading {
        let _ = writeln!(out, "### {}\n", capitalised(&escaped_sentence(heading)));
    }
    if let Some(remark) = &section.remark {
        let _ = writeln!(out, "{}", capitalised(&escaped_sentence(remark)));
    }
    if section.remark.is_some() && section.content != Content::Remark {
        out += "\n";
    }
    match &section.content {
        Content::Table(table) if !table.rows.is_empty() => out += &of_table(table, marks),
        Content::Figures(figures) => out += &of_figures(figures),
        Content::Lines(lines) => {
            for line in lines {
                let _ = writeln!(out, "- {}", escaped_sentence(line));
            }
        }
        Content::Paragraphs(lines) => {
            let each: Vec<String> = lines
                .iter()
                .map(|line| escaped_sentence(line) + "\n")
                .collect();
            out += &each.join("\n");
        }
        Content::Code(lines) => {
            let _ = writeln!(out, "```\n{}\n```", lines.join("\n"));
        }
        Content::Roofline(roofline) => out += &of_table(&roofline.table(), marks),
        Content::Table(_) | Content::FlameGraph(_) | Content::Remark => {}
    }
    out
}

fn of_table(table: &Table, marks: &mut AbsenceMarks) -> String {
    let mut out = format!("| {} |", table.lead);
    let mut rule = "| :--- |".to_owned();
    for column in &table.columns {
        let _ = write!(out, " {} |", escaped(&table.heading(*column)));
        rule += " ---: |";
    }
    let _ = writeln!(out, "\n{rule}");
    for row in &table.rows {
        out += &of_row(row, table, marks);
    }
    for note in marks.notes(table, &Glyphs::new(true), |_| true) {
        let _ = writeln!(out, "\n{}", escaped_sentence(&note));
    }
    out
}

fn of_row(row: &Row, table: &Table, marks: &AbsenceMarks) -> String {
    let indent = "&emsp;".repeat(row.depth);
    let shown = escaped(&names::bounded(&row.whole_name()));
    let shown = if row.is_leftover {
        format!("*{shown}*")
    } else {
        shown
    };
    let mut out = format!("| {indent}{shown} |");
    for cell in &row.cells {
        let _ = write!(out, " {} |", escaped(&marks.shown(table, cell)));
    }
    out + "\n"
}

fn of_figures(figures: &[Figure]) -> String {
    let glyphs = Glyphs::new(true);
    let mut out = "| name | course | |\n| :--- | :--- | :--- |\n".to_owned();
    for figure in figures {
        let label = escaped(&names::bounded(&figure.label));
        let curve = glyphs.curve(&figure.values, 20);
        let _ = writeln!(out, "| {label} | {curve} | {} |", figure.facts);
    }
    out
}

/// Escapes a sentence of ours that holds names of the program's; text between two marks of code stays code.
///
/// In a span of code nothing acts, whoever wrote it, but for what ends a cell of a table.
fn escaped_sentence(text: &str) -> String {
    let text = names::visible(text);
    let (mut out, mut rest) = (String::new(), &text[..]);
    while let Some((before, code, after)) = code_span(rest) {
        out += &escaped(before);
        let _ = write!(out, "`{code}`");
        rest = after;
    }
    out + &escaped(rest)
}

/// Splits a text into the parts before the first span of code, in it, and after it.
fn code_span(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    let is_code = !code.trim().is_empty() && !code.contains('|') && !after.starts_with('`');
    is_code.then_some((before, code, after))
}

/// Puts a backslash before every character that markdown, HTML or a table could act on.
pub fn escaped(text: &str) -> String {
    let is_address = text.contains("://") || text.contains("www.");
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        // GitHub makes links of bare addresses.
        let is_of_address = is_address && matches!(character, ':' | '.');
        if "\\`*_{}[]<>#|~&@".contains(character) || is_of_address {
            out.push('\\');
        }
        out.push(character);
    }
    out
}
