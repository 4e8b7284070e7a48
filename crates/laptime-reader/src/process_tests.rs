use super::*;
use laptime_core::format::process::window_offset;
use laptime_core::{ClockKind, SpanFlags};

#[allow(dead_code)]
#[path = "../../laptime-analysis/src/testing/scripted.rs"]
mod scripted;

use scripted::{EPOCH_NS, MAIN, MS, Script, anchor, training};

/// Everything that a visitor is told, as text.
#[derive(Debug, Default)]
struct Told {
    records: Vec<String>,
    spans: Vec<Span>,
}

impl Visit<'_> for Told {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.spans.push(Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'_>) {
        match record {
            Record::Span(span) => self.spans.push(span),
            other => self.records.push(format!("{other:?}")),
        }
    }
}

impl VisitProcess for Told {}

fn begin(script: &Script) -> ProcessReader {
    ProcessReader::begin(&script.prefix(), "7.proc").unwrap()
}

fn read(script: &Script) -> (ProcessReader, Told) {
    let (mut reader, mut told) = (begin(script), Told::default());
    for (index, window) in (0..).zip(script.windows()) {
        reader
            .window(&window, window_offset(index), &mut told)
            .unwrap();
    }
    (reader, told)
}

#[test]
fn every_path_is_told_once_though_each_window_defines_it() {
    let mut script = Script::new(7, 100 * MS);
    script.per_window = 1;
    for at in 0..5 {
        script.span(&["step", "data"], at * MS, MS);
    }
    let (_, told) = read(&script);
    let paths = told.records.iter().filter(|told| told.starts_with("Path"));
    assert_eq!(paths.count(), 2);
    assert_eq!(told.spans.len(), 5);
}

#[test]
fn spans_inside_of_a_deep_one_are_counted_and_part_of_its_time() {
    let mut script = Script::new(7, 100_000 * MS);
    script.per_window = 50;
    let names: Vec<String> = (0..600).map(|level| format!("n{level}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for depth in (1..=600).rev() {
        let inset = depth as u64 * MS;
        script.span(&names[..depth], inset, 2_000 * MS - 2 * inset);
    }
    script.span_on(9, &names[..580], 0, MS, SpanFlags::DETACHED);
    let (reader, told) = read(&script);
    assert_eq!(told.spans.len(), 512 + 1 + 1);
    assert_eq!(reader.facts().folded_spans, 600 - 513);
    let deep: Vec<&Span> = told
        .spans
        .iter()
        .filter(|span| reader.paths().names(span.path).last() == Some(&PathTable::DEEP_NAME))
        .collect();
    assert_eq!(
        deep.len(),
        2,
        "the first level beyond, and what ran elsewhere"
    );
    assert!(
        deep.iter()
            .any(|span| span.duration == 2_000 * MS - 2 * 513 * MS)
    );
}

#[test]
fn damage_names_the_offset_and_what_stood_before_it_was_told() {
    let mut script = training(10, 0);
    script.per_window = 20;
    let mut windows = script.windows();
    let at = windows[1].len() - 3;
    windows[1][at] ^= 0x10;
    let (mut reader, mut told) = (begin(&script), Told::default());
    reader
        .window(&windows[0], window_offset(0), &mut told)
        .unwrap();
    let error = reader
        .window(&windows[1], window_offset(1), &mut told)
        .unwrap_err();
    let expected = format!("damaged window at offset {}", window_offset(1));
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert!(told.spans.len() > 10);
}

#[test]
fn a_window_of_another_boot_is_refused_as_that() {
    let mut script = training(10, 0);
    let windows = script.windows();
    script.header.boot_id = [8; 16];
    let error = begin(&script)
        .window(&windows[0], window_offset(0), &mut Told::default())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the window at offset 32768 has boot id 0707070707070707, the file's header \
         0808080808080808: one of them is damaged, or of another start of the machine"
    );
}

#[test]
fn a_window_of_another_process_is_refused() {
    let script = training(10, 0);
    let mut other = training(10, 0);
    other.header.pid = 99;
    let error = begin(&script)
        .window(&other.windows()[0], window_offset(0), &mut Told::default())
        .unwrap_err();
    assert!(matches!(error, Damage::OtherProcess { found: 99, .. }));
}

#[test]
fn an_undefined_path_is_damage_and_a_mark_of_one_too() {
    for is_mark in [false, true] {
        let mut script = Script::new(7, MS);
        script.span(&["a"], 0, MS);
        let known = script.path(&["a"]);
        let window = script.windows().remove(0);
        let header = Window::parse(&window, window_offset(0))
            .unwrap()
            .unwrap()
            .header;
        let (mut records, mut cursor) = (Vec::new(), header.cursor());
        let path = PathId(known.0 + 1);
        let record = if is_mark {
            Record::Mark {
                path,
                ticks: 0,
                track: 1,
            }
        } else {
            Record::Span(Span::plain(path, cursor.last, 5, 1))
        };
        laptime_core::format::record::encode(&mut records, &mut cursor, &record);
        let mut bytes = header.to_bytes().to_vec();
        bytes[8..12].copy_from_slice(&(records.len() as u32).to_le_bytes());
        bytes.extend(records);
        let error = begin(&script)
            .window(&bytes, window_offset(0), &mut Told::default())
            .unwrap_err();
        let said = "the window at offset 32768 uses the undefined path 3";
        assert_eq!(error.to_string(), said);
    }
}

#[test]
fn an_empty_foreign_or_newer_file_is_said_to_be_that() {
    let mut newer = Script::new(7, 0).prefix();
    newer[8] = 2;
    for (bytes, said) in [
        (Vec::new(), "the file is empty"),
        (b"{}".to_vec(), "not a Laptime recording"),
        (newer, "the recording has format version 2"),
    ] {
        let error = ProcessReader::begin(&bytes, "x.proc").unwrap_err();
        assert!(error.to_string().starts_with(said), "{error}");
    }
}

#[test]
fn the_rate_of_a_killed_process_reaches_to_the_last_window_that_was_written() {
    let mut script = Script::new(7, 100 * MS);
    script.header.clock = ClockKind::Tsc;
    script.header.nominal_ns_per_tick = 3.0;
    script.per_window = 1;
    script.span(&["a"], 0, 10 * MS);
    script.span(&["a"], 20 * MS, 20 * MS);
    script.killed();
    let windows = script.windows();
    let mut reader = begin(&script);
    assert!((reader.facts().anchors.mean_ns_per_tick() - 3.0).abs() < 1e-9);
    let windows = windows.iter().enumerate();
    reader.settle(windows.map(|(index, window)| (window_offset(index as u64), &window[..])));
    assert!((reader.facts().anchors.mean_ns_per_tick() - 1.0).abs() < 1e-9);
}

#[test]
fn a_closed_process_keeps_the_rate_of_its_header() {
    let mut script = Script::new(7, 0);
    script.header.clock = ClockKind::Tsc;
    script.header.closed = Some(Anchor {
        monotonic_ns: EPOCH_NS + 500 * MS,
        ..anchor(1_000 * MS)
    });
    script.span_on(MAIN, &["a"], 0, MS, SpanFlags::NONE);
    let (reader, _) = read(&script);
    assert!((reader.facts().anchors.mean_ns_per_tick() - 0.5).abs() < 1e-9);
}

#[test]
fn what_is_read_again_is_what_was_read_first() {
    let script = training(40, 0);
    let whole = script.windows().remove(0);
    for records in [0, 1, 200, 1_001] {
        let cut = &whole[..HEADER_LEN + records];
        let (mut reader, mut first) = (begin(&script), Told::default());
        let at = window_offset(0);
        assert!(reader.window(cut, at, &mut first).unwrap().is_some());
        reader.end_pass();
        let mut again = Told::default();
        reader.window(&whole, at, &mut again).unwrap();
        assert_eq!(again.spans, first.spans, "{records} bytes");
        let later = reader.window(&whole, window_offset(1), &mut again);
        assert_eq!(later, Ok(None), "a window that was not there");
        assert_eq!(again.spans.len(), first.spans.len());
    }
}

#[test]
fn a_window_that_is_another_than_before_was_changed() {
    let script = training(40, 0);
    let whole = script.windows().remove(0);
    let (mut reader, at) = (begin(&script), window_offset(0));
    reader.window(&whole, at, &mut Told::default()).unwrap();
    reader.end_pass();
    let other = training(41, 3).windows().remove(0);
    for left in [&[][..], &[0; 4_096], &whole[..HEADER_LEN + 100], &other] {
        let mut told = Told::default();
        let error = reader.window(left, at, &mut told).unwrap_err();
        assert_eq!(error, Damage::Changed { offset: at });
        assert!(told.spans.is_empty());
    }
}
