//! Reasons to doubt the file of one process: its clock, its paths, how it ends, and what is missing of it.

/// A process as messages call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessName {
    /// Last component of the program's or script's name; empty where it is not known.
    pub program: String,
    /// Process id.
    pub pid: u32,
}

/// A lap that was open when a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenLap {
    /// The lap's path.
    pub path: String,
    /// How long it had been open, in nanoseconds.
    pub age_ns: u64,
}

/// A reason to doubt the file of one process.
///
/// **Units** bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum ProcessDoubt {
    /// A reason to doubt the clock.
    Clock(ClockDoubt),
    /// Spans without a row of their own.
    Paths(PathsDoubt),
    /// The file was closed and has fewer bytes now.
    CutOff {
        /// Bytes that are there.
        there_bytes: u64,
        /// Bytes that were written.
        written_bytes: u64,
    },
    /// Windows of a closed file hold nothing.
    EmptyWindows {
        /// Such windows.
        count: u64,
    },
    /// The process ended without closing its file.
    NotClosed(NotClosed),
    /// Spans were lost.
    LostSpans {
        /// Spans known to be lost; 0 where recording stopped.
        count: u64,
        /// The system's number for the error that stopped the writing, if one did.
        errno: Option<i32>,
    },
}

impl ProcessDoubt {
    /// Returns a stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Clock(doubt) => doubt.code(),
            Self::Paths(doubt) => doubt.code(),
            Self::CutOff { .. } | Self::NotClosed(NotClosed { is_cut: true, .. }) => "truncated",
            Self::EmptyWindows { .. } => "empty-windows",
            Self::NotClosed(_) => "not-closed",
            Self::LostSpans { .. } => "lost-spans",
        }
    }
}

/// A reason to doubt the clock of a process, on which all its times rest.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub enum ClockDoubt {
    /// Durations were below zero, as the clock ran backwards.
    Clamped {
        /// Durations that were set to zero.
        count: u64,
    },
    /// The machine was suspended while the process ran.
    Suspended {
        /// For how long.
        suspended_ns: u64,
    },
    /// The process was too short to measure the rate of its clock.
    Nominal,
    /// The clock's readings contradict each other.
    Contradicting,
    /// The clock's rate changed.
    Uneven {
        /// By which part the fastest rate lies above the slowest.
        change_ratio: f64,
    },
}

impl ClockDoubt {
    fn code(&self) -> &'static str {
        match self {
            Self::Clamped { .. } => "clamped-durations",
            Self::Suspended { .. } => "suspended",
            Self::Nominal => "nominal-clock",
            Self::Contradicting => "doubtful-clock",
            Self::Uneven { .. } => "uneven-clock",
        }
    }
}

/// Spans without a row of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathsDoubt {
    /// Spans were nested in more spans of one name than are told apart.
    DeepRecursion {
        /// Spans in the innermost level that came from deeper ones.
        count: u64,
    },
    /// Spans were nested deeper than paths reach.
    TooDeep {
        /// Such spans.
        count: u64,
    },
    /// There were more paths, or more of their names, than are kept apart.
    TooMany {
        /// Outermost spans without a path of their own, which are in `<overflow>`.
        outermost_count: u64,
        /// Other ones, which are in the row around them.
        inside_count: u64,
    },
}

impl PathsDoubt {
    fn code(&self) -> &'static str {
        match self {
            Self::DeepRecursion { .. } => "deep-recursion",
            Self::TooDeep { .. } => "too-deep",
            Self::TooMany { .. } => "too-many-paths",
        }
    }
}

/// The file of a process that ended without closing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotClosed {
    /// The innermost open lap of the first track that had one.
    pub open: Option<OpenLap>,
    /// Other tracks with open spans.
    pub other_track_count: u64,
    /// Whether the file is cut off too.
    pub is_cut: bool,
    /// Records that may be missing of the end beside open spans.
    pub may_lack: Vec<LastRecords>,
}

/// Records that a process writes after what they are about, so that the last ones may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastRecords {
    /// Times of spans on a device.
    DeviceTimes,
    /// Phases of a batch.
    Phases,
    /// Samples of stacks.
    Samples,
}
