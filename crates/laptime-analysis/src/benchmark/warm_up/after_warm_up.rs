//! Changes of the steps after warm-up.

use serde::Serialize;

use super::changes::Change;

/// Behaviour of steps after warm-up.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Later {
    /// They grew longer or shorter all the time: the median of their last third over that of the first, less 1.
    Trend(f64),
    /// At these places they went to another level, in order; there is one at least.
    Changes(Vec<Change>),
}
