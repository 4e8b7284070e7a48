//! The report for a terminal: the answer, tables, and the notes below them.

use crate::document::absence_marks::AbsenceMarks;
use crate::document::names;
use crate::document::view::View;
use crate::document::{Content, Document, Section};
use crate::roofline::plot;
use crate::sentences::{findings, headline};
use crate::text::glyphs::Glyphs;
use crate::text::paint::{Paint, Style};
use crate::text::table_notes::TableNotes;
use crate::text::wrap;

/// Columns of a terminal of unknown width.
const DEFAULT_WIDTH: usize = 100;
/// Narrowest table: below it lines are left to wrap.
const LEAST_WIDTH: usize = 50;
/// Widest table: wider ones are hard to follow with the eye.
const MOST_WIDTH: usize = 140;

/// Renders a document.
pub fn render(document: &Document, view: &View) -> String {
    Text::new(view).document(document)
}

/// Renders sections that are no report of a run, for a terminal of so many columns.
pub fn sections(sections: &[Section], width: Option<usize>) -> String {
    let view = View {
        width,
        ..View::default()
    };
    Text::new(&view)
        .sections(sections)
        .trim_matches('\n')
        .to_owned()
}

/// Writes the lines above all sections.
pub fn header(document: &Document, view: &View) -> String {
    Text::new(view).header(document)
}

/// Writes the reasons for doubt below all sections.
pub fn warnings(document: &Document, view: &View) -> String {
    Text::new(view).warnings(document)
}

pub(super) struct Text {
    pub(super) width: usize,
    /// Widest table that long names may lead to; `None` where no terminal cuts them.
    pub(super) most: Option<usize>,
    /// Whether the columns were asked for by name.
    pub(super) is_asked: bool,
    pub(super) glyphs: Glyphs,
    pub(super) paint: Paint,
}

impl Text {
    fn new(view: &View) -> Self {
        let width = view.width.unwrap_or(DEFAULT_WIDTH);
        Self {
            width: width.clamp(LEAST_WIDTH, MOST_WIDTH),
            most: view.width.map(|width| width.max(LEAST_WIDTH)),
            is_asked: !view.columns.is_empty(),
            glyphs: Glyphs::new(view.utf8),
            paint: Paint::new(view.color),
        }
    }

    pub(super) fn document(&self, document: &Document) -> String {
        let header = self.header(document);
        header + &self.sections(&document.sections) + &self.warnings(document)
    }

    /// Writes sections, each below an empty line.
    pub(super) fn sections(&self, sections: &[Section]) -> String {
        let marks = AbsenceMarks::of_shown(sections, |table| self.shown_columns(table));
        let mut said = TableNotes::new(marks);
        let mut out = String::new();
        for section in sections {
            out += "\n";
            out += &self.section(section, &mut said);
        }
        out
    }

    pub(super) fn header(&self, document: &Document) -> String {
        let title = self.glyphs.plain(&names::visible(&document.title));
        // A title of several names, as of a comparison, may take some lines: words wrap, one name is cut.
        let most = if title.contains(' ') {
            3 * self.width
        } else {
            self.width / 2
        };
        let most = self.most.map_or(names::LONGEST, |_| most);
        let title = names::fitted(&title, most, self.glyphs.ellipsis);
        let between_facts = format!(" {} ", self.glyphs.dot);
        let facts = document.facts.join(&between_facts);
        if let Some(headline) = &document.headline {
            let headline = self.wrapped("", &format!("{title}  {headline}"), Style::Strong);
            let headline = self
                .glyphs
                .plain(&headline.replace(headline::UNBROKEN, " "));
            let measured = if document.is_measured_as_usual {
                ""
            } else {
                &document.measured
            };
            let parts = [facts.as_str(), measured].into_iter();
            let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            if parts.is_empty() {
                return headline;
            }
            let facts = self.glyphs.plain(&parts.join(&between_facts));
            return format!("{headline}{}", self.wrapped("", &facts, Style::Faint));
        }
        let between = if title.is_empty() { "" } else { "  " };
        let facts = self.glyphs.plain(&facts);
        let lines = self.wrapped("", &format!("{title}{between}{facts}"), Style::Plain);
        let lines = match lines.strip_prefix(&title) {
            Some(rest) => self.paint.with(Style::Strong, &title) + rest,
            None => lines,
        };
        let measured = match document.measured.as_str() {
            "" => String::new(),
            measured => self.wrapped("", &self.glyphs.plain(measured), Style::Faint),
        };
        format!("{lines}{measured}")
    }

    pub(super) fn section(&self, section: &Section, said: &mut TableNotes) -> String {
        let mut out = String::new();
        if let Some(heading) = &section.heading {
            let heading = self.glyphs.plain(&names::visible(heading));
            out += &self.paint.with(Style::Strong, &heading);
            out += "\n";
        }
        if let Some(remark) = &section.remark {
            out += &self.wrapped("", &self.glyphs.plain(remark), Style::Faint);
        }
        match &section.content {
            Content::Table(table) if table.rows.is_empty() => {}
            Content::Table(table) => out += &self.table(table, said),
            Content::Figures(figures) => out += &self.figures(figures),
            Content::Paragraphs(lines) => {
                for line in lines {
                    out += &self.wrapped("", &self.glyphs.plain(line), Style::Plain);
                }
            }
            Content::Lines(lines) => {
                // What to look at first is no small print.
                let is_first = section.heading.as_deref() == Some(findings::HEADING);
                let style = if is_first { Style::Plain } else { Style::Faint };
                for line in lines {
                    let line = self.glyphs.plain(line);
                    out += &self.wrapped(self.glyphs.bullet, &line, style);
                }
            }
            Content::Code(lines) => {
                for line in *lines {
                    out += format!("    {line}").trim_end();
                    out += "\n";
                }
            }
            Content::Roofline(roofline) => {
                out += &plot::render(roofline, self.width, &self.glyphs);
                out += &self.table(&roofline.table(), said);
            }
            Content::FlameGraph(_) | Content::Remark => {}
        }
        out
    }

    pub(super) fn warnings(&self, document: &Document) -> String {
        let mut out = String::new();
        for warning in &document.warnings {
            out += "\n";
            let message = self.glyphs.plain(&names::visible(&warning.message));
            out += &self.wrapped("warning: ", &message, Style::Warning);
            if let Some(hint) = &warning.hint {
                let hint = self.glyphs.plain(&names::visible(hint));
                out += &self.wrapped("   hint: ", &hint, Style::Faint);
            }
        }
        out
    }

    /// Wraps a text behind a lead in lines of the table's width, those after the first indented by the lead's width;
    /// of a warning only the lead is painted.
    pub(super) fn wrapped(&self, lead: &str, text: &str, style: Style) -> String {
        let text = if text.is_empty() {
            String::new()
        } else {
            names::visible(text)
        };
        let text = names::fitted(&text, 1_000, self.glyphs.ellipsis);
        let indent = " ".repeat(names::columns(lead));
        let lines = wrap::lines(&text, self.width - indent.len(), self.glyphs.ellipsis);
        let mut out = String::new();
        for (index, line) in lines.iter().enumerate() {
            let before = if index == 0 { lead } else { &indent };
            out += &match style {
                Style::Warning => self.paint.with(style, before) + line,
                _ => self.paint.with(style, &format!("{before}{line}")),
            };
            out += "\n";
        }
        out
    }
}
