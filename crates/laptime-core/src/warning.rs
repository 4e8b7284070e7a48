//! Why a number is absent, and why one is doubtful.
//!
//! Absent numbers are never 0: they carry an [`Unavailable`]. Doubtful ones stand
//! next to a [`Warning`]. Both are plain values that the report turns into text.

use serde::{Deserialize, Serialize};

/// Why a number is absent. A complete phrase in lower case, such as `no device was timed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unavailable(pub String);

impl std::fmt::Display for Unavailable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}

/// A reason for doubt about a recording or a number in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// A stable word for programs, such as `lost-spans`.
    pub code: String,
    /// What is doubtful and why, one sentence.
    pub message: String,
    /// What the user can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Warning {
    /// A warning without a hint.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what the user can do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
