//! Size of a recording, and CPU time of reading and aggregating it, beside its floor: a pass over
//! the same bytes that decodes the integers and does nothing with them.

use std::convert::Infallible;
use std::hint::black_box;
use std::path::Path;

use laptime_analysis::{Analyzer, Options, ReadAgain, Summary};
use laptime_core::format::process::{PREFIX_LEN, window_offset};
use laptime_core::format::reader::VisitProcess;
use laptime_core::format::varint;
use laptime_core::format::window::{COMMITTED_OFFSET, HEADER_LEN, WINDOW_LEN};
use laptime_reader::ProcessReader;

/// Spans in the recording that is read.
const SPANS: u32 = 10_000_000;
/// Times that both are read, in turns.
const ROUNDS: usize = 5;

/// What reading costs.
pub struct Reading {
    /// Bytes a span on disk.
    pub bytes: f64,
    /// CPU ns a span to read and aggregate; the median.
    pub read_ns: f64,
    /// CPU ns a span to decode the integers alone; the median.
    pub decoded_ns: f64,
    /// The median of the rounds' ratios.
    pub ratio: f64,
}

/// Records, and reads what was recorded.
pub fn measure(scratch: &Path) -> Reading {
    let recording = laptime::record(scratch.join("read.lap")).expect("a recording");
    // Four laps a step of a few hundred ns each: durations vary as a program's do.
    for step in 0..SPANS / 5 {
        let _step = laptime::lap!("step");
        lap_of(&laptime::lap!("data"), step % 16);
        lap_of(&laptime::lap!("forward"), step % 64);
        lap_of(&laptime::lap!("backward"), step % 128);
        lap_of(&laptime::lap!("optimizer"), step % 32);
    }
    let folder = recording.finish().expect("a finished recording");
    let file = std::fs::read_dir(&folder)
        .expect("the folder")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "proc")
        })
        .expect("a process file");
    let bytes = std::fs::read(file).expect("its bytes");
    let per_span = f64::from(SPANS);
    let (mut read, mut decoded, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (integers, decoded_ns) = timed(|| decode(&bytes));
        assert!(
            integers >= 3 * u64::from(SPANS),
            "{integers} integers decoded"
        );
        let (summary, read_ns) = timed(|| summarize(&bytes));
        let counted: u64 = summary.rows.iter().filter_map(|row| row.count).sum();
        assert!(counted >= u64::from(SPANS), "{counted} spans read");
        read.push(read_ns / per_span);
        decoded.push(decoded_ns / per_span);
        ratios.push(read_ns / decoded_ns);
    }
    Reading {
        bytes: bytes.len() as f64 / per_span,
        read_ns: crate::median(read),
        decoded_ns: crate::median(decoded),
        ratio: crate::median(ratios),
    }
}

/// What came of it, and the CPU ns it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = laptime_recorder::clock::thread_ns();
    let result = work();
    let elapsed = laptime_recorder::clock::thread_ns() - start;
    (result, elapsed as f64)
}

fn slots(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    (0..).map(window_offset).map_while(|offset| {
        let slot = bytes.get(offset as usize..)?;
        Some((offset, &slot[..slot.len().min(WINDOW_LEN)]))
    })
}

/// Decodes every record's bytes as integers, one after the other; how many.
fn decode(bytes: &[u8]) -> u64 {
    let mut count = 0;
    for (_, slot) in slots(bytes) {
        let length = slot.get(COMMITTED_OFFSET..COMMITTED_OFFSET + 4);
        let length = length.map_or(0, |bytes| {
            u32::from_le_bytes(bytes.try_into().unwrap_or([0; 4])) as usize
        });
        let mut rest = slot
            .get(HEADER_LEN..HEADER_LEN + length)
            .unwrap_or_default();
        while let Some((value, used)) = varint::take(rest) {
            black_box(value);
            rest = &rest[used..];
            count += 1;
        }
    }
    count
}

/// A recorded process in memory, for later passes.
struct Slots<'b> {
    bytes: &'b [u8],
    reader: &'b mut ProcessReader,
}

impl ReadAgain for Slots<'_> {
    type Error = Infallible;

    fn read_again(&mut self, visit: &mut impl VisitProcess) -> Result<(), Infallible> {
        for (offset, slot) in slots(self.bytes) {
            if visit.wants(offset) {
                self.reader.window(slot, offset, visit).expect("a window");
            }
        }
        Ok(())
    }
}

fn summarize(bytes: &[u8]) -> Summary {
    let mut analyzer = Analyzer::new(Options::default());
    let mut reader = ProcessReader::begin(&bytes[..PREFIX_LEN], "bench").expect("a header");
    let key = analyzer.process(reader.facts());
    for (offset, slot) in slots(bytes) {
        let mut pass = analyzer.first_pass(key);
        reader.window(slot, offset, &mut pass).expect("a window");
    }
    reader.end_pass();
    analyzer.end(key, reader.facts());
    let slots = Slots {
        bytes,
        reader: &mut reader,
    };
    let Ok(()) = analyzer.read_again(&mut [(slots, key)]);
    analyzer.finish()
}

fn lap_of(_lap: &laptime::Lap, work: u32) {
    for item in 0..work {
        std::hint::black_box(item);
    }
}
