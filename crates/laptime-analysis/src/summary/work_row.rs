//! A row's numbers of the work in its spans: operations, rates and what bounds them.

use serde::Serialize;

use crate::summary::fields::numbers::{IsNumber, Kind, Number, numbers};

numbers! {
    serde (skip_serializing_if = "Option::is_none");
    /// A row's work, where operations were counted.
    ///
    /// **Units** operations, bytes, and those for each second; ratios are of 1.
    #[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct WorkRow {
        /// Multiply-accumulates of matrix products, convolutions and attention, where they were counted.
        pub mac: Option<u128>, Mac in Operations;
        /// Floating-point operations: two for each multiply-accumulate, or what the program said.
        pub flop: Option<u128>, Flop in Operations;
        /// Floating-point operations, those of all other arithmetic too.
        pub total_flop: Option<u128>, Flop in Operations;
        /// Floating-point operations of `flop` that ran, with what runs again.
        pub executed_flop: Option<u128>, Flop in Operations;
        /// Bytes read and written.
        pub bytes_moved: Option<u128>, Bytes in Operations;
        /// FLOP over the time of the spans whose FLOP are known.
        pub flop_per_s: Option<f64>, FlopRate in Operations;
        /// Bytes over the time of the spans whose bytes are known.
        pub bytes_moved_per_s: Option<f64>, ByteRate in Operations;
        /// FLOP for each byte.
        pub intensity: Option<f64>, FlopPerByte in Operations;
        /// FLOP per second over the peak that is named beside.
        pub mfu_ratio: Option<f64>, Ratio in Operations;
        /// Executed FLOP per second over the peak that is named beside.
        pub hfu_ratio: Option<f64>, Ratio in Operations;
        /// Resource that bounds the row on this machine.
        pub bound: Option<BoundBy>, Name in Operations;
        /// The part of its spans, or of the calls of operators in it, whose work is known.
        pub operations_coverage_ratio: Option<f64>, Ratio in Operations;
    }
}

/// Resource that bounds a row's rate on a machine, by its intensity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BoundBy {
    /// Moving bytes: more arithmetic would cost nothing.
    Memory,
    /// Arithmetic: the bytes come in time.
    Arithmetic,
}

impl BoundBy {
    /// Returns the word for the resource.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Arithmetic => "arithmetic",
        }
    }
}

impl IsNumber for Option<BoundBy> {
    const KIND: Kind = Kind::Word;

    fn number(self) -> Option<Number> {
        self.map(|bound| Number::Word(bound.name()))
    }
}
