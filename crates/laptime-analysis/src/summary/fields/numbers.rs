//! A number of a row, and the macro that writes a struct of a row and its lines of the table from one list.
//!
//! A line `name: type, unit in group;` is a number: a field of the struct, whose docs are what CSV, Arrow and Python
//! say of it. A line without a unit is a field only. Before them stands what serde is told of each field.

/// Unit of a number.
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
    /// A value from a fixed list of words, such as `memory`.
    Name,
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number that every row has.
    Always,
    /// A number of 64 bits.
    Whole,
    /// A number that may be below zero.
    Signed,
    /// A number that 64 bits may not hold.
    Wide,
    /// A ratio or a rate.
    Real,
    /// One of a few words.
    Word,
}

/// A number that was read from a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A number that is not below zero.
    Whole(u128),
    /// A number that may be below zero.
    Signed(i64),
    /// A ratio or a rate.
    Real(f64),
    /// One of a few words.
    Word(&'static str),
}

/// Group of numbers that are measured together, in the order of tables. Optional groups stand last, so that a
/// new column moves no older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Number of spans, and their time.
    Totals,
    /// Durations, which only finished spans have.
    Durations,
    /// Part of the wall time.
    Share,
    /// CPU time.
    Cpu,
    /// Time from start to end of spans that were suspended in between.
    Suspended,
    /// Spans that aren't whole.
    Partial,
    /// Least and most of the host's memory, nets first.
    HostMemory,
    /// Operations of a row, and their rates.
    Operations,
    /// Waiting for a processor.
    Delay,
    /// Time by a device's own events.
    DeviceTime,
    /// Least and most of a device's memory, nets first.
    DeviceMemory,
    /// Launches that were not awaited.
    Launches,
    /// Memory that all spans together left, and how much spans differ in it.
    KeptMemory,
    /// Energy of its devices.
    Energy,
    /// Time beside that of the row around it.
    Apart,
}

/// A type that a field with a number may have.
pub trait IsNumber: Copy {
    /// Kind of the number.
    const KIND: Kind;

    /// Returns the number, where there is one.
    fn number(self) -> Option<Number>;
}

impl IsNumber for u64 {
    const KIND: Kind = Kind::Always;

    fn number(self) -> Option<Number> {
        Some(Number::Whole(self.into()))
    }
}

macro_rules! optional {
    ($($type:ty, $kind:ident, $number:expr;)*) => {
        $(impl IsNumber for Option<$type> {
            const KIND: Kind = Kind::$kind;

            fn number(self) -> Option<Number> {
                self.map($number)
            }
        })*
    };
}

optional! {
    u64, Whole, |number| Number::Whole(number.into());
    i64, Signed, Number::Signed;
    u128, Wide, Number::Whole;
    f64, Real, Number::Real;
}

/// A number of a struct.
pub struct Line<T> {
    pub name: &'static str,
    pub unit: Unit,
    pub group: Group,
    pub kind: Kind,
    pub about: &'static str,
    pub read: fn(&T) -> Option<Number>,
}

/// A struct of numbers, and `NUMBERS`, their lines.
macro_rules! numbers {
    (
        serde $each:tt;
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[doc = $about:literal])+ $(#[serde $serde:tt])? $(#[cfg_attr $schema:tt])?
            pub $field:ident: $kind:ident $(<$of:ident>)? $(, $unit:ident in $group:ident)?;)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[doc = $about])+ #[serde $each] $(#[serde $serde])? $(#[cfg_attr $schema])?
            pub $field: $kind $(<$of>)?,)*
        }

        impl $name {
            /// A line for each field that is a number.
            pub(crate) const NUMBERS: &[Option<$crate::summary::fields::numbers::Line<Self>>] = &[
                $($crate::summary::fields::numbers::line!(
                    $field, concat!($($about),+), $kind $(<$of>)? $(, $unit in $group)?
                )),*
            ];
        }
    };
}

/// The line of a field, if it is a number.
macro_rules! line {
    ($field:ident, $about:expr, $kind:ty) => {
        None
    };
    ($field:ident, $about:expr, $kind:ty, $unit:ident in $group:ident) => {
        Some($crate::summary::fields::numbers::Line {
            name: stringify!($field),
            unit: $crate::summary::fields::numbers::Unit::$unit,
            group: $crate::summary::fields::numbers::Group::$group,
            kind: <$kind as $crate::summary::fields::numbers::IsNumber>::KIND,
            about: $about.trim_ascii(),
            read: |row| $crate::summary::fields::numbers::IsNumber::number(row.$field),
        })
    };
}

pub(crate) use {line, numbers};
