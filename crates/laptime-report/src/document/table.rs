//! The table: rows of cells under headings, the only kind there is. Text, markdown and HTML have one writer each;
//! CSV has the summary's own numbers.

use std::borrow::Cow;

use laptime_core::Unavailable;

use crate::document::column::Column;
use crate::document::names;
use crate::quantity::{self, Digits, Precision};

/// Rows under headings, each with a name, and the notes below them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Heading of the names: what kind of thing the rows are.
    pub lead: Cow<'static, str>,
    /// The columns of the cells after the name.
    pub columns: Vec<Column>,
    /// Name of the row that [`Column::AGAINST`] compares with.
    pub base: String,
    /// Rows, parents before children.
    pub rows: Vec<Row>,
    /// Notes below the table.
    pub notes: Vec<String>,
    /// Notes on a column, which stand where that column is shown.
    pub notes_of: Vec<(Column, String)>,
    /// Reasons for absent cells, each once; [`Cell::Absent`] holds an index into them.
    pub reasons: Vec<Unavailable>,
}

impl Table {
    /// Returns the text above a column.
    pub fn heading(&self, column: Column) -> Cow<'static, str> {
        match column {
            Column::AGAINST => format!("{} {}", column.heading, names::visible(&self.base)).into(),
            column => column.heading.into(),
        }
    }

    /// Returns the notes below the table that belong to the columns that are shown.
    pub fn notes_where(&self, is_shown: impl Fn(usize) -> bool) -> impl Iterator<Item = &String> {
        let at = |column| self.columns.iter().position(|known| *known == column);
        let of_columns = self.notes_of.iter();
        let of_columns = of_columns.filter(move |(column, _)| at(*column).is_some_and(&is_shown));
        self.notes.iter().chain(of_columns.map(|(_, note)| note))
    }
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The row's name, as given.
    pub name: String,
    /// A remark behind the name, where there is room for it.
    pub aside: String,
    /// Number of rows that it stands inside of; all of them stand before it.
    pub depth: usize,
    /// Name of the spans that it is about, for which a page's timeline is searched; none for other rows.
    pub span: Option<String>,
    /// Whether it is a leftover rather than spans.
    pub is_leftover: bool,
    /// The row's cells, one for each column.
    pub cells: Vec<Cell>,
}

impl Row {
    /// Makes a row that stands in no tree.
    pub fn new(name: impl Into<String>, cells: Vec<Cell>) -> Self {
        Self {
            name: name.into(),
            aside: String::new(),
            depth: 0,
            span: None,
            is_leftover: false,
            cells,
        }
    }

    /// Returns the name and what is said behind it.
    pub fn whole_name(&self) -> String {
        format!("{}{}", self.name, self.aside)
    }

    /// Returns the row's cell in a column of its table.
    pub fn cell(&self, table: &Table, column: Column) -> Option<&Cell> {
        let at = table.columns.iter().position(|known| *known == column)?;
        self.cells.get(at)
    }
}

/// Ratio above which a time is a multiple of its whole: below it, all of it as samples tell it.
const MOST_SHARE: f64 = 1.05;

/// A value of a table, or its absence.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Number of finished spans, and of spans that are only partly inside.
    Count(u64, u64),
    /// Nanoseconds.
    Time(u64, Precision),
    /// Nanoseconds of a benchmark, with a fraction: an iteration may take only a few.
    Measured(f64),
    /// Bytes.
    Bytes(i64),
    /// A share, 1.0 for all.
    Share(f64),
    /// A multiple of a whole, of which several ran side by side.
    Times(f64),
    /// A whole number with the prefix that fits it.
    Scaled(u128),
    /// A whole number to its last digit.
    Exact(u128),
    /// Bytes that may exceed 64 bits.
    ManyBytes(u128),
    /// A ratio, or a rate, with the prefix that fits it.
    Rate(f64),
    /// Relative change from the base; below zero where a number is smaller.
    Change(f64),
    /// Ends of the interval in which the true change lies.
    Interval(f64, f64),
    /// Difference in nanoseconds; below zero where a time is shorter.
    Difference(f64),
    /// A number of unknown size, such as a metric's.
    Plain(f64),
    /// Watts.
    Watts(f64),
    /// Joules.
    Joules(f64),
    /// A word, or numbers in a notation of their own.
    Word(Cow<'static, str>),
    /// An empty cell, where no number belongs.
    Blank,
    /// An absent number, with the index of its reason in the table's; an index beyond them stands for no reason.
    Absent(usize),
}

impl Cell {
    /// Makes the cell of a share of a whole, or of a multiple of it where several ran side by side.
    pub fn part(ratio: f64) -> Self {
        if ratio > MOST_SHARE {
            Self::Times(ratio)
        } else {
            Self::Share(ratio)
        }
    }

    /// Returns the digits of the cell's number; nothing for a cell without one.
    pub fn digits(&self) -> Digits {
        match *self {
            Self::Count(count, partial) => {
                let mut digits = quantity::count(count);
                if partial > 0 {
                    digits.fraction = format!(" +{}", quantity::thousands(partial));
                }
                digits
            }
            Self::Time(ns, precision) => quantity::duration(ns, precision),
            Self::Bytes(bytes) => quantity::memory(bytes),
            Self::Share(ratio) => quantity::percent(ratio),
            Self::Times(ratio) => quantity::times(ratio),
            Self::Scaled(number) => quantity::scaled(number),
            Self::Exact(number) => quantity::count(number),
            Self::ManyBytes(bytes) => quantity::many_bytes(bytes),
            Self::Rate(rate) => quantity::rate(rate),
            Self::Change(ratio) => quantity::change(ratio),
            Self::Interval(low, high) => quantity::changes(low, high),
            Self::Measured(ns) => quantity::measured(ns),
            Self::Watts(watts) => quantity::watts(watts),
            Self::Joules(joules) => quantity::joules(joules),
            Self::Difference(ns) => quantity::difference(ns),
            Self::Plain(number) => Digits {
                whole: quantity::plain(number),
                ..Digits::default()
            },
            Self::Word(ref word) => Digits {
                whole: word.to_string(),
                ..Digits::default()
            },
            Self::Blank | Self::Absent(_) => Digits::default(),
        }
    }

    /// Returns the number as text outside of a column; nothing where it is absent.
    pub fn inline(&self) -> String {
        self.digits().inline()
    }
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

/// The ratio from which on a time is no part of a whole, but several of it side by side.
const BEYOND_ALL: f64 = 1.005;

impl Cell {
    /// Makes a cell of a time's part of a whole, or of how many of the whole it is.
    pub fn part_of_time(ratio: f64) -> Self {
        if ratio < BEYOND_ALL {
            Self::Share(ratio)
        } else {
            Self::Times(ratio)
        }
    }

    /// Makes a cell of an absent number, and adds its reason to those of the table unless it is there.
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

    /// Returns the number by which the cells of a column are ordered.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Count(number, _) | Self::Time(number, _) => Some(number as f64),
            Self::Bytes(bytes) => Some(bytes as f64),
            Self::Measured(number)
            | Self::Share(number)
            | Self::Times(number)
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
