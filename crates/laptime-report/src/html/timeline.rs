//! A panel with time on x: memory on top, lanes of spans below.
//!
//! One panel is one context: a process of a recording, or a timer's context. Panels of a page
//! share both axes.

use laptime_analysis::{Bar, ProcessLanes, Simplified, StreamTrack};
use laptime_core::Unavailable;

/// A context over time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelinePanel {
    /// The context's name.
    pub title: String,
    /// Latest moment of the panel, in nanoseconds since the page's time 0.
    pub end_ns: u64,
    /// Names that bars refer to.
    pub names: Vec<String>,
    /// Memory over time, or the reason why there is none.
    pub memory: Result<Curve, Unavailable>,
    /// Rows of bars, from top to bottom.
    pub lanes: Vec<TimelineLane>,
    /// Notes for the reader on merged and left out spans.
    pub notes: Vec<String>,
}

/// A quantity in bytes at moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    /// The quantity's name, such as `resident memory`.
    pub what: String,
    /// Moments in nanoseconds and bytes, oldest first.
    pub points: Vec<(u64, u64)>,
}

/// A row of bars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineLane {
    /// The thread, task or stream; lanes of one track stand together.
    pub track: String,
    /// Depth inside the track.
    pub depth: u32,
    /// The bars, in the order of their starts.
    pub bars: Vec<Bar>,
    /// Memory of each bar; empty where it wasn't measured.
    pub memory: Vec<Option<BarMemory>>,
}

/// Allocated memory around a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarMemory {
    /// Bytes that were allocated when it opened.
    pub before_bytes: u64,
    /// Bytes allocated when it closed, less those when it opened; negative when more was freed.
    pub net_bytes: i64,
    /// Peak of allocated bytes while it was open, less those when it opened; `None` if not measured.
    pub peak_bytes: Option<u64>,
}

impl TimelinePanel {
    /// Makes the panel of a process of a recording.
    pub fn of_process(title: String, process: ProcessLanes) -> Self {
        let notes = simplified_notes(&process.simplified);
        let track_name = |track: u32| match process.tracks.get(&track) {
            Some(name) if !name.is_empty() => name.clone(),
            _ if track == process.main_track => "main".to_owned(),
            _ => match process.streams.get(&track) {
                Some(stream) => stream_name(*stream),
                None => format!("track {track}"),
            },
        };
        let mut lanes: Vec<TimelineLane> = process
            .lanes
            .iter()
            .map(|lane| TimelineLane {
                track: track_name(lane.track),
                depth: lane.depth,
                bars: lane.bars.clone(),
                memory: Vec::new(),
            })
            .collect();
        let is_main: Vec<bool> = process
            .lanes
            .iter()
            .map(|lane| lane.track == process.main_track)
            .collect();
        // The main thread first; the others stay in the order of their numbers.
        let mut order: Vec<usize> = (0..lanes.len()).collect();
        order.sort_by_key(|index| !is_main[*index]);
        lanes = order
            .into_iter()
            .map(|index| lanes[index].clone())
            .collect();
        let memory = if process.resident.is_empty() {
            Err(Unavailable(
                "the recording has no sample of memory".to_owned(),
            ))
        } else {
            Ok(Curve {
                what: "resident memory".to_owned(),
                points: process.resident,
            })
        };
        Self {
            title,
            end_ns: end_of(&lanes, memory.as_ref().ok()),
            names: process.names,
            memory,
            lanes,
            notes,
        }
    }
}

/// Names a stream of a device.
fn stream_name(of: StreamTrack) -> String {
    let StreamTrack { device, stream } = of;
    match stream {
        None => format!("device {device}, default stream"),
        Some(number) => format!("device {device}, stream {number}"),
    }
}

/// Returns notes for the reader where not every span is drawn by itself.
pub fn simplified_notes(simplified: &Simplified) -> Vec<String> {
    let mut notes = Vec::new();
    if simplified.folded > 0 {
        notes.push(format!(
            "{} merged with neighbours and drawn as “×n merged”; \
             counts and sums of merged spans are exact",
            crate::quantity::plural(simplified.folded, "short span is", "short spans are")
        ));
    }
    if simplified.left_out > 0 {
        notes.push(format!(
            "{} {} together",
            crate::quantity::plural(
                simplified.left_out,
                "span of further tracks is not drawn; it took",
                "spans of further tracks are not drawn; they took"
            ),
            crate::quantity::duration(simplified.left_out_ns, crate::quantity::Precision::Exact)
                .inline()
        ));
    }
    notes
}

/// Returns the last moment of any bar or point.
pub fn end_of(lanes: &[TimelineLane], curve: Option<&Curve>) -> u64 {
    let bars = lanes.iter().flat_map(|lane| &lane.bars).map(Bar::end_ns);
    let points = curve.into_iter().flat_map(|curve| &curve.points);
    bars.chain(points.map(|(at, _)| *at)).max().unwrap_or(0)
}
