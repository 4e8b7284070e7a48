//! What must hold for any bytes at all, one function per reader.
//!
//! libFuzzer calls these through `fuzz_targets/`; the crate `laptime-replay` on
//! plain stable Rust with truncations and flips of the seeds.

#[path = "../../crates/laptime-reader/tests/hostile/mod.rs"]
mod hostile;
#[path = "../../crates/laptime-onnx/tests/it/file.rs"]
mod onnx_file;
pub mod seeds;
mod stack_seeds;

use std::convert::Infallible;

use laptime_analysis::{Analyzer, Options, ReadAgain};
use laptime_core::format::process::{
    ProcessHeader, SLOT_ENTRIES, SLOTS, open_spans, window_offset,
};
use laptime_core::format::reader::{RecordReader, Visit, VisitProcess};
use laptime_core::format::record::{Cursor, Record, encode};
use laptime_core::format::window::{COMMITTED_OFFSET, HEADER_LEN, WINDOW_LEN, Window};
use laptime_core::operations::{CostTally, Counts};
use laptime_core::{FormatError, PathId, RunInfo, Span};
use laptime_ops::Formulas;
use laptime_reader::ProcessReader;
use laptime_report::tables::operations::{self, OperationsView, Subject};
use laptime_report::{Format, View, render};

/// The names of all readers, as the targets are called.
pub const READERS: &[(&str, fn(&[u8]))] = &[
    ("process", process),
    ("window", window),
    ("records", records),
    ("run", run),
    ("summary", summary),
    ("onnx", onnx),
    ("counts", counts),
];

/// A process file's first bytes: what parses says the same after writing it again, and the
/// black box never yields more than it has room for.
pub fn process(bytes: &[u8]) {
    match ProcessHeader::parse(bytes) {
        Ok(header) => assert_eq!(ProcessHeader::parse(&header.to_bytes()), Ok(header)),
        Err(error) => assert_offset(&error, 0, bytes.len()),
    }
    assert!(open_spans(bytes).len() <= SLOTS * (SLOT_ENTRIES - 1));
}

/// A window: every cut of one that reads well yields a prefix of its records.
pub fn window(bytes: &[u8]) {
    let offset = window_offset(3);
    let Some(whole) = visit(bytes, offset) else {
        return;
    };
    // Where to cut comes from the input itself, so that a finding replays.
    let cut = bytes.last().map_or(0, |last| usize::from(*last)) * bytes.len() / 256;
    if bytes.len() <= WINDOW_LEN {
        let cut = visit(&bytes[..cut], offset).expect("a cut of a good window is no damage");
        assert_eq!(cut, whole[..cut.len()]);
    }
}

/// All records of a window as text (NaN is equal to itself there); `None` when damaged.
fn visit(bytes: &[u8], offset: u64) -> Option<Vec<String>> {
    let mut records = Vec::new();
    let window = match Window::parse(bytes, offset) {
        Ok(Some(window)) => window,
        Ok(None) => return Some(records),
        Err(error) => {
            assert_offset(&error, offset, WINDOW_LEN);
            return None;
        }
    };
    match window.for_each(|record| records.push(format!("{record:?}"))) {
        Ok(()) => {}
        Err(error) => {
            assert_offset(&error, offset, WINDOW_LEN);
            return None;
        }
    }
    // The shortest record is a plain span of three bytes.
    assert!(records.len() <= window.len() / 2);
    Some(records)
}

/// A stream of records: reading ends, errors name a place inside, and what was read is
/// read again from what the encoder makes of it.
pub fn records(bytes: &[u8]) {
    let start = Cursor {
        last: 1 << 40,
        track: 1,
    };
    let mut read = Vec::new();
    for record in RecordReader::new(bytes, 500, start) {
        match record {
            Ok(record) => read.push(record),
            Err(error) => assert_offset(&error, 500, bytes.len()),
        }
    }
    let mut visited = Vec::new();
    let outcome = RecordReader::new(bytes, 500, start).visit(&mut Listed(&mut visited));
    assert_eq!(visited.len(), read.len(), "{outcome:?}");
    for (visited, read) in visited.iter().zip(&read) {
        assert_eq!(*visited, format!("{read:?}"));
    }
    // Times at the ends of the clock's range saturate: such spans are not the same again.
    let is_plain = |record: &Record<'_>| match record {
        Record::Span(span) => span.start > 0 && span.end() < u64::MAX,
        _ => true,
    };
    if !read.iter().all(is_plain) {
        return;
    }
    let (mut again, mut cursor) = (Vec::new(), start);
    for record in &read {
        encode(&mut again, &mut cursor, record);
    }
    let mut second = RecordReader::new(&again, 0, start);
    for record in &read {
        let record_again = second.next().expect("as many").expect("whole");
        assert_eq!(format!("{record_again:?}"), format!("{record:?}"));
    }
    assert!(second.next().is_none());
}

/// The fast way of reading, to be compared with the plain one.
struct Listed<'a>(&'a mut Vec<String>);

impl<'a> Visit<'a> for Listed<'_> {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        let span = Record::Span(Span::plain(path, start, duration, track));
        self.0.push(format!("{span:?}"));
    }

    fn other(&mut self, record: Record<'a>) {
        self.0.push(format!("{record:?}"));
    }
}

/// A process of a single window, for later passes.
struct OneWindow<'w> {
    reader: &'w mut ProcessReader,
    window: &'w [u8],
}

impl ReadAgain for OneWindow<'_> {
    type Error = Infallible;

    fn read_again(&mut self, visit: &mut impl VisitProcess) -> Result<(), Infallible> {
        let _ = self.reader.window(self.window, window_offset(0), visit);
        Ok(())
    }
}

/// A recording of one process whose first window holds these records: any of them add up to a
/// summary that every renderer shows and whose JSON has each of its numbers.
pub fn summary(bytes: &[u8]) {
    let room = WINDOW_LEN - HEADER_LEN;
    let records = &bytes[..bytes.len().min(room)];
    let mut window = seeds::window_header().to_bytes().to_vec();
    window.extend_from_slice(records);
    window[COMMITTED_OFFSET..][..4].copy_from_slice(&(records.len() as u32).to_le_bytes());

    let mut analyzer = Analyzer::new(Options::default());
    let mut reader = ProcessReader::begin(&seeds::process(), "4242-0.proc").expect("a good prefix");
    let key = analyzer.process(reader.facts());
    // Damage is told; what stood before it counts.
    let _ = reader.window(&window, window_offset(0), &mut analyzer.first_pass(key));
    reader.end_pass();
    analyzer.end(key, reader.facts());
    let again = OneWindow {
        reader: &mut reader,
        window: &window,
    };
    let Ok(()) = analyzer.read_again(&mut [(again, key)]);
    let summary = analyzer.finish();
    for (_, format) in Format::NAMES {
        let text = render(&summary, format, &View::default());
        assert_nothing_acts(&text);
    }
    let json = render(&summary, Format::Json, &View::default());
    let again: serde_json::Value = serde_json::from_str(&json).expect("own JSON");
    // It has no number of more than 64 bits.
    if let Ok(serde_json::Value::Object(whole)) = serde_json::to_value(&summary) {
        // Findings are written with their sentences.
        for (name, value) in whole.iter().filter(|(name, _)| *name != "findings") {
            assert_eq!(again.get(name), Some(value), "{name}");
        }
    }
}

/// `run.json`: what parses says the same after writing it again.
pub fn run(bytes: &[u8]) {
    if let Ok(info) = RunInfo::from_json(bytes) {
        let again = RunInfo::from_json(&info.to_json()).expect("own output");
        assert_eq!(again, info);
    }
}

/// An ONNX file: it is counted or an error says why not, and what is counted adds up. Sizes that it
/// leaves open are all 3.
pub fn onnx(bytes: &[u8]) {
    let file = || std::io::Cursor::new(bytes);
    let Ok(open) = laptime_onnx::open_dims(file()) else {
        return;
    };
    let dims: Vec<(String, u64)> = open.into_iter().map(|dim| (dim.name, 3)).collect();
    match laptime_onnx::count(file(), &dims, Formulas::standard()) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(counts) => {
            let mut by_op = CostTally::default();
            for row in &counts.by_op {
                by_op += row.tallies.total();
            }
            assert_eq!(by_op, counts.total.total());
        }
    }
}

/// Counts of operations as JSON: what is read is shown in every format, and what was written is the same again. What
/// contradicts itself, such as work in no call, isn't written.
pub fn counts(bytes: &[u8]) {
    let Ok((counts, subject)) =
        laptime_report::json::operations::read(&String::from_utf8_lossy(bytes))
    else {
        return;
    };
    let view = OperationsView::default();
    for (_, format) in Format::NAMES {
        let text = operations::render(&counts, &subject, None, format, &view);
        assert_nothing_acts(&text);
    }
    let again = |(counts, subject): &(Counts, Subject)| {
        laptime_report::json::operations::read(&laptime_report::json::operations::render(
            counts, subject, None,
        ))
        .expect("own JSON")
    };
    let written = again(&(counts, subject));
    assert_eq!(again(&written), written);
}

fn assert_nothing_acts(text: &str) {
    let hostile = |character: char| character.is_control() && !"\n\t\r".contains(character);
    assert!(
        !text.contains(hostile),
        "a control character reached the output"
    );
}

fn assert_offset(error: &FormatError, base: u64, len: usize) {
    let offset = match error {
        FormatError::Header { offset, .. }
        | FormatError::Checksum { offset, .. }
        | FormatError::Record { offset, .. } => *offset,
        _ => base,
    };
    assert!(
        (base..=base + len as u64).contains(&offset),
        "{error} is outside {base}..={}",
        base + len as u64
    );
    assert!(!error.to_string().is_empty());
}
