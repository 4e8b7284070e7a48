//! One function on both sides: its times, their differences, and whether they are sure.

use serde::Serialize;

use super::time_difference::TimeDifference;
use crate::summary::call_tree::CallKind;

/// One function on both sides.
///
/// **Units** nanoseconds for each step or run; of several runs the mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionRow {
    /// The function, as the new side has it; as the base has it where only that has samples of it.
    #[serde(flatten)]
    pub call: CallKind,
    /// The function of the base that it stands for, where that has another name or file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<CallKind>,
    /// The base's times; `None` where it has no sample of the function, which may be called all the same.
    pub base: Option<FunctionSide>,
    /// The other side's times; `None` likewise.
    pub new: Option<FunctionSide>,
    /// Time below which the function is on the side without a sample of it, with 95 % confidence; for each step or run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsampled_below_ns: Option<f64>,
    /// Difference of its time without other functions of the program, and with what it calls of packages.
    #[serde(rename = "self")]
    pub own: TimeDifference,
    /// Difference of its time with all that it calls.
    pub total: TimeDifference,
    /// The part that surely got slower or faster; `None` where that isn't sure.
    pub changed: Option<ChangedPart>,
    /// Why a difference that chance doesn't explain is no sure change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<ChangeDoubt>,
    /// Whether it changed clearly otherwise than the rest of the program did, which a busy machine doesn't explain.
    pub stands_out: bool,
    /// The function of a package in which most of a sure change of its self time lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<LibraryChange>,
}

/// The part of a function's time that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangedPart {
    /// Its self time.
    #[serde(rename = "self")]
    Own,
    /// Its time with all that it calls, while no single function below it surely changed.
    Total,
}

/// The reason for which a difference of a function's self time that lies outside of chance is no sure change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeDoubt {
    /// It is smaller than what counts as a change or than runs of one program differ by, or has too few samples.
    Small,
    /// The rest of the program changed as well, as on a busy machine.
    Alike,
}

/// One side of a function.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionSide {
    /// The line in which most of its time went by; 0 where that isn't known.
    pub line: u32,
    /// Time in it and in what it calls of packages.
    pub self_ns: f64,
    /// Time in it and in all that it calls.
    pub total_ns: f64,
    /// Number of samples in it and in all that it calls.
    pub sample_count: u64,
}

/// The part of a function of a package in a change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryChange {
    /// The function of a package, or the import.
    #[serde(flatten)]
    pub call: CallKind,
    /// Time that is added in it.
    pub difference_ns: f64,
}

impl FunctionRow {
    /// Returns the difference of the part that surely changed.
    pub fn sure_change(&self) -> Option<&TimeDifference> {
        Some(match self.changed? {
            ChangedPart::Own => &self.own,
            ChangedPart::Total => &self.total,
        })
    }

    fn sides(&self, part: fn(&FunctionSide) -> f64) -> [f64; 2] {
        [&self.base, &self.new].map(|side| side.as_ref().map_or(0.0, part))
    }

    /// Returns the self times of both sides; 0 for one that lacks the function.
    pub fn self_ns(&self) -> [f64; 2] {
        self.sides(|side| side.self_ns)
    }

    /// Returns the times of both sides with all that it calls; 0 for one that lacks the function.
    pub fn total_ns(&self) -> [f64; 2] {
        self.sides(|side| side.total_ns)
    }
}
