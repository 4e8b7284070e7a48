//! What a row says of the work that was done in its spans: operations, rates and what bounds them.

use serde::Serialize;

/// A row's work, where operations were counted.
///
/// **Units** operations, bytes, and those for each second; ratios are of 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(test, derive(serde::Deserialize), serde(default))]
pub struct WorkRow {
    /// Multiply-accumulates of matrix products, convolutions and attention, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, serde(deserialize_with = "wide"))]
    pub mac: Option<u128>,
    /// Floating-point operations: two for each multiply-accumulate, or what the program said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, serde(deserialize_with = "wide"))]
    pub flop: Option<u128>,
    /// Floating-point operations, those of all other arithmetic too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, serde(deserialize_with = "wide"))]
    pub total_flop: Option<u128>,
    /// Floating-point operations of `flop` that ran, with what runs again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, serde(deserialize_with = "wide"))]
    pub executed_flop: Option<u128>,
    /// Bytes read and written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, serde(deserialize_with = "wide"))]
    pub bytes_moved: Option<u128>,
    /// FLOP over the time of the spans whose FLOP are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flop_per_s: Option<f64>,
    /// Bytes over the time of the spans whose bytes are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_moved_per_s: Option<f64>,
    /// FLOP for each byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intensity: Option<f64>,
    /// FLOP per second over the peak that is named beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mfu_ratio: Option<f64>,
    /// Executed FLOP per second over the peak that is named beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hfu_ratio: Option<f64>,
    /// What bounds it on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundBy>,
    /// The part of its spans, or of the calls of operators in it, whose work is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations_coverage_ratio: Option<f64>,
}

/// What bounds a row's rate on a machine, by its intensity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum BoundBy {
    /// Moving bytes: more arithmetic would cost nothing.
    Memory,
    /// Arithmetic: the bytes come in time.
    Arithmetic,
}

impl BoundBy {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Arithmetic => "arithmetic",
        }
    }
}

/// What serde can't read of its own in a struct that is part of another.
#[cfg(test)]
fn wide<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u128>, D::Error> {
    let number = <Option<u64> as serde::Deserialize>::deserialize(deserializer)?;
    Ok(number.map(u128::from))
}
