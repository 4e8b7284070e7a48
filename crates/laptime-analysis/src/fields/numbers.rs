//! Writes the struct of a row and its lines of the table of fields from one list.
//!
//! A line `name: type, unit in group;` is a number: a field of the struct, whose docs are what CSV, Arrow and Python
//! say of it. A line without a unit is a field only. Before them stand where a row has the struct, and what serde is
//! told of each field.

/// A struct of numbers, and `NUMBERS`, their lines in the table of fields.
macro_rules! numbers {
    (
        |$row:ident| $at:expr, serde $each:tt;
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
            pub(crate) const NUMBERS: &[Option<$crate::fields::Field>] = &[$($crate::fields::numbers::number!(
                $field, concat!($($about),+), |$row| $at.$field, $kind $(<$of>)? $(, $unit in $group)?
            )),*];
        }
    };
}

/// A line of the table, of a field that is a number.
macro_rules! number {
    ($field:ident, $about:expr, |$row:ident| $at:expr, $kind:ident $(<$of:ident>)?) => {
        None
    };
    ($field:ident, $about:expr, |$row:ident| $at:expr, $kind:ident $(<$of:ident>)?, $unit:ident in $group:ident) => {
        Some($crate::fields::Field {
            name: stringify!($field),
            unit: $crate::fields::Unit::$unit,
            group: $crate::fields::Group::$group,
            read: $crate::fields::numbers::read!(|$row| $at, $kind $(<$of>)?),
            about: $about.trim_ascii(),
        })
    };
}

/// How a field is read, by its type.
macro_rules! read {
    (|$row:ident| $at:expr, u64) => {
        $crate::fields::Read::Always(|$row| $at)
    };
    (|$row:ident| $at:expr, Option<u64>) => {
        $crate::fields::Read::Whole(|$row| $at)
    };
    (|$row:ident| $at:expr, Option<i64>) => {
        $crate::fields::Read::Signed(|$row| $at)
    };
    (|$row:ident| $at:expr, Option<u128>) => {
        $crate::fields::Read::Wide(|$row| $at)
    };
    (|$row:ident| $at:expr, Option<f64>) => {
        $crate::fields::Read::Real(|$row| $at)
    };
    (|$row:ident| $at:expr, Option<BoundBy>) => {
        $crate::fields::Read::Word(|$row| $at.map(BoundBy::name))
    };
}

pub(crate) use {number, numbers, read};
