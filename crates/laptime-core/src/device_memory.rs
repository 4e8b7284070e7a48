//! Memory of a span on a device, as the allocator of the program's framework told it.
//!
//! The recorder writes it when the span closes, and the analysis sums it by path. An allocator's
//! counters are its device's: what all threads allocated while the span was open is in them.

use crate::path::PathId;

/// A span during which a device's allocator was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMemorySpan {
    /// The span's path.
    pub path: PathId,
    /// When the span began on the host, in ticks.
    pub start: u64,
    /// Thread or task.
    pub track: u32,
    /// The device's index.
    pub device: u32,
    /// What the allocator told.
    pub memory: DeviceMemory,
}

/// What a device's allocator told of a span.
///
/// **Units** bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceMemory {
    /// Allocated at the span's end, less what was at its start.
    pub net_bytes: i64,
    /// Most that was allocated at any moment of it, over what was at its start: at least that much.
    pub peak_least_bytes: u64,
    /// At most that much. The same where the peak is known exactly.
    pub peak_most_bytes: u64,
    /// Held by the allocator at the span's end, less what it held at its start.
    pub reserved_net_bytes: i64,
    /// Most that the allocator held at any moment of it, in all; none where that is not known exactly.
    pub reserved_peak_bytes: Option<u64>,
}

impl DeviceMemory {
    /// Whether the peak is known to the byte.
    pub fn is_exact(&self) -> bool {
        self.peak_least_bytes == self.peak_most_bytes
    }

    /// That of a span in two pieces, of which this is the first. What happens between them is not in it.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let over = |peak: u64| peak.saturating_add_signed(self.net_bytes);
        let reserved = self.reserved_peak_bytes.zip(next.reserved_peak_bytes);
        Self {
            net_bytes: self.net_bytes.wrapping_add(next.net_bytes),
            peak_least_bytes: self.peak_least_bytes.max(over(next.peak_least_bytes)),
            peak_most_bytes: self.peak_most_bytes.max(over(next.peak_most_bytes)),
            reserved_net_bytes: self
                .reserved_net_bytes
                .wrapping_add(next.reserved_net_bytes),
            reserved_peak_bytes: reserved.map(|(one, other)| one.max(other)),
        }
    }
}

/// The memory of a span, or of a piece of one, on the device that it used most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOnDevice {
    /// The device's index.
    pub device: u32,
    /// What the allocator told.
    pub memory: DeviceMemory,
}

impl MemoryOnDevice {
    /// That of a span in two pieces; none where they used different devices most.
    #[must_use]
    pub fn then(self, next: Self) -> Option<Self> {
        (self.device == next.device).then(|| Self {
            device: self.device,
            memory: self.memory.then(next.memory),
        })
    }
}

/// Extremes over the spans of one path, on all devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceMemoryTally {
    /// Spans that these are the extremes of; one that was open on two devices counts twice.
    pub count: u64,
    /// How many of them have a peak that is only known within bounds.
    pub within_bounds: u64,
    /// Least change of allocated memory.
    pub net_min_bytes: i64,
    /// Greatest change of allocated memory.
    pub net_max_bytes: i64,
    /// Least peak that a span may have had.
    pub peak_min_bytes: u64,
    /// Greatest peak that a span may have had.
    pub peak_max_bytes: u64,
    /// Most that an allocator held; none where no span knows it.
    pub reserved_max_bytes: Option<u64>,
}

impl DeviceMemoryTally {
    /// Adds a span.
    pub fn add(&mut self, memory: &DeviceMemory) {
        self.merge(Self {
            count: 1,
            within_bounds: u64::from(!memory.is_exact()),
            net_min_bytes: memory.net_bytes,
            net_max_bytes: memory.net_bytes,
            peak_min_bytes: memory.peak_least_bytes,
            peak_max_bytes: memory.peak_most_bytes,
            reserved_max_bytes: memory.reserved_peak_bytes,
        });
    }

    /// Adds other spans.
    pub fn merge(&mut self, other: Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other;
            return;
        }
        self.count += other.count;
        self.within_bounds += other.within_bounds;
        self.net_min_bytes = self.net_min_bytes.min(other.net_min_bytes);
        self.net_max_bytes = self.net_max_bytes.max(other.net_max_bytes);
        self.peak_min_bytes = self.peak_min_bytes.min(other.peak_min_bytes);
        self.peak_max_bytes = self.peak_max_bytes.max(other.peak_max_bytes);
        self.reserved_max_bytes = self.reserved_max_bytes.max(other.reserved_max_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(net_bytes: i64, peak: (u64, u64), reserved: Option<u64>) -> DeviceMemory {
        DeviceMemory {
            net_bytes,
            peak_least_bytes: peak.0,
            peak_most_bytes: peak.1,
            reserved_net_bytes: 0,
            reserved_peak_bytes: reserved,
        }
    }

    #[test]
    fn a_span_in_pieces_peaks_over_what_the_pieces_before_left() {
        let (first, next) = (span(5, (8, 9), Some(64)), span(-2, (4, 4), Some(96)));
        let whole = first.then(next);
        assert_eq!(whole, span(3, (9, 9), Some(96)));
        let freed = span(-5, (0, 0), None).then(span(3, (3, 3), Some(1)));
        assert_eq!(freed, span(-2, (0, 0), None));
        let on = |device| MemoryOnDevice {
            device,
            memory: first,
        };
        assert_eq!(on(0).then(on(1)), None);
    }

    #[test]
    fn extremes_are_over_all_spans_whatever_they_were_merged_with() {
        let spans = [
            span(-5, (3, 3), Some(64)),
            span(8, (8, 20), None),
            span(2, (4, 4), Some(32)),
        ];
        for cut in 0..=spans.len() {
            let mut tallies = [DeviceMemoryTally::default(); 2];
            for (place, memory) in spans.iter().enumerate() {
                tallies[usize::from(place >= cut)].add(memory);
            }
            let [mut tally, others] = tallies;
            tally.merge(others);
            let expected = DeviceMemoryTally {
                count: 3,
                within_bounds: 1,
                net_min_bytes: -5,
                net_max_bytes: 8,
                peak_min_bytes: 3,
                peak_max_bytes: 20,
                reserved_max_bytes: Some(64),
            };
            assert_eq!(tally, expected);
        }
    }
}
