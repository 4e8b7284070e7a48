use laptime_core::{DevicePlace, DeviceTimes, Span, SpanFlags};

use super::*;
use crate::testing::analyzed;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};

fn read(script: &Script) -> ProcessLanes {
    let mut reader = analyzed::reader(script);
    let rate = reader.facts().anchors.rate();
    let mut lanes = SpanLanes::new(LaneBudget::default(), rate);
    analyzed::read(script, &mut reader, &mut lanes);
    lanes.finish(&reader.facts(), EPOCH_NS)
}

#[test]
fn a_recording_gives_one_lane_per_track_and_depth() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["step", "forward"], MS, 2 * MS);
    script.span(&["step", "backward"], 4 * MS, 3 * MS);
    script.span(&["step"], 0, 10 * MS);
    script.span_on(9, &["load"], 2 * MS, MS, SpanFlags::NONE);
    script.name_track(9, false, "loader");
    let read = read(&script);
    let shape: Vec<_> = read
        .lanes
        .iter()
        .map(|lane| (lane.track, lane.depth, lane.bars.len()))
        .collect();
    assert_eq!(shape, [(MAIN, 0, 1), (MAIN, 1, 2), (9, 0, 1)]);
    let backward = read.lanes[1].bars[1];
    assert_eq!(read.names[backward.name as usize], "backward");
    assert_eq!(
        (backward.start_ns, backward.duration_ns),
        (4 * MS, 3 * MS),
        "moments are since the origin"
    );
    assert_eq!(read.tracks[&9], "loader");
}

#[test]
fn segments_of_timers_stand_apart_from_the_spans_they_overlap() {
    let mut script = Script::new(7, 100 * MS);
    for (name, start, end) in [("a", 0, 10), ("b", 5, 15)] {
        let path = script.path(&[name]);
        script.push(Span {
            flags: SpanFlags::ASIDE,
            ..Span::plain(path, EPOCH_NS + start * MS, (end - start) * MS, MAIN)
        });
    }
    script.span(&["step"], 0, 20 * MS);
    let read = read(&script);
    assert_eq!(read.lanes.len(), 3);
    assert_eq!(read.lanes[0].depth, 0);
    assert!(read.lanes[1..].iter().all(|lane| lane.depth == ASIDE_DEPTH));
}

#[test]
fn what_a_device_did_has_lanes_of_its_stream_at_its_own_time() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["step"], 0, MS);
    let path = script.path(&["step"]);
    for (device, stream) in [(0, 0x7f00), (0, 0), (1, 0x7f00)] {
        script.observed(Record::DeviceSpan(DeviceSpan {
            path,
            start: EPOCH_NS,
            duration: MS,
            track: MAIN,
            device,
            stream,
            continues: false,
            times: Ok(DeviceTimes {
                duration_ns: 9 * MS,
                launch_bound: false,
                place: Some(DevicePlace {
                    lag_ns: 4 * MS,
                    tail_least_ns: 0,
                    tail_most_ns: 0,
                }),
            }),
        }));
    }
    let read = read(&script);
    let on_streams = read.lanes.iter().filter(|lane| lane.track != MAIN);
    let mut streams = Vec::new();
    for lane in on_streams {
        let [bar] = lane.bars[..] else {
            panic!("{lane:?}")
        };
        assert_eq!((bar.start_ns, bar.duration_ns), (4 * MS, 9 * MS));
        let StreamTrack { device, stream } = read.streams[&lane.track];
        streams.push((device, stream));
    }
    streams.sort_unstable();
    assert_eq!(streams, [(0, None), (0, Some(1)), (1, Some(1))]);
}
