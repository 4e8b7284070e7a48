//! The numbers of a row, each once: its name, its unit, how it is read, and why it is absent.
//!
//! CSV, Arrow's tables and Python's `SpanSummary` are made of [`GROUPS`], in its order. JSON, its
//! published schema and Python's stubs are tested against it: a new number is a field of
//! [`SpanRow`] and one line of the table.

mod table;

use std::collections::BTreeMap;

use laptime_core::Unavailable;

use crate::span_row::SpanRow;
pub use table::{
    DEVICE_MEMORY, DEVICE_TIME, DURATIONS, ENERGY, GROUPS, HOST_MEMORY, KEPT, KEPT_MEMORY,
    OPERATIONS,
};

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Spans.
    Spans,
    /// Nanoseconds.
    Ns,
    /// Parts of 1.
    Ratio,
    /// Bytes.
    Bytes,
    /// Multiply-accumulates.
    Mac,
    /// Floating-point operations.
    Flop,
    /// Floating-point operations per second.
    FlopRate,
    /// Bytes per second.
    ByteRate,
    /// Floating-point operations for each byte.
    FlopPerByte,
    /// Joules.
    Joules,
    /// One of a few words.
    Name,
}

/// How a number is read from a row, which is also its type.
#[derive(Debug, Clone, Copy)]
pub enum Read {
    /// A number that every row has.
    Always(fn(&SpanRow) -> u64),
    /// A number of 64 bits.
    Whole(fn(&SpanRow) -> Option<u64>),
    /// A number that may be below zero.
    Signed(fn(&SpanRow) -> Option<i64>),
    /// A number that 64 bits may not hold.
    Wide(fn(&SpanRow) -> Option<u128>),
    /// A ratio or a rate.
    Real(fn(&SpanRow) -> Option<f64>),
    /// One of a few words.
    Word(fn(&SpanRow) -> Option<&'static str>),
}

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Not below zero.
    Whole(u128),
    /// Perhaps below zero.
    Signed(i64),
    /// A ratio or a rate.
    Real(f64),
    /// One of a few words.
    Word(&'static str),
}

/// One number of a row.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The number's name in files and in Python.
    pub name: &'static str,
    /// What the number counts.
    pub unit: Unit,
    /// How a row tells it.
    pub read: Read,
    /// What it is, one sentence.
    pub about: &'static str,
}

impl Field {
    /// What a row says; `None` where the number is absent.
    pub fn of(&self, row: &SpanRow) -> Option<Number> {
        match self.read {
            Read::Always(of) => Some(Number::Whole(of(row).into())),
            Read::Whole(of) => of(row).map(|number| Number::Whole(number.into())),
            Read::Signed(of) => of(row).map(Number::Signed),
            Read::Wide(of) => of(row).map(Number::Whole),
            Read::Real(of) => of(row).map(Number::Real),
            Read::Word(of) => of(row).map(Number::Word),
        }
    }

    /// Whether there is anything to tell: a number that every row has tells nothing by a zero.
    fn is_told(&self, row: &SpanRow) -> bool {
        match self.read {
            Read::Always(of) => of(row) > 0,
            _ => self.of(row).is_some(),
        }
    }
}

/// Numbers that are measured together.
#[derive(Debug)]
pub struct Group {
    /// Why a row lacks them that says nothing itself.
    pub absent: Option<&'static str>,
    /// Whether CSV has their columns only where a row tells one of them.
    pub is_optional: bool,
    /// The numbers.
    pub fields: &'static [Field],
}

impl Group {
    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|field| field.name)
    }

    /// Whether a row tells any of them.
    pub fn is_told(&self, row: &SpanRow) -> bool {
        self.fields.iter().any(|field| field.is_told(row))
    }

    /// Notes in a row why it lacks them.
    pub fn explain(&self, row: &mut SpanRow, reason: &str) {
        explain(row, self.names(), reason);
    }
}

/// Notes in a row why it lacks some numbers.
pub fn explain<'a>(row: &mut SpanRow, names: impl IntoIterator<Item = &'a str>, reason: &str) {
    for name in names {
        row.why
            .insert(name.to_owned(), Unavailable(reason.to_owned()));
    }
}

/// Every number, in the order of tables.
pub fn all() -> impl Iterator<Item = &'static Field> {
    GROUPS.iter().flat_map(|group| group.fields)
}

/// The number of a name.
pub fn named(name: &str) -> Option<&'static Field> {
    all().find(|field| field.name == name)
}

/// Numbers that somebody may have meant who named one that isn't there, the likeliest first.
pub fn near(wanted: &str) -> Vec<&'static str> {
    let wanted = wanted.to_lowercase();
    let names = || all().map(|field| field.name);
    let unit_forgotten = format!("{wanted}_");
    let found: Vec<_> = names()
        .filter(|name| name.starts_with(&unit_forgotten))
        .collect();
    if !found.is_empty() {
        return found;
    }
    let found: Vec<_> = names()
        .filter(|name| name.split('_').any(|part| part == wanted))
        .collect();
    if !found.is_empty() {
        return found;
    }
    let likeness = |name: &str| strsim::jaro_winkler(name, &wanted);
    let mut found: Vec<_> = names().filter(|name| likeness(name) > 0.85).collect();
    found.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)));
    found
}

/// Why rows lack numbers of which they say nothing themselves, by name.
pub fn unavailable() -> BTreeMap<String, Unavailable> {
    let named = |name: &str, reason: &str| (name.to_owned(), Unavailable(reason.to_owned()));
    let each = GROUPS
        .iter()
        .filter_map(|group| group.absent.zip(Some(group)));
    each.flat_map(|(reason, group)| group.names().map(move |name| named(name, reason)))
        .collect()
}

#[cfg(test)]
mod tests;
