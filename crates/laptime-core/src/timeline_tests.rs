use super::*;
use proptest::prelude::*;

const EPOCH_NS: u64 = 1_000_000_000_000;
const MS: u64 = 1_000_000;

fn anchor(at_ns: u64) -> Anchor {
    Anchor {
        ticks: EPOCH_NS + at_ns,
        monotonic_ns: EPOCH_NS + at_ns,
        realtime_ns: 0,
        boottime_ns: EPOCH_NS + at_ns,
    }
}

/// A process that ran for a second.
fn header() -> ProcessHeader {
    ProcessHeader {
        clock: ClockKind::Monotonic,
        pid: 7,
        parent_pid: 1,
        main_track: 1,
        boot_id: [7; 16],
        nominal_ns_per_tick: 1.0,
        anchor: anchor(0),
        process_started_boottime_ns: None,
        program: "train.py".into(),
        lost: 0,
        clamped: 0,
        closed: Some(anchor(1_000 * MS)),
        loss_reason: None,
        length: None,
    }
}

#[test]
fn moments_and_ticks_are_each_others_inverse() {
    let timeline = Anchors::new(&header()).timeline();
    for at in [0, 1, 500 * MS, 1_000 * MS, 5_000 * MS] {
        assert_eq!(
            timeline.ticks_at(timeline.monotonic_ns(EPOCH_NS + at)),
            EPOCH_NS + at
        );
    }
}

#[test]
fn a_lone_anchor_uses_the_stated_rate() {
    let mut header = header();
    header.closed = None;
    header.nominal_ns_per_tick = 0.5;
    let anchors = Anchors::new(&header);
    assert!((anchors.mean_ns_per_tick() - 0.5).abs() < 1e-12);
    assert!(!anchors.timeline().is_measured());
}

#[test]
fn a_week_of_anchors_takes_bounded_memory_and_keeps_first_and_last() {
    let mut anchors = Anchors::new(&header());
    (1..600_000_u64).for_each(|second| anchors.add(anchor(second * 1_000 * MS)));
    assert!(anchors.kept.len() <= MOST_ANCHORS);
    assert_eq!(anchors.last(), anchor(599_999 * 1_000 * MS));
    let timeline = anchors.timeline();
    assert_eq!(
        timeline.monotonic_ns(EPOCH_NS + 123_456 * MS),
        EPOCH_NS + 123_456 * MS
    );
    assert_eq!(timeline.uneven_rate(), None);
}

#[test]
fn anchors_of_a_damaged_file_end_too() {
    let mut anchors = Anchors::new(&header());
    for ticks in 0..20_000 {
        anchors.add(Anchor {
            ticks,
            monotonic_ns: u64::MAX,
            realtime_ns: 0,
            boottime_ns: 0,
        });
    }
    assert!(anchors.kept.len() <= MOST_ANCHORS);
}

proptest! {
    #[test]
    fn the_mean_rate_rests_on_what_the_reader_settled_on_alone(times in proptest::collection::vec(0_u64..10_000_000_000, 1..40)) {
        let mut anchors = Anchors::new(&header());
        anchors.settle(Anchor { monotonic_ns: EPOCH_NS + 2_000 * MS, ..anchor(1_000 * MS) });
        for at in times {
            anchors.add(anchor(at));
        }
        prop_assert!((anchors.mean_ns_per_tick() - 2.0).abs() < 1e-12);
    }
}

#[test]
fn a_damaged_reading_in_the_header_is_doubtful() {
    let sound = {
        let mut header = header();
        header.closed = Some(anchor(2_000_000_000));
        header
    };
    let is_doubtful = |header: &ProcessHeader| {
        let mut anchors = Anchors::new(header);
        anchors.add(anchor(10_000_000));
        anchors.add(anchor(900_000_000));
        anchors.is_doubtful()
    };
    assert!(!is_doubtful(&sound));
    for bit in 29..64 {
        for is_start in [true, false] {
            for is_tick in [true, false] {
                let mut header = sound.clone();
                let stated = if is_start {
                    &mut header.anchor
                } else {
                    header.closed.as_mut().unwrap()
                };
                if is_tick {
                    stated.ticks ^= 1 << bit;
                } else {
                    stated.monotonic_ns ^= 1 << bit;
                }
                assert!(is_doubtful(&header), "bit {bit} of {header:?}");
            }
        }
    }
}
