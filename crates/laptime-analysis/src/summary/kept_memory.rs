//! Laps that leave memory behind, as findings name them.
//!
//! Input is what laps left by themselves, net of what they freed; the rules of [`crate::findings`] fill it in.

use serde::Serialize;

/// A lap that leaves memory behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Keeper {
    /// The path of the lap.
    pub path: String,
    /// The bytes that it leaves per step by itself, without the laps inside.
    pub per_step_bytes: u64,
}

/// Two laps, or more, of which some hold what others free.
///
/// **Units** bytes per step, with what is in the laps inside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passing {
    /// The path of the lap that leaves most.
    pub from_path: String,
    /// The bytes that it leaves.
    pub from_bytes: i64,
    /// The path of the lap that frees most; of a lap around others, what it does outside of these.
    pub to_path: String,
    /// The bytes that it leaves: below 0.
    pub to_bytes: i64,
    /// Others that leave much as well, the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Keeper>,
}
