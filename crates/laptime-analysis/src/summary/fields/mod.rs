//! The numbers of a row, each once: its name, its unit, how it is read, and why it is absent.
//!
//! A new number is one line of [`SpanRow`] or of a struct in it, see [`numbers`]. JSON and its schema, CSV, Arrow's
//! tables, Python's `SpanSummary` and its stubs are made of it.

pub(crate) mod numbers;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use laptime_core::Unavailable;

use crate::summary::device_row::DeviceRow;
use crate::summary::memory_row::HostMemoryRow;
use crate::summary::span_row::SpanRow;
use crate::summary::work_row::WorkRow;
use numbers::Line;
pub use numbers::{Group, Kind, Number, Unit};

/// All numbers, by their groups.
static ALL: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let all = Field::all_of(SpanRow::NUMBERS, |row| row);
    let all = all.chain(Field::all_of(DeviceRow::NUMBERS, |row| &row.device));
    let all = all.chain(Field::all_of(HostMemoryRow::NUMBERS, |row| &row.memory));
    let all = all.chain(Field::all_of(WorkRow::NUMBERS, |row| &row.work));
    let mut all: Vec<Field> = all.collect();
    all.sort_by_key(|field| field.group);
    all
});

/// Name of the memory that all spans of a row left, together, which `other` has too.
pub const KEPT: &str = "host_memory_kept_bytes";

/// The way to read a number of a row.
type Read = Box<dyn Fn(&SpanRow) -> Option<Number> + Send + Sync>;

/// One number of a row.
pub struct Field {
    /// The number's name in files and in Python.
    pub name: &'static str,
    /// Unit of the number.
    pub unit: Unit,
    /// Group of numbers that are measured together.
    pub group: Group,
    /// Its type.
    pub kind: Kind,
    /// Description in one sentence.
    pub about: &'static str,
    read: Read,
}

impl Field {
    /// Returns the numbers of a part of a row.
    fn all_of<T>(
        lines: &'static [Option<Line<T>>],
        part: fn(&SpanRow) -> &T,
    ) -> impl Iterator<Item = Self> {
        lines.iter().flatten().map(move |line| Self {
            name: line.name,
            unit: line.unit,
            group: line.group,
            kind: line.kind,
            about: line.about,
            read: Box::new(move |row| (line.read)(part(row))),
        })
    }

    /// Returns the number of a row; `None` where it is absent.
    pub fn number_of(&self, row: &SpanRow) -> Option<Number> {
        (self.read)(row)
    }

    /// Tells whether there is anything to tell: a number that every row has tells nothing by a zero.
    fn is_told(&self, row: &SpanRow) -> bool {
        let is_zero = |number| self.kind == Kind::Always && number == Number::Whole(0);
        self.number_of(row).is_some_and(|number| !is_zero(number))
    }
}

impl Group {
    /// Returns why a row lacks the group's numbers that says nothing itself.
    pub const fn absent(self) -> Option<&'static str> {
        Some(match self {
            Self::Cpu => {
                "no span measured it; it is opt-in because reading that clock costs more than a span"
            }
            Self::Suspended => "no span was suspended",
            Self::HostMemory | Self::KeptMemory | Self::DeviceMemory => "memory was not recorded",
            Self::Operations => "operations were not counted",
            Self::Delay => "no timer measured it; Timer(cpu=True) does, where the kernel tells it",
            Self::DeviceTime => "no device was timed",
            Self::Energy => "no device with an energy counter was sampled",
            _ => return None,
        })
    }

    /// Tells whether CSV has the group's columns only where a row tells one of them.
    pub fn is_optional(self) -> bool {
        self >= Self::Operations
    }

    /// Returns the numbers of the group.
    pub fn fields(self) -> &'static [Field] {
        let is_it = |fields: &&[Field]| fields[0].group == self;
        groups().find(is_it).unwrap_or_default()
    }

    /// Returns the names of the group's numbers.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.fields().iter().map(|field| field.name)
    }

    /// Tells whether a row tells any number of the group.
    pub fn is_told(self, row: &SpanRow) -> bool {
        self.fields().iter().any(|field| field.is_told(row))
    }

    /// Notes in a row why it lacks the group's numbers.
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

/// Returns every number, in the order of tables.
pub fn all() -> impl Iterator<Item = &'static Field> {
    ALL.iter()
}

/// Returns the numbers of every group.
pub fn groups() -> impl Iterator<Item = &'static [Field]> {
    ALL.chunk_by(|one, next| one.group == next.group)
}

/// Returns the number with a name.
pub fn find(name: &str) -> Option<&'static Field> {
    all().find(|field| field.name == name)
}

/// Returns the numbers that somebody may have meant who named one that isn't there, the likeliest first.
pub fn near(wanted: &str) -> Vec<&'static str> {
    let wanted = wanted.to_lowercase();
    let names = || all().map(|field| field.name);
    let unit_forgotten = wanted.clone() + "_";
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

/// Returns why rows lack numbers of which they say nothing themselves, by name.
pub fn unavailable() -> BTreeMap<String, Unavailable> {
    let reason = |field: &Field| {
        let reason = field.group.absent()?;
        Some((field.name.to_owned(), Unavailable(reason.to_owned())))
    };
    all().filter_map(reason).collect()
}

#[cfg(test)]
#[path = "tests/fields.rs"]
mod tests;
