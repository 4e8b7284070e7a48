//! Reasons to doubt spans: how they were closed, what they are called, and what memory they carry.

/// A part of the spans of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPart {
    /// The path, printed.
    pub path: String,
    /// Spans of that part.
    pub count: u64,
    /// All spans of the path.
    pub span_count: u64,
}

/// A reason to doubt spans.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub enum SpansDoubt {
    /// Spans inside of a path ran longer than it did.
    ChildrenExceed {
        /// The path that was exceeded most.
        path: String,
        /// By how much.
        excess_ns: u64,
        /// Paths that were exceeded.
        path_count: u64,
    },
    /// Spans cover more than the wall time.
    Overlap {
        /// By how much.
        excess_ns: u64,
    },
    /// Outermost laps of one thread ran at the same time.
    Doubled {
        /// For how long.
        doubled_ns: u64,
    },
    /// Spans were closed out of order, or not at all.
    Unbalanced {
        /// Such spans.
        count: u64,
        /// The path that most of them are of.
        path: String,
        /// Whether all of them are of that path.
        is_single_path: bool,
    },
    /// Names of laps differ by a number only.
    NumberedNames {
        /// The path with `#` for each number.
        pattern: String,
        /// Spans of such a path.
        span_count: u64,
        /// Different names.
        name_count: u64,
        /// Other patterns of which the same holds.
        other_kind_count: u64,
    },
    /// Memory was counted in only a part of the spans of a path.
    MemoryPartial {
        /// The paths, in the order of the rows.
        paths: Vec<PathPart>,
    },
}

impl SpansDoubt {
    /// Returns a stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ChildrenExceed { .. } => "children-exceed",
            Self::Overlap { .. } => "overlap",
            Self::Doubled { .. } => "doubled",
            Self::Unbalanced { .. } => "unbalanced",
            Self::NumberedNames { .. } => "numbered-names",
            Self::MemoryPartial { .. } => "memory-partial",
        }
    }
}
