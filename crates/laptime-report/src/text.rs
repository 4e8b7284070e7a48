//! The table for a terminal: a header, an indented tree with aligned numbers, a bar for
//! the share, and below it what needs saying.
//!
//! Columns give way where the terminal is narrow; names are shortened before any number is.

use laptime_core::Unavailable;

use crate::column::Column;
use crate::document::{Cell, Content, Document, Figure, Row, Section, Table};
use crate::glyphs::Glyphs;
use crate::headline;
use crate::name;
use crate::paint::{Paint, Style};
use crate::quantity::{self, Digits};
use crate::roofline::plot;
use crate::view::View;

/// Columns of a terminal of unknown width.
const DEFAULT_WIDTH: usize = 100;
/// Narrowest table: below it lines are left to wrap.
const LEAST_WIDTH: usize = 50;
/// Widest table: wider ones are hard to follow with the eye.
const MOST_WIDTH: usize = 140;
/// A name's column is shortened to this before a column is dropped.
const LEAST_NAME: usize = 22;
/// Longest name where no terminal limits the table: beyond it no eye finds the row's numbers.
const MOST_NAME: usize = 80;
/// Widths of the share bar that are tried before a name is shortened, widest first.
const BARS: [usize; 3] = [12, 8, LEAST_BAR];
/// The bar beside a shortened name.
const LEAST_BAR: usize = 5;
/// Widest curve of a metric.
const MOST_CURVE: usize = 20;
/// Columns in the order in which they give way.
const GIVE_WAY: [Column; 12] = [
    Column::Mean,
    Column::SelfTime,
    Column::P99,
    Column::Count,
    Column::NetMemory,
    Column::OwnMac,
    Column::OtherFlop,
    Column::Calls,
    Column::Bound,
    Column::Intensity,
    Column::Flop,
    Column::Params,
];

/// Renders a document.
pub fn render(document: &Document, view: &View) -> String {
    Text::new(view).document(document)
}

/// The lines above all sections.
pub fn header(document: &Document, view: &View) -> String {
    Text::new(view).header(document)
}

/// The reasons for doubt below all sections.
pub fn warnings(document: &Document, view: &View) -> String {
    Text::new(view).warnings(document)
}

/// A number outside of a column; `None` when it is not there.
pub fn inline(cell: Cell) -> Option<String> {
    (cell != Cell::Absent).then(|| digits(cell).inline())
}

/// What needs saying below a table, but for reasons already in `seen`.
pub fn notes(table: &Table, glyphs: &Glyphs, seen: Option<&mut Vec<Unavailable>>) -> Vec<String> {
    let mut notes = table.notes.clone();
    let mut none = Vec::new();
    let seen = seen.unwrap_or(&mut none);
    for reason in &table.reasons {
        if !seen.contains(reason) {
            notes.push(format!("{} {reason}", glyphs.absent));
            seen.push(reason.clone());
        }
    }
    notes
}

/// A phrase as it begins a sentence.
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}

struct Text {
    width: usize,
    /// What names may take the table to; `None` where no terminal cuts them.
    most: Option<usize>,
    glyphs: Glyphs,
    paint: Paint,
}

impl Text {
    fn new(view: &View) -> Self {
        let width = view.width.unwrap_or(DEFAULT_WIDTH);
        Self {
            width: width.clamp(LEAST_WIDTH, MOST_WIDTH),
            most: view.width.map(|width| width.max(LEAST_WIDTH)),
            glyphs: Glyphs::new(view.utf8),
            paint: Paint::new(view.color),
        }
    }

    fn document(&self, document: &Document) -> String {
        let mut out = self.header(document);
        let mut seen = Vec::new();
        for section in &document.sections {
            out += "\n";
            out += &self.section(section, &mut seen);
        }
        out += &self.warnings(document);
        out
    }

    fn header(&self, document: &Document) -> String {
        let title = self.glyphs.plain(&name::visible(&document.title));
        let most = self.most.map_or(name::LONGEST, |_| self.width / 2);
        let title = name::fitted(&title, most, self.glyphs.ellipsis);
        let between_facts = format!(" {} ", self.glyphs.dot);
        let facts = document.facts.join(&between_facts);
        if let Some(headline) = &document.headline {
            let headline = self.wrapped("", &format!("{title}  {headline}"), Style::Plain);
            let headline = self
                .glyphs
                .plain(&headline.replace(headline::UNBROKEN, " "));
            let rest = headline.strip_prefix(&title).unwrap_or(&headline);
            let title = self.paint.with(Style::Strong, &title);
            let facts = self
                .glyphs
                .plain(&format!("{facts}{between_facts}{}", document.measured));
            return format!("{title}{rest}{}", self.wrapped("", &facts, Style::Faint));
        }
        let between = if title.is_empty() { "" } else { "  " };
        let room = self
            .width
            .saturating_sub(name::columns(&title) + between.len());
        let facts = name::fitted(&self.glyphs.plain(&facts), room, self.glyphs.ellipsis);
        let title = self.paint.with(Style::Strong, &title);
        let measured = match document.measured.as_str() {
            "" => String::new(),
            measured => self.wrapped("", &self.glyphs.plain(measured), Style::Faint),
        };
        format!("{title}{between}{facts}\n{measured}")
    }

    fn section(&self, section: &Section, seen: &mut Vec<Unavailable>) -> String {
        let mut out = String::new();
        if let Some(heading) = &section.heading {
            out += &self.paint.with(Style::Strong, &self.glyphs.plain(heading));
            out += "\n";
        }
        if let Some(remark) = &section.remark {
            out += &self.wrapped("", &self.glyphs.plain(remark), Style::Faint);
        }
        match &section.content {
            Content::Table(table) if table.rows.is_empty() => {}
            Content::Table(table) => out += &self.table(table, seen),
            Content::Figures(figures) => out += &self.figures(figures),
            Content::Lines(lines) => {
                for line in lines {
                    let line = self.glyphs.plain(line);
                    out += &self.wrapped(self.glyphs.bullet, &line, Style::Faint);
                }
            }
            Content::Roofline(roofline) => {
                out += &plot::render(roofline, self.width, &self.glyphs);
                out += &self.table(&roofline.table(), seen);
            }
            Content::Remark => {}
        }
        out
    }

    fn table(&self, table: &Table, seen: &mut Vec<Unavailable>) -> String {
        let plan = Plan::new(table, self.width, self.most, &self.glyphs);
        let mut out = String::new();
        let mut heading = pad_end(table.lead, plan.name);
        for (column, width) in table.columns.iter().zip(&plan.columns) {
            if let Some(width) = width {
                heading += "  ";
                let number = pad_start(column.heading(), width.total() - width.beside());
                heading += &pad_end(&number, width.total());
            }
        }
        let rule = self.glyphs.rule.repeat(plan.width());
        out += &self.paint.with(Style::Faint, heading.trim_end());
        out += "\n";
        out += &self.paint.with(Style::Faint, &rule);
        out += "\n";
        for row in &table.rows {
            out += self.row(row, table, &plan).trim_end();
            out += "\n";
        }
        for note in notes(table, &self.glyphs, Some(seen)) {
            out += &self.wrapped("", &note, Style::Faint);
        }
        out
    }

    fn row(&self, row: &Row, table: &Table, plan: &Plan) -> String {
        let branch = self.glyphs.branch(&row.lasts);
        let room = plan.name.saturating_sub(name::columns(&branch)).max(1);
        let shown = name::fitted(
            &self.glyphs.plain(&name::visible(&row.name)),
            room,
            self.glyphs.ellipsis,
        );
        let gap = " ".repeat(room.saturating_sub(name::columns(&shown)));
        let style = match (row.is_leftover, row.lasts.len()) {
            (true, _) => Style::Leftover,
            (_, 1) => Style::Strong,
            _ => Style::Plain,
        };
        let mut out = self.paint.with(Style::Faint, &branch);
        out += &self.paint.with(style, &shown);
        out += &gap;
        let hides_intensity = plan.lacks(table, Column::OtherFlop)
            && matches!(
                row.cell(table, Column::Flop),
                Some(Cell::Scaled(0) | Cell::Exact(0))
            );
        for ((cell, column), width) in row.cells.iter().zip(&table.columns).zip(&plan.columns) {
            let Some(width) = width else { continue };
            let cell = match column {
                // Of FLOP that stand nowhere in the row, beside a 0.
                Column::Intensity if hides_intensity => Cell::Blank,
                _ => *cell,
            };
            out += "  ";
            out += &self.cell(cell, *column, width);
        }
        out
    }

    fn cell(&self, cell: Cell, column: Column, width: &Width) -> String {
        if cell == Cell::Absent {
            let dash = pad_start(self.glyphs.absent, width.whole.max(1));
            return self
                .paint
                .with(Style::Faint, &pad_end(&dash, width.total()));
        }
        let digits = digits(cell);
        let number = self.glyphs.plain(&width.aligned(&digits));
        match cell {
            Cell::Share(ratio) if width.bar > 0 => {
                // The last column: nothing pads it.
                let bar = self.glyphs.bar(ratio, width.bar);
                format!("{number} {}", self.paint.with(Style::Bar, &bar))
            }
            _ if column.is_strong() => self.paint.with(Style::Strong, &number),
            _ => number,
        }
    }

    fn figures(&self, figures: &[Figure]) -> String {
        let label = |figure: &Figure| {
            let label = self.glyphs.plain(&name::visible(&figure.label));
            name::fitted(&label, self.width / 3, self.glyphs.ellipsis)
        };
        let widest = figures
            .iter()
            .map(|figure| name::columns(&label(figure)))
            .max();
        let widest = widest.unwrap_or(0);
        let curve_width = figures
            .iter()
            .map(|figure| figure.values.len())
            .max()
            .unwrap_or(0)
            .min(MOST_CURVE);
        let mut out = String::new();
        for figure in figures {
            let mut line = pad_end(&label(figure), widest) + "  ";
            let mut room = self.width.saturating_sub(widest + 2);
            if curve_width > 1 {
                let curve = self.glyphs.curve(&figure.values, curve_width);
                line += &self.paint.with(Style::Bar, &pad_end(&curve, curve_width));
                line += "  ";
                room = room.saturating_sub(curve_width + 2);
            }
            line += &name::fitted(&figure.facts, room, self.glyphs.ellipsis);
            out += &line;
            out += "\n";
        }
        out
    }

    fn warnings(&self, document: &Document) -> String {
        let mut out = String::new();
        for warning in &document.warnings {
            out += "\n";
            let message = self.glyphs.plain(&name::visible(&warning.message));
            out += &self.wrapped("warning: ", &message, Style::Warning);
            if let Some(hint) = &warning.hint {
                let hint = self.glyphs.plain(&name::visible(hint));
                out += &self.wrapped("   hint: ", &hint, Style::Faint);
            }
        }
        out
    }

    /// Words in lines of the table's width, those after the first indented by `lead`'s width.
    ///
    /// Wraps a text behind a lead; of a warning only the lead is painted.
    fn wrapped(&self, lead: &str, text: &str, style: Style) -> String {
        let text = name::fitted(text, 1_000, self.glyphs.ellipsis);
        let indent = " ".repeat(name::columns(lead));
        let room = self.width - indent.len();
        let mut lines = vec![String::new()];
        for word in text.split(' ') {
            let word = name::fitted(word, room, self.glyphs.ellipsis);
            let line = lines.last_mut().map_or("", |line| line.as_str());
            let taken = indent.len() + name::columns(line) + 1 + name::columns(&word);
            if !line.is_empty() && taken > self.width {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(&word);
            }
        }
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

/// Widths of a table's columns.
struct Plan {
    name: usize,
    columns: Vec<Option<Width>>,
}

/// Widths of a column's parts.
#[derive(Debug, Clone, Default)]
struct Width {
    whole: usize,
    fraction: usize,
    unit: usize,
    bar: usize,
    heading: usize,
}

impl Width {
    fn of(table: &Table, index: usize, glyphs: &Glyphs) -> Self {
        let mut width = Self {
            heading: table.columns[index].heading().len(),
            ..Self::default()
        };
        for row in &table.rows {
            if row.cells[index] != Cell::Absent {
                let digits = digits(row.cells[index]);
                width.whole = width.whole.max(digits.whole.len());
                width.fraction = width.fraction.max(digits.fraction.len());
                width.unit = width.unit.max(name::columns(&glyphs.plain(digits.unit)));
            }
        }
        width
    }

    fn number(&self) -> usize {
        self.whole + self.fraction + if self.unit > 0 { self.unit + 1 } else { 0 }
    }

    /// What the bar takes beside the number.
    fn beside(&self) -> usize {
        if self.bar > 0 { self.bar + 1 } else { 0 }
    }

    fn total(&self) -> usize {
        self.number().max(self.heading).max(1) + self.beside()
    }

    fn aligned(&self, digits: &Digits) -> String {
        let mut text = pad_start(&digits.whole, self.whole);
        text += &pad_end(&digits.fraction, self.fraction);
        if self.unit > 0 {
            text += " ";
            text += &pad_end(digits.unit, self.unit);
        }
        pad_start(&text, self.total() - self.beside())
    }
}

impl Plan {
    /// Columns give way to fit `width`; a name that is longer goes on to `most`.
    fn new(table: &Table, width: usize, most: Option<usize>, glyphs: &Glyphs) -> Self {
        let longest = table
            .rows
            .iter()
            .map(|row| {
                let own = name::columns(&name::visible(&row.name));
                name::columns(&glyphs.branch(&row.lasts)) + own
            })
            .max()
            .unwrap_or(0)
            .max("startup".len());
        let mut columns: Vec<Option<Width>> = (0..table.columns.len())
            .map(|index| Some(Width::of(table, index, glyphs)))
            .collect();
        let share = table
            .columns
            .iter()
            .position(|column| *column == Column::Share);
        let left = |columns: &[Option<Width>]| {
            let taken: usize = columns
                .iter()
                .flatten()
                .map(|column| column.total() + 2)
                .sum();
            width.saturating_sub(taken)
        };
        // A name is known by its end: what a terminal has beyond the widest table is its.
        let beyond = |left: usize| match most {
            Some(most) => left + most.saturating_sub(width),
            None => MOST_NAME,
        };
        let least = longest.min(LEAST_NAME);
        for give_way in std::iter::once(None).chain(GIVE_WAY.map(Some)) {
            if let Some(index) =
                give_way.and_then(|column| table.columns.iter().position(|known| *known == column))
            {
                columns[index] = None;
            }
            // Shorter bars before shorter names.
            let whole = if most.is_some() { longest } else { least };
            for (room, bar) in BARS
                .map(|bar| (whole, bar))
                .into_iter()
                .chain([(least, LEAST_BAR)])
            {
                if let Some(share) = share.and_then(|index| columns[index].as_mut()) {
                    share.bar = bar;
                }
                if left(&columns) >= room {
                    let name = longest.min(beyond(left(&columns)));
                    return Self { name, columns };
                }
            }
        }
        if let Some(share) = share.and_then(|index| columns[index].as_mut()) {
            share.bar = 0;
        }
        let name = longest.min(beyond(left(&columns))).max(12);
        Self { name, columns }
    }

    /// Whether a column of the table has given way.
    fn lacks(&self, table: &Table, column: Column) -> bool {
        let at = table.columns.iter().position(|known| *known == column);
        at.is_some_and(|at| self.columns[at].is_none())
    }

    fn width(&self) -> usize {
        let columns: usize = self
            .columns
            .iter()
            .flatten()
            .map(|column| column.total() + 2)
            .sum();
        self.name + columns
    }
}

fn digits(cell: Cell) -> Digits {
    match cell {
        Cell::Count(count, partial) => {
            let mut digits = quantity::count(count);
            if partial > 0 {
                digits.fraction = format!(" +{}", quantity::thousands(partial));
            }
            digits
        }
        Cell::Time(ns, precision) => quantity::duration(ns, precision),
        Cell::Bytes(bytes) => quantity::memory(bytes),
        Cell::Share(ratio) => quantity::percent(ratio),
        Cell::Scaled(number) => quantity::scaled(number),
        Cell::Exact(number) => quantity::count(number),
        Cell::ManyBytes(bytes) => quantity::many_bytes(bytes),
        Cell::Rate(rate) => quantity::rate(rate),
        Cell::Word(word) => Digits {
            whole: word.to_owned(),
            ..Digits::default()
        },
        Cell::Blank | Cell::Absent => Digits::default(),
    }
}

fn pad_start(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(name::columns(text))) + text
}

fn pad_end(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(name::columns(text)))
}
