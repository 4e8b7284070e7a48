//! A panel of a timer's context: segments that may overlap, with the memory around them.

use laptime_analysis::{Bar, LaneBudget, LaneBuilder};
use laptime_core::Unavailable;

use super::timeline::{BarMemory, TimelineLane, TimelinePanel, end_of, simplified_notes};

/// A segment of a timer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The segment's name.
    pub name: String,
    /// Start, in nanoseconds since the page's time 0.
    pub start_ns: u64,
    /// Duration in nanoseconds.
    pub duration_ns: u64,
    /// Memory around it, where that was measured.
    pub memory: Option<BarMemory>,
}

/// Name of the track of a context's segments.
const TRACK: &str = "segments";

impl TimelinePanel {
    /// Makes the panel of a timer's context; segments that overlap stand below each other.
    pub fn of_segments(title: String, mut segments: Vec<Segment>) -> Self {
        let mut names: Vec<String> = segments.iter().map(|one| one.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        let bar = |segment: &Segment| {
            let name = names.binary_search(&segment.name).unwrap_or(0);
            Bar::new(segment.start_ns, segment.duration_ns, name as u32)
        };
        segments.sort_by_key(|one| (one.start_ns, u64::MAX - one.duration_ns));
        let has_memory = segments.iter().any(|segment| segment.memory.is_some());
        let budget = LaneBudget::default();
        let mut notes = Vec::new();
        let mut lanes: Vec<TimelineLane> = Vec::new();
        if segments.len() <= budget.bars {
            for segment in &segments {
                lane_for(&mut lanes, segment.start_ns, |lane| {
                    lane.bars.push(bar(segment));
                    lane.memory.push(segment.memory);
                });
            }
        } else {
            let mut builder = LaneBuilder::new(budget);
            for segment in &segments {
                builder.push(0, 0, bar(segment));
            }
            let (folded, simplified) = builder.finish();
            notes = simplified_notes(&simplified);
            if has_memory {
                notes.push("memory of so many segments is in the tables only".to_owned());
            }
            lanes.extend((0..).zip(folded).map(|(depth, lane)| TimelineLane {
                track: TRACK.to_owned(),
                depth,
                bars: lane.bars,
                memory: Vec::new(),
            }));
        }
        Self {
            title,
            end_ns: end_of(&lanes, None),
            names,
            memory: Err(Unavailable("allocated memory was not measured".to_owned())),
            lanes,
            notes,
        }
    }
}

/// Fills the first lane that is free at a moment, or a new one.
fn lane_for(lanes: &mut Vec<TimelineLane>, start_ns: u64, fill: impl FnOnce(&mut TimelineLane)) {
    let is_free = |lane: &TimelineLane| {
        let last = lane.bars.last();
        last.is_none_or(|last| last.end_ns() <= start_ns)
    };
    let index = lanes.iter().position(is_free).unwrap_or_else(|| {
        lanes.push(TimelineLane {
            track: TRACK.to_owned(),
            depth: lanes.len() as u32,
            bars: Vec::new(),
            memory: Vec::new(),
        });
        lanes.len() - 1
    });
    fill(&mut lanes[index]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(name: &str, start_ns: u64, duration_ns: u64) -> Segment {
        Segment {
            name: name.to_owned(),
            start_ns,
            duration_ns,
            memory: Some(BarMemory {
                before_bytes: start_ns,
                net_bytes: 1,
                peak_bytes: None,
            }),
        }
    }

    #[test]
    fn nested_and_interleaved_segments_stand_below_each_other_with_their_memory() {
        let segments = vec![
            segment("b", 5, 10),
            segment("a", 0, 10),
            segment("a", 10, 3),
        ];
        let panel = TimelinePanel::of_segments("main".to_owned(), segments);
        assert_eq!(panel.names, ["a", "b"]);
        assert_eq!(panel.end_ns, 15);
        assert_eq!(
            panel.lanes[0].bars,
            [Bar::new(0, 10, 0), Bar::new(10, 3, 0)]
        );
        assert_eq!(panel.lanes[1].bars, [Bar::new(5, 10, 1)]);
        let before = |lane: usize, index: usize| panel.lanes[lane].memory[index].unwrap();
        assert_eq!(before(0, 1).before_bytes, 10);
        assert_eq!(before(1, 0).before_bytes, 5);
    }
}
