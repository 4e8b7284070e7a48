//! Time of a span on a device, as the device's own events told it.
//!
//! The recorder writes it when the device got there, which may be long after the span itself; so it
//! tells the span's path, and when the span ran on the host.

use crate::path::PathId;

/// A span whose work went to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceSpan {
    /// The span's path.
    pub path: PathId,
    /// When the span began on the host, in ticks.
    pub start: u64,
    /// How long it was open on the host, in ticks.
    pub duration: u64,
    /// Thread or task.
    pub track: u32,
    /// The device's index.
    pub device: u32,
    /// The stream that was current when the span began; 0 is the default one.
    pub stream: u64,
    /// It goes on with a span that was told before: its time is added, and it isn't counted.
    pub continues: bool,
    /// What the device told, or why it told nothing.
    pub times: Result<DeviceTimes, NoDeviceTime>,
}

/// What a device told of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceTimes {
    /// From the start event to the end event, in nanoseconds, idle times between kernels included.
    pub duration_ns: u64,
    /// Whether the device had begun the span when the host had launched all of its work: it was not behind.
    pub launch_bound: bool,
    /// How the device stood to the host; none where the two clocks can't be tied.
    pub place: Option<DevicePlace>,
}

/// How far a device was behind its host during a span, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DevicePlace {
    /// From the span's start on the host to its start on the device: at least that long.
    pub lag_ns: u64,
    /// From the span's end on the host to its end on the device: at least that long.
    pub tail_least_ns: u64,
    /// At most that long.
    pub tail_most_ns: u64,
}

/// Why a span has no time on its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum NoDeviceTime {
    /// For a reason that a later version knows.
    #[default]
    Unknown,
    /// A graph was being captured.
    Captured,
    /// As many spans as are allowed were waiting for the device.
    TooManyPending,
    /// The span ended under another context than it began under.
    OtherContext,
    /// The driver returned an error, which a note tells.
    Failed,
    /// The device had not finished when nobody waited any longer.
    StillRunning,
    /// The driver had shut down, or can't be used in this process.
    Gone,
}

impl NoDeviceTime {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 7] = [
        Self::Unknown,
        Self::Captured,
        Self::TooManyPending,
        Self::OtherContext,
        Self::Failed,
        Self::StillRunning,
        Self::Gone,
    ];

    /// The one with a code.
    pub fn of(code: u64) -> Self {
        let code = usize::try_from(code).unwrap_or(usize::MAX);
        Self::ALL.get(code).copied().unwrap_or_default()
    }

    /// In words, after "because".
    pub fn reason(self) -> &'static str {
        match self {
            Self::Unknown => "the recording has a reason that this version doesn't know",
            Self::Captured => {
                "a graph was being captured: its work runs when the graph is replayed"
            }
            Self::TooManyPending => "too many spans were waiting for the device",
            Self::OtherContext => {
                "the device in use changed between the start and the end of the span"
            }
            Self::Failed => "the driver returned an error",
            Self::StillRunning => {
                "the device had not finished the span's work when recording ended"
            }
            Self::Gone => "the driver had shut down",
        }
    }
}

/// Sums over the spans of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceTally {
    /// Spans whose time on the device is known.
    pub count: u64,
    /// Their times, in nanoseconds.
    pub total_ns: u64,
    /// How many of them the device had begun when the host had launched all of their work.
    pub launch_bound: u64,
    /// Spans without one, by the code of the reason.
    pub untimed: [u64; NoDeviceTime::ALL.len()],
}

impl DeviceTally {
    /// Adds a span.
    pub fn add(&mut self, span: &DeviceSpan) {
        let counts = u64::from(!span.continues);
        match span.times {
            Ok(times) => {
                self.count += counts;
                self.total_ns = self.total_ns.saturating_add(times.duration_ns);
                self.launch_bound += if times.launch_bound { counts } else { 0 };
            }
            Err(why) => self.untimed[why as usize] += counts,
        }
    }

    /// Adds those of other spans.
    pub fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.launch_bound += other.launch_bound;
        for (sum, more) in self.untimed.iter_mut().zip(other.untimed) {
            *sum += more;
        }
    }

    /// The most frequent reason why spans have no time, and how many have none.
    pub fn without(&self) -> Option<(NoDeviceTime, u64)> {
        let each = NoDeviceTime::ALL.into_iter().zip(self.untimed);
        let (why, most) = each.max_by_key(|(_, count)| *count)?;
        (most > 0).then(|| (why, self.untimed.iter().sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_place_in_the_list() {
        for (code, reason) in NoDeviceTime::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, code);
            assert_eq!(NoDeviceTime::of(code as u64), reason);
        }
        assert_eq!(NoDeviceTime::of(u64::MAX), NoDeviceTime::Unknown);
    }
}
