use std::ptr::NonNull;
use std::sync::mpsc::Receiver;

use laptime_core::format::record::Record;
use laptime_core::format::window::Window as Bytes;
use laptime_core::{Anchor, PathId};

use super::*;
use crate::writer::Writer;

const HEADER: WindowHeader = WindowHeader {
    pid: 1,
    stream: 2,
    sequence: 3,
    boot: 4,
    anchor: Anchor {
        ticks: 5,
        monotonic_ns: 6,
        realtime_ns: 7,
        boottime_ns: 8,
    },
    lost: 9,
    track: 10,
};

/// Spans that are written while the other thread looks once or twice.
const AT_ONCE: u64 = 250;

/// Writes one span after another until the window is full; before each [`AT_ONCE`], waits until the other thread has
/// looked again. Nothing orders those that follow with what it looks at next, but the window itself.
fn fill(writer: &mut Writer, looks: &Receiver<()>) {
    for at in 0.. {
        if at % AT_ONCE == 0 {
            looks.recv().unwrap();
        }
        let start = HEADER.anchor.ticks + 3 * at;
        if writer
            .try_plain_span(1, start, start + 2, HEADER.track)
            .is_none()
        {
            return;
        }
    }
}

/// When the spans of a copied window started.
fn starts(copy: &[u8]) -> Vec<u64> {
    let window = Bytes::parse(copy, 0).unwrap().unwrap();
    assert_eq!(window.header, HEADER);
    assert_eq!(window.len(), copy.len() - HEADER_LEN, "as long as it says");
    let mut starts = Vec::new();
    let all = window.for_each(|record| match record {
        Record::Span(span) => starts.push(span.start),
        other => panic!("{other:?}"),
    });
    all.unwrap();
    starts
}

#[test]
fn each_copy_of_a_window_that_is_written_to_is_a_whole_prefix() {
    let mut writer = Writer::new();
    let window = Window::on_heap(Destination::Nowhere, WINDOW_LEN, 0);
    writer.begin(window, &HEADER);
    writer.note_defined(PathId(1));
    let seen = NonNull::from(&mut writer);
    // SAFETY: the writer outlives the threads, and its window stays with it.
    let window = unsafe { Writer::window_at(seen) }.unwrap();
    let (look, looks) = std::sync::mpsc::sync_channel(1);
    let (mut copies, mut tail) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let writer = SendWriter(seen);
        scope.spawn(move || {
            let SendWriter(mut writer) = { writer };
            // SAFETY: the writer outlives this thread, which alone writes with it.
            fill(unsafe { writer.as_mut() }, &looks);
        });
        while look.send(()).is_ok() {
            copies.push(window.copy());
            tail.extend(window.copy_since(tail.len()));
        }
    });
    let whole = window.copy();
    tail.extend(window.copy_since(tail.len()));
    assert_eq!(tail, whole[HEADER_LEN..]);
    let all = starts(&whole);
    assert!(all.len() > 10_000, "{} spans", all.len());
    assert!(
        all.iter()
            .zip(0..)
            .all(|(start, at)| *start == HEADER.anchor.ticks + 3 * at)
    );
    let early = copies.iter().filter(|copy| copy.len() < whole.len());
    let early = early.count() as u64;
    assert!(early >= all.len() as u64 / AT_ONCE / 2, "{early} copies");
    for copy in copies {
        assert_eq!(copy[HEADER_LEN..], whole[HEADER_LEN..copy.len()]);
        let some = starts(&copy);
        assert_eq!(some, all[..some.len()]);
    }
}

struct SendWriter(NonNull<Writer>);

// SAFETY: one thread at a time writes with it.
unsafe impl Send for SendWriter {}
