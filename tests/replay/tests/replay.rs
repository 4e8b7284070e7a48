//! The fuzz targets on plain stable Rust: truncations of every seed, bytes of it changed in three
//! ways, and random edits. With `LAPTIME_TEST_FUZZ=all` every truncation and every byte; without,
//! every 29th, from another one on for each seed.

use laptime_core::format::reader::RecordReader;
use laptime_core::format::record::{Cursor, Record};
use laptime_core::format::window::{Window, WindowState};
use laptime_fuzz::{READERS, seeds};
use proptest::prelude::*;

fn is_all() -> bool {
    std::env::var_os("LAPTIME_TEST_FUZZ").is_some_and(|wish| wish == "all")
}

/// The places of a seed that are tried, up to its end.
fn places(seed: usize, end: usize) -> impl Iterator<Item = usize> {
    let (first, each) = if is_all() { (0, 1) } else { (seed % 29, 29) };
    (first..end).step_by(each)
}

#[test]
fn every_reader_has_a_seed() {
    for (reader, _) in READERS {
        assert!(!seeds::of(reader).is_empty(), "{reader} has no seed");
    }
}

#[test]
fn the_onnx_files_to_start_from_are_counted() {
    for seed in seeds::of("onnx") {
        let file = || std::io::Cursor::new(&seed);
        let open = laptime_onnx::open_dims(file()).unwrap();
        let dims: Vec<_> = open.into_iter().map(|dim| (dim.name, 3)).collect();
        let counts = laptime_onnx::count(file(), &dims, laptime_ops::Formulas::standard());
        assert!(counts.unwrap().total.total().cost.mac > 0);
    }
}

#[test]
fn the_stacks_to_start_from_are_stacks() {
    for seed in seeds::of("records").iter().skip(1) {
        let start = Cursor {
            last: 1 << 40,
            track: 1,
        };
        let records = RecordReader::new(seed, 0, start).map_while(Result::ok);
        let stacks = records.filter(|record| matches!(record, Record::Stack(_)));
        assert!(stacks.count() >= 8);
    }
}

#[test]
fn no_truncation_harms_a_reader() {
    for (reader, check) in READERS {
        for (number, seed) in seeds::of(reader).iter().enumerate() {
            for length in places(number, seed.len() + 1) {
                check(&seed[..length]);
            }
        }
    }
}

#[test]
fn no_changed_byte_harms_a_reader() {
    for (reader, check) in READERS {
        for (number, seed) in seeds::of(reader).iter().enumerate() {
            for place in places(number, seed.len()) {
                for change in [0x01, 0x80, 0xff] {
                    let mut changed = seed.clone();
                    changed[place] ^= change;
                    check(&changed);
                }
            }
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_in_a_sealed_window_is_noticed_or_changes_nothing() {
    let sealed = &seeds::of("window")[0];
    let read = |window: Window<'_>| {
        let mut records = Vec::new();
        window
            .for_each(|record| records.push(format!("{record:?}")))
            .unwrap();
        (window.header, records)
    };
    let truth = read(Window::parse(sealed, 0).unwrap().unwrap());
    for place in places(0, sealed.len()) {
        for bit in 0..8 {
            let mut changed = sealed.clone();
            changed[place] ^= 1 << bit;
            match Window::parse(&changed, 0) {
                Err(_) => {}
                // The length now points past the file: said to be cut off.
                Ok(Some(window)) if window.state == WindowState::Truncated => {}
                // The flag itself, or the committed length that a sealed window ignores.
                Ok(Some(window)) => assert_eq!(read(window), truth, "bit {bit} of byte {place}"),
                Ok(None) => panic!("bit {bit} of byte {place} hides the window"),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if is_all() { 2_000 } else { 200 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_edits_of_seeds_harm_no_reader(
        which in 0..READERS.len(),
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..24),
        tail in proptest::collection::vec(any::<u8>(), 0..64),
    ) {
        let (reader, check) = READERS[which];
        for mut bytes in seeds::of(reader) {
            for (place, value) in &edits {
                let place = place.index(bytes.len());
                bytes[place] = *value;
            }
            bytes.extend_from_slice(&tail);
            check(&bytes);
        }
    }
}
