//! Reasons to doubt what is known of a device: its times, its memory, and work that was under way when a lap ended.

/// Code of a doubt about laps that ended while JAX computed, and of the recorder's note about a program as a whole.
pub const LAUNCHES: &str = "launches";
/// Code of a doubt about peaks that are not exact.
pub const WITHIN_BOUNDS: &str = "device-memory-bounds";

/// A path whose laps were looked at as they ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// The path, printed.
    pub path: String,
    /// Laps that ended while JAX computed.
    pub in_flight_count: u64,
    /// Laps that were looked at.
    pub look_count: u64,
}

/// A path of which some spans have no device time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntimedSpans {
    /// The path, printed.
    pub path: String,
    /// Spans without device time.
    pub count: u64,
    /// All spans that were to be timed.
    pub span_count: u64,
    /// The most frequent reason, a phrase.
    pub reason: &'static str,
}

/// A reason to doubt what is known of a device.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceDoubt {
    /// Laps of a row ended while JAX computed what they had launched.
    RowInFlight(LookedAt),
    /// Laps of several rows did.
    InFlight {
        /// The rows, in their order.
        rows: Vec<LookedAt>,
    },
    /// Peaks of device memory are bounds in spans of a row.
    RowPeakBounds {
        /// Such spans.
        count: u64,
        /// Spans with memory of devices.
        span_count: u64,
    },
    /// Peaks of device memory are bounds in rows.
    PeakBounds {
        /// Such rows.
        row_count: u64,
    },
    /// Some spans have no device time.
    Untimed {
        /// The paths, in the order of the rows.
        paths: Vec<UntimedSpans>,
    },
    /// Segments of a timer have host time in rows of device time.
    MixedClocks {
        /// Such segments.
        count: u64,
    },
}

impl DeviceDoubt {
    /// Returns a stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RowInFlight(_) | Self::InFlight { .. } => LAUNCHES,
            Self::RowPeakBounds { .. } | Self::PeakBounds { .. } => WITHIN_BOUNDS,
            Self::Untimed { .. } => "device-partial",
            Self::MixedClocks { .. } => "mixed-clocks",
        }
    }
}
