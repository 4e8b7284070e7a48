//! A recording as the recorder wrote it, cut off after every single byte.

use laptime_core::format::process::{PREFIX_LEN, ProcessHeader, window_offset};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WINDOW_LEN, Window};
use laptime_core::{FormatError, Span};
use laptime_recorder::{RecordOptions, Site, enter, exit, mark, metric, record};

/// A real recording with every kind of record that one thread makes.
fn recording() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let recording = record(&folder.path().join("x.lap"), &RecordOptions::default()).unwrap();
    let (outer, inner) = (Site::intern("outer"), Site::intern("inner"));
    for round in 0..200 {
        let open = enter(outer).unwrap();
        for _ in 0..round % 4 {
            exit(enter(inner).unwrap()).unwrap();
        }
        if round % 50 == 0 {
            mark(Site::intern("mark"));
            metric(Site::intern("metric"), f64::from(round));
        }
        exit(open).unwrap();
    }
    let path = recording.finish().unwrap();
    let file = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "proc")
        });
    std::fs::read(file.unwrap()).unwrap()
}

/// All spans of a file in the order in which they stand there.
fn spans(bytes: &[u8]) -> Result<Vec<Span>, FormatError> {
    ProcessHeader::parse(bytes)?;
    let mut spans = Vec::new();
    for slot in 0.. {
        let offset = window_offset(slot);
        let Some(bytes) = bytes.get(offset as usize..) else {
            break;
        };
        let bytes = &bytes[..bytes.len().min(WINDOW_LEN)];
        if let Some(window) = Window::parse(bytes, offset)? {
            window.for_each(|record| {
                if let Record::Span(span) = record {
                    spans.push(span);
                }
            })?;
        }
    }
    Ok(spans)
}

#[test]
fn a_file_cut_off_after_any_byte_yields_the_exact_prefix() {
    let bytes = recording();
    let whole = spans(&bytes).unwrap();
    assert_eq!(whole.len(), 200 + 50 * (1 + 2 + 3));
    let mut longest = 0;
    for cut in 0..bytes.len() {
        match spans(&bytes[..cut]) {
            // Inside the header: said to be so, with the place.
            Err(FormatError::Empty) => assert_eq!(cut, 0),
            Err(FormatError::Foreign { .. } | FormatError::ShortHeader { .. }) => {
                assert!(cut < 4_096, "cut at {cut}");
            }
            Err(error) => panic!("cut at {cut}: {error}"),
            Ok(found) => {
                assert!(cut >= 4_096, "cut at {cut}");
                // One window of spans, so what was read only ever grows, a span at a time.
                assert_eq!(found, whole[..found.len()], "cut at {cut}");
                assert!(
                    (longest..=longest + 1).contains(&found.len()),
                    "cut at {cut}"
                );
                longest = found.len();
            }
        }
    }
    assert!(longest + 1 >= whole.len());
    assert!(bytes.len() > PREFIX_LEN);
}
