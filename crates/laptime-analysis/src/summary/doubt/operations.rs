//! Reasons to doubt what was computed: operations that were counted or said for a part only.

use super::spans::PathPart;

/// A quantity that a program may say of its laps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidQuantity {
    /// Floating-point operations.
    Flop,
    /// Bytes moved.
    Bytes,
}

/// A path of which the program says a quantity for a part of the spans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartlySaid {
    /// The quantity.
    pub quantity: SaidQuantity,
    /// The path and the spans that carry the quantity.
    pub part: PathPart,
}

/// A path of which a part of the calls of operators was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct PartlyCounted {
    /// The path, printed.
    pub path: String,
    /// Part of the calls.
    pub coverage_ratio: f64,
}

/// A reason to doubt what was computed.
#[derive(Debug, Clone, PartialEq)]
pub enum OperationsDoubt {
    /// The program says what it computes for a part of the spans of a path.
    PartlySaid {
        /// The paths, in the order of the rows.
        paths: Vec<PartlySaid>,
    },
    /// Calls ran whose operations are not known.
    CallsLeftOut {
        /// Paths whose spans held uncounted calls, in row order.
        paths: Vec<PathPart>,
    },
    /// Only a part of the calls of operators was counted.
    PartlyCounted {
        /// The paths, in the order of the rows.
        paths: Vec<PartlyCounted>,
    },
    /// Every call of the model ran while its operations were being counted.
    CountedOnce,
}

impl OperationsDoubt {
    /// Returns a stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::PartlySaid { .. } => "operations-partial",
            Self::CallsLeftOut { .. } | Self::PartlyCounted { .. } => "operations-uncounted",
            Self::CountedOnce => "operations-once",
        }
    }
}
