use super::*;
use crate::format::record::{Record, encode};
use crate::format::window::{HEADER_LEN, Window, WindowHeader, WindowState, seal};
use crate::span::Span;

fn header() -> ProcessHeader {
    ProcessHeader {
        clock: ClockKind::Tsc,
        pid: 7,
        parent_pid: 6,
        main_track: 1,
        boot_id: [9; 16],
        nominal_ns_per_tick: 0.43,
        anchor: Anchor {
            ticks: 1_000,
            monotonic_ns: 2,
            realtime_ns: 3,
            boottime_ns: 4,
        },
        process_started_boottime_ns: Some(5),
        program: "train.py".into(),
        lost: 3,
        clamped: 1,
        closed: Some(Anchor::default()),
        loss_reason: Some(28),
        length: Some(98_304),
    }
}

fn window(sealed: bool) -> (Vec<u8>, Vec<Span>) {
    let header = WindowHeader {
        pid: 7,
        stream: 1,
        sequence: 0,
        boot: 9,
        anchor: header().anchor,
        lost: 0,
        track: 1,
    };
    let spans: Vec<Span> = (0..40)
        .map(|i| Span::plain(PathId(2 + i as u32 % 3), 2_000 + i * 1_000, 300 + i, 1))
        .collect();
    let mut records = Vec::new();
    let mut cursor = header.cursor();
    for span in &spans {
        encode(&mut records, &mut cursor, &Record::Span(*span));
    }
    let mut bytes = header.to_bytes().to_vec();
    bytes[8..12].copy_from_slice(&(records.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&records);
    if sealed {
        seal(&mut bytes, records.len());
    }
    (bytes, spans)
}

fn spans_of(bytes: &[u8]) -> Result<Vec<Span>, FormatError> {
    let mut spans = Vec::new();
    if let Some(window) = Window::parse(bytes, PREFIX_LEN as u64)? {
        window.for_each(|record| {
            if let Record::Span(span) = record {
                spans.push(span);
            }
        })?;
    }
    Ok(spans)
}

#[test]
fn a_header_survives_bytes() {
    assert_eq!(ProcessHeader::parse(&header().to_bytes()), Ok(header()));
}

#[test]
fn every_flipped_bit_of_what_moves_times_is_found() {
    let bytes = ProcessHeader {
        closed: Some(header().anchor),
        length: Some(1 << 20),
        ..header()
    }
    .to_bytes();
    assert_eq!(check_end(&bytes), Ok(()));
    let mut without_end = header();
    without_end.forget_end();
    let flipped = |bit: usize| {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        damaged
    };
    let bits = |from: usize, to: usize| 8 * from..8 * to;
    let start = bits(0, LOST_OFFSET).chain(bits(START_CHECK_OFFSET, END_CHECK_OFFSET));
    for bit in start {
        let read = ProcessHeader::parse(&flipped(bit));
        assert!(read.is_err(), "bit {bit} went unnoticed");
    }
    let end =
        bits(END_ANCHOR_OFFSET, LOSS_REASON_OFFSET).chain(bits(LENGTH_OFFSET, START_CHECK_OFFSET));
    for bit in end.chain(bits(END_CHECK_OFFSET, END_CHECK_OFFSET + 8)) {
        let damaged = flipped(bit);
        assert!(check_end(&damaged).is_err(), "bit {bit} went unnoticed");
        let mut read = ProcessHeader::parse(&damaged).unwrap();
        read.forget_end();
        assert_eq!(read, without_end);
    }
}

#[test]
fn files_of_writers_without_checks_are_read() {
    let mut bytes = header().to_bytes();
    bytes[START_CHECK_OFFSET..END_CHECK_OFFSET + 8].fill(0);
    assert_eq!(ProcessHeader::parse(&bytes), Ok(header()));
    assert_eq!(check_end(&bytes), Ok(()));
}

#[test]
fn foreign_empty_short_and_newer_files_are_told_apart() {
    assert_eq!(ProcessHeader::parse(b""), Err(FormatError::Empty));
    assert!(matches!(
        ProcessHeader::parse(b"{\"traceEvents\": []}"),
        Err(FormatError::Foreign { .. })
    ));
    let bytes = header().to_bytes();
    for cut in 1..BLACK_BOX_OFFSET {
        assert_eq!(
            ProcessHeader::parse(&bytes[..cut]),
            Err(FormatError::ShortHeader {
                expected: BLACK_BOX_OFFSET,
                found: cut
            })
        );
    }
    let mut newer = bytes;
    newer[8] = 9;
    assert_eq!(
        ProcessHeader::parse(&newer),
        Err(FormatError::Newer {
            found: 9,
            supported: FORMAT_VERSION
        })
    );
}

#[test]
fn a_program_name_is_cut_between_characters() {
    let long = ProcessHeader {
        program: "é".repeat(600) + "x",
        ..header()
    };
    let read = ProcessHeader::parse(&long.to_bytes()).unwrap();
    assert_eq!(read.program, "é".repeat(512));
}

#[test]
fn every_flipped_bit_of_a_sealed_window_is_found_or_harmless() {
    let (mut bytes, spans) = window(true);
    let bits = bytes.len() * 8;
    bytes.resize(super::WINDOW_LEN, 0);
    for bit in 0..bits {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        // Bytes 8–11, the committed length, no longer count once sealed; nor does the flag
        // (bit 48), which a checksum implies.
        match spans_of(&damaged) {
            Ok(found) => {
                assert!(
                    bit == 48 || (64..96).contains(&bit),
                    "bit {bit} went unnoticed"
                );
                assert_eq!(found, spans);
            }
            Err(error) => assert!(error.to_string().contains("offset"), "{error}"),
        }
    }
}

#[test]
fn a_window_cut_at_any_byte_returns_the_exact_prefix() {
    for sealed in [false, true] {
        let (bytes, spans) = window(sealed);
        let mut most = 0;
        for cut in 0..=bytes.len() {
            let found = spans_of(&bytes[..cut]).unwrap();
            assert_eq!(found, spans[..found.len()]);
            assert!(found.len() >= most, "fewer spans at a later cut");
            most = found.len();
        }
        assert_eq!(most, spans.len());
    }
}

#[test]
fn an_open_window_ends_at_its_committed_length() {
    let (mut bytes, spans) = window(false);
    bytes.resize(super::WINDOW_LEN, 0xff);
    let window = Window::parse(&bytes, 0).unwrap().unwrap();
    assert_eq!(window.state, WindowState::Unsealed);
    assert_eq!(spans_of(&bytes).unwrap(), spans);
    bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(
        Window::parse(&bytes, 0),
        Err(FormatError::Header { .. })
    ));
}

#[test]
fn a_window_whose_opening_was_cut_short_is_no_window() {
    let (mut bytes, _) = window(false);
    bytes[0..4].fill(0);
    assert!(
        spans_of(&bytes).is_err(),
        "records without a magic are damage"
    );
    bytes[8..16].fill(0);
    assert_eq!(spans_of(&bytes), Ok(vec![]));
}

#[test]
fn an_unused_slot_is_no_window() {
    assert!(Window::parse(&[0; HEADER_LEN], 0).unwrap().is_none());
    assert!(Window::parse(&[], 0).unwrap().is_none());
}

#[test]
fn open_spans_come_from_the_black_box() {
    let mut bytes = header().to_bytes();
    let slot = BLACK_BOX_OFFSET + SLOT_LEN;
    bytes[slot..slot + 4].copy_from_slice(&3_u32.to_le_bytes());
    bytes[slot + 4..slot + 8].copy_from_slice(&8_u32.to_le_bytes());
    for (entry, path) in [(1, 5_u32), (2, 6)] {
        let at = slot + 16 + entry * 16;
        bytes[at..at + 4].copy_from_slice(&path.to_le_bytes());
        bytes[at + 8..at + 16].copy_from_slice(&(100 * entry as u64).to_le_bytes());
    }
    let open = |path, start| OpenSpan {
        path: PathId(path),
        track: 8,
        start,
    };
    assert_eq!(open_spans(&bytes), [open(5, 100), open(6, 200)]);
    assert_eq!(open_spans(&bytes[..5_000]), []);
    assert_eq!(open_spans(&[]), []);
}
