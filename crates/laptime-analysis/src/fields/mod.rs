//! The numbers of a row, each once: its name, its unit, how it is read, and why it is absent.
//!
//! A new number is one line of [`SpanRow`] or of a struct in it, see [`numbers`]. JSON and its schema, CSV, Arrow's
//! tables, Python's `SpanSummary` and its stubs are made of it.

pub(crate) mod numbers;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use laptime_core::Unavailable;

use crate::device_row::DeviceRow;
use crate::memory_row::HostMemoryRow;
use crate::span_row::SpanRow;
use crate::work_row::WorkRow;

/// Every number, by its group.
static ALL: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let rows = [
        SpanRow::NUMBERS,
        DeviceRow::NUMBERS,
        HostMemoryRow::NUMBERS,
        WorkRow::NUMBERS,
    ];
    let mut all: Vec<Field> = rows.into_iter().flatten().flatten().copied().collect();
    all.sort_by_key(|field| field.group);
    all
});

/// What all spans of a row left in memory, which `other` has too.
pub const KEPT: &str = "host_memory_kept_bytes";

/// Why a row has neither the host's memory nor a device's.
const NO_MEMORY: &str = "memory was not recorded";

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
    /// What is measured with it.
    pub group: Group,
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

/// Numbers that are measured together, in the order of tables. What is optional stands last, so that a new column moves no
/// older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// How many spans, and how long.
    Totals,
    /// What only finished spans have.
    Durations,
    /// The part of the wall time.
    Share,
    /// CPU time.
    Cpu,
    /// What was suspended in between.
    Suspended,
    /// What isn't whole.
    Partial,
    /// Least and most of the host's memory, nets first.
    HostMemory,
    /// What a row's operations did.
    Operations,
    /// Waiting for a processor.
    Delay,
    /// Time by a device's own events.
    DeviceTime,
    /// Least and most of a device's memory, nets first.
    DeviceMemory,
    /// What was launched and not awaited.
    Launches,
    /// What is left of all spans together, and how much they differ.
    KeptMemory,
    /// What its devices drew.
    Energy,
    /// What ran beside the row around it.
    Apart,
}

impl Group {
    /// Why a row lacks them that says nothing itself.
    pub const fn absent(self) -> Option<&'static str> {
        Some(match self {
            Self::Cpu => {
                "no span measured it; it is opt-in because reading that clock costs more than a span"
            }
            Self::Suspended => "no span was suspended",
            Self::HostMemory | Self::KeptMemory | Self::DeviceMemory => NO_MEMORY,
            Self::Operations => "operations were not counted",
            Self::Delay => "no timer measured it; Timer(cpu=True) does, where the kernel tells it",
            Self::DeviceTime => "no device was timed",
            Self::Energy => "no device with an energy counter was sampled",
            _ => return None,
        })
    }

    /// Whether CSV has their columns only where a row tells one of them.
    pub fn is_optional(self) -> bool {
        self >= Self::Operations
    }

    /// The numbers.
    pub fn fields(self) -> &'static [Field] {
        let is_it = |fields: &&[Field]| fields[0].group == self;
        groups().find(is_it).unwrap_or_default()
    }

    /// Their names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.fields().iter().map(|field| field.name)
    }

    /// Whether a row tells any of them.
    pub fn is_told(self, row: &SpanRow) -> bool {
        self.fields().iter().any(|field| field.is_told(row))
    }

    /// Notes in a row why it lacks them.
    pub fn explain(self, row: &mut SpanRow, reason: &str) {
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
    ALL.iter()
}

/// The numbers of every group.
pub fn groups() -> impl Iterator<Item = &'static [Field]> {
    ALL.chunk_by(|one, next| one.group == next.group)
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
    let reason = |field: &Field| {
        let reason = field.group.absent()?;
        Some((field.name.to_owned(), Unavailable(reason.to_owned())))
    };
    all().filter_map(reason).collect()
}

#[cfg(test)]
mod tests;
