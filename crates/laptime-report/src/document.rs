//! What a report says, as data: sections with tables and series, before any text.
//!
//! [`Document::new`](crate::Document::new) makes one from a summary; the renderers of text,
//! tree and markdown turn it into characters. Numbers are still numbers here and know
//! what they are.

use std::borrow::Cow;

use laptime_core::{Unavailable, Warning};

use crate::column::Column;
use crate::flame::Flame;
use crate::name;
use crate::quantity::Precision;
use crate::roofline::Roofline;

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The program's name.
    pub title: String,
    /// Where the time went, in words; none for what is no run.
    pub headline: Option<String>,
    /// Short facts about the run as a whole, most telling first.
    pub facts: Vec<String>,
    /// How the times were measured.
    pub measured: String,
    /// Tables and series.
    pub sections: Vec<Section>,
    /// Reasons for doubt.
    pub warnings: Vec<Warning>,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The section's heading; none for the first.
    pub heading: Option<String>,
    /// A sentence below the heading.
    pub remark: Option<String>,
    /// What it shows.
    pub content: Content,
}

/// What a section shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Rows of a tree with statistics.
    Table(Table),
    /// Series of numbers over the run.
    Figures(Vec<Figure>),
    /// Sentences, one below the other.
    Lines(Vec<String>),
    /// Sentences that answer or explain, each a paragraph.
    Paragraphs(Vec<String>),
    /// Lines of a program, as they are typed.
    Code(&'static [&'static str]),
    /// A picture of how fast work can run, and its numbers.
    Roofline(Roofline),
    /// A picture of which function called which; formats of text leave it out.
    Flame(Flame),
    /// Nothing but its remark.
    Remark,
}

impl From<Content> for Section {
    fn from(content: Content) -> Self {
        Self {
            heading: None,
            remark: None,
            content,
        }
    }
}

/// Rows under headings: the only kind of table there is. Each row has a name, which may be its place in a tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What the rows are.
    pub lead: Cow<'static, str>,
    /// What the cells after the name hold.
    pub columns: Vec<Column>,
    /// What [`Column::AGAINST`] is against.
    pub base: String,
    /// Rows, parents before children.
    pub rows: Vec<Row>,
    /// What needs saying below it.
    pub notes: Vec<String>,
    /// What needs saying of a column, where it is shown.
    pub notes_of: Vec<(Column, String)>,
    /// Why cells are absent, each reason once: [`Cell::Absent`] counts in it.
    pub reasons: Vec<Unavailable>,
}

impl Table {
    /// What stands above a column.
    pub fn heading(&self, column: Column) -> Cow<'static, str> {
        match column {
            Column::AGAINST => format!("{} {}", column.heading, name::visible(&self.base)).into(),
            column => column.heading.into(),
        }
    }

    /// What needs saying of the columns that are shown.
    pub fn notes_where(&self, is_shown: impl Fn(usize) -> bool) -> impl Iterator<Item = &str> {
        let at = |column| self.columns.iter().position(|known| *known == column);
        let notes = self.notes_of.iter();
        notes
            .filter(move |(column, _)| at(*column).is_some_and(&is_shown))
            .map(|(_, note)| note.as_str())
    }
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The row's own name, as given.
    pub name: String,
    /// For every level above it and its own, whether that row is the last of its siblings.
    pub lasts: Vec<bool>,
    /// Name of the spans that it is about, for which a page's timeline is searched; none for other rows.
    pub span: Option<String>,
    /// Whether it is a leftover rather than spans.
    pub is_leftover: bool,
    /// One cell a column.
    pub cells: Vec<Cell>,
}

impl Row {
    /// A row that stands in no tree.
    pub fn new(name: impl Into<String>, cells: Vec<Cell>) -> Self {
        Self {
            name: name.into(),
            lasts: vec![false],
            span: None,
            is_leftover: false,
            cells,
        }
    }

    /// What it has in a column of its table.
    pub fn cell(&self, table: &Table, column: Column) -> Option<&Cell> {
        let at = table.columns.iter().position(|known| *known == column)?;
        self.cells.get(at)
    }
}

/// A number, or none.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Spans: finished ones, and those only partly inside.
    Count(u64, u64),
    /// Nanoseconds.
    Time(u64, Precision),
    /// Nanoseconds of a benchmark: an iteration may take few of them, and parts of one count.
    Measured(f64),
    /// Bytes.
    Bytes(i64),
    /// A share, 1.0 for all.
    Share(f64),
    /// A whole number with the prefix that fits it.
    Scaled(u128),
    /// A whole number to its last digit.
    Exact(u128),
    /// Bytes, however many.
    ManyBytes(u128),
    /// A ratio, or a rate, with the prefix that fits it.
    Rate(f64),
    /// By which part of the base a number is larger; below zero where it is smaller.
    Change(f64),
    /// Between which two changes the true one is.
    Interval(f64, f64),
    /// Nanoseconds more; below zero where they are less.
    Difference(f64),
    /// A number of unknown size, such as a metric's.
    Plain(f64),
    /// Watts.
    Watts(f64),
    /// Joules.
    Joules(f64),
    /// A word, or numbers that stand together in a way of their own.
    Word(Cow<'static, str>),
    /// Nothing belongs here.
    Blank,
    /// Not there, for the reason of this number in the table's; one beyond them where none is said.
    Absent(usize),
}

impl From<&'static str> for Cell {
    fn from(word: &'static str) -> Self {
        Self::Word(word.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Word(text.into())
    }
}

impl Cell {
    /// An absent number, whose reason is told once below its table.
    pub fn absent(why: Option<&Unavailable>, reasons: &mut Vec<Unavailable>) -> Self {
        let Some(why) = why else {
            return Self::Absent(usize::MAX);
        };
        let known = reasons.iter().position(|known| known == why);
        Self::Absent(known.unwrap_or_else(|| {
            reasons.push(why.clone());
            reasons.len() - 1
        }))
    }

    /// What cells of a column are ordered by.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Count(number, _) | Self::Time(number, _) => Some(number as f64),
            Self::Bytes(bytes) => Some(bytes as f64),
            Self::Measured(number)
            | Self::Share(number)
            | Self::Rate(number)
            | Self::Watts(number)
            | Self::Joules(number)
            | Self::Change(number)
            | Self::Difference(number)
            | Self::Plain(number) => Some(number),
            Self::Scaled(number) | Self::Exact(number) | Self::ManyBytes(number) => {
                Some(number as f64)
            }
            Self::Interval(..) | Self::Word(_) | Self::Blank | Self::Absent(_) => None,
        }
    }
}

/// A series of numbers over the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The figure's path, as names joined by `/`.
    pub label: String,
    /// Values in time order; empty for marks.
    pub values: Vec<Option<f64>>,
    /// What is said beside it.
    pub facts: String,
}
