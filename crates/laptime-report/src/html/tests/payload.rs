use laptime_analysis::Bar;
use laptime_core::Unavailable;
use miniz_oxide::inflate::decompress_to_vec;
use proptest::prelude::*;
use serde_json::Value;

use super::timeline::{BarMemory, Curve, TimelineLane, TimelinePanel};
use super::viewer_data::{encode, raw};
use super::{Moments, Page};

/// Makes a panel with one lane.
pub fn panel(names: Vec<String>, bars: Vec<Bar>, memory: Vec<Option<BarMemory>>) -> TimelinePanel {
    TimelinePanel {
        title: "main".to_owned(),
        end_ns: bars.iter().map(Bar::end_ns).max().unwrap_or(0),
        names,
        memory: Err(Unavailable("not measured".to_owned())),
        lanes: vec![TimelineLane {
            track: "main".to_owned(),
            depth: 0,
            bars,
            memory,
        }],
        notes: Vec::new(),
    }
}

pub fn page(panels: Vec<TimelinePanel>) -> Page {
    Page {
        title: "train.py".to_owned(),
        documents: Vec::new(),
        panels,
        moments: Moments::default(),
        why: None,
        size: None,
    }
}

/// Decodes a page's payload as `viewer/src/decode.ts` does, in the plainest way.
fn decoded(page: &Page) -> (Value, Vec<u8>) {
    let letters = encode(page);
    let mut bytes = Vec::new();
    for chunk in letters.as_bytes().chunks(4) {
        let value = |letter: u8| match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => 0,
        };
        let bits = chunk
            .iter()
            .fold(0_u32, |bits, letter| bits << 6 | u32::from(value(*letter)));
        let letters = chunk.split(|letter| *letter == b'=').next().unwrap().len();
        let padding = 4 - letters;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    let bytes = decompress_to_vec(&bytes).unwrap();
    assert_eq!(bytes, raw(page));
    let length = u32::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    let header = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    (header, bytes[4 + length..].to_vec())
}

fn column(columns: &[u8], place: &Value, count: usize) -> Vec<u64> {
    let number = |index: usize| place[index].as_u64().unwrap() as usize;
    let (offset, width) = (number(0), number(1));
    let byte = |index: usize, plane: usize| u64::from(columns[offset + plane * count + index]);
    (0..count)
        .map(|index| {
            (0..width)
                .map(|plane| byte(index, plane) << (8 * plane))
                .sum()
        })
        .collect()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Decodes the bars of the first lane of the first panel.
fn bars(header: &Value, columns: &[u8]) -> Vec<Bar> {
    let lane = &header["panels"][0]["lanes"][0];
    let count = lane["count"].as_u64().unwrap() as usize;
    let read = |name: &str| column(columns, &lane[name], count);
    let (gaps, durations, names) = (read("gap"), read("duration"), read("name"));
    let is_folded = lane.get("spans").is_some();
    let spans = if is_folded {
        read("spans")
    } else {
        vec![1; count]
    };
    let busy = if is_folded {
        read("busy")
    } else {
        durations.clone()
    };
    let mut last = 0_u64;
    (0..count)
        .map(|index| {
            let start_ns = last.wrapping_add(unzigzag(gaps[index]) as u64);
            last = start_ns + durations[index];
            Bar {
                start_ns,
                duration_ns: durations[index],
                busy_ns: busy[index],
                name: names[index] as u32,
                count: spans[index] as u32,
            }
        })
        .collect()
}

fn a_bar() -> impl Strategy<Value = Bar> {
    (
        0..u64::MAX / 4,
        0..u64::MAX / 4,
        0..3_u32,
        1..u32::MAX,
        0..u64::MAX / 4,
    )
        .prop_map(|(start_ns, duration_ns, name, count, busy_ns)| Bar {
            start_ns,
            duration_ns,
            busy_ns,
            name,
            count,
        })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(written in proptest::collection::vec(a_bar(), 0..50)) {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let page = page(vec![panel(names, written.clone(), Vec::new())]);
        let (header, columns) = decoded(&page);
        prop_assert_eq!(bars(&header, &columns), written);
    }
}

#[test]
fn memory_of_bars_is_read_back_and_absent_memory_stays_absent() {
    let memory = vec![
        Some(BarMemory {
            before_bytes: 0,
            net_bytes: -5,
            peak_bytes: Some(0),
        }),
        None,
        Some(BarMemory {
            before_bytes: 1 << 40,
            net_bytes: 7,
            peak_bytes: None,
        }),
    ];
    let bars = (0..3).map(|index| Bar::new(index * 10, 5, 0)).collect();
    let page = page(vec![panel(vec!["a".to_owned()], bars, memory)]);
    let (header, columns) = decoded(&page);
    let lane = &header["panels"][0]["lanes"][0];
    assert_eq!(column(&columns, &lane["before"], 3), [1, 0, (1 << 40) + 1]);
    let net: Vec<i64> = column(&columns, &lane["net"], 3)
        .into_iter()
        .map(unzigzag)
        .collect();
    assert_eq!(net, [-5, 0, 7]);
    assert_eq!(column(&columns, &lane["peak"], 3), [1, 0, 0]);
}

#[test]
fn equal_names_of_several_panels_are_one() {
    let bars = vec![Bar::new(0, 1, 1)];
    let one = panel(vec!["x".to_owned(), "a".to_owned()], bars, Vec::new());
    let other = panel(vec!["a".to_owned()], vec![Bar::new(0, 1, 0)], Vec::new());
    let (header, _) = decoded(&page(vec![one, other]));
    assert_eq!(header["names"], serde_json::json!(["x", "a"]));
}

#[test]
fn a_curve_is_written_with_its_moments_and_bytes() {
    let mut one = panel(Vec::new(), Vec::new(), Vec::new());
    one.memory = Ok(Curve {
        what: "resident memory".to_owned(),
        points: vec![(5_000_000_000, 10), (6_000_000_000, 4_000_000_000)],
    });
    let (header, columns) = decoded(&page(vec![one]));
    let memory = &header["panels"][0]["memory"];
    assert_eq!(
        column(&columns, &memory["gap"], 2),
        [10_000_000_000, 2_000_000_000],
        "zigzag doubles"
    );
    assert_eq!(column(&columns, &memory["bytes"], 2), [10, 4_000_000_000]);
}

#[test]
fn a_million_spans_take_at_most_seven_megabytes() {
    // Steps of a training loop with durations that vary as real ones do.
    let mut state = 1_u64;
    let mut random = move |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let names: Vec<String> = ["data", "forward", "backward", "optimizer"]
        .map(str::to_owned)
        .to_vec();
    let mut at = 0;
    let bars = (0..1_000_000_u32)
        .map(|index| {
            at += 200 + random(300);
            let duration = 50_000 * u64::from(index % 4 + 1) + random(20_000);
            let bar = Bar::new(at, duration, index % 4);
            at += duration;
            bar
        })
        .collect();
    let text = super::render(&page(vec![panel(names, bars, Vec::new())]));
    assert!(text.len() <= 7_000_000, "{} bytes", text.len());
}
