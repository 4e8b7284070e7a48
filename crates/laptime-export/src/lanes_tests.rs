use laptime_core::{PathId, Span};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::*;

fn span(start: u64, end: u64, flags: SpanFlags) -> SpanAt {
    let plain = Span::plain(PathId(2), start, end - start, 1);
    SpanAt::new(&Span { flags, ..plain }, |at| at, |length| length)
}

#[test]
fn what_nests_stays_on_its_track_at_its_own_moments() {
    let mut lanes = Lanes::new(9);
    for (start, end, depth) in [(1, 3, 1), (3, 5, 1), (0, 6, 0), (6, 6, 0), (6, 8, 0)] {
        let placed = lanes.place(&span(start, end, SpanFlags::NONE), depth);
        assert_eq!(placed.lane, 1);
        assert_eq!((placed.start_ns, placed.end_ns), (start, end));
    }
}

#[test]
fn segments_of_timers_that_overlap_get_lanes_beside() {
    let mut lanes = Lanes::new(9);
    let placed = [(0, 4), (2, 6), (4, 8), (1, 9)]
        .map(|(start, end)| lanes.place(&span(start, end, SpanFlags::ASIDE), 1));
    assert_eq!(placed.map(|placed| placed.lane), [10, 11, 10, 12]);
    assert_eq!(
        placed.map(|placed| placed.is_new),
        [
            Some(Kind::Timers(1)),
            Some(Kind::Timers(2)),
            None,
            Some(Kind::Timers(3))
        ]
    );
}

#[test]
fn a_span_that_outlives_the_one_around_it_gets_a_lane_beside() {
    let mut lanes = Lanes::new(9);
    let around = lanes.place(&span(0, 10, SpanFlags::NONE), 0);
    let outlives = lanes.place(&span(5, 12, SpanFlags::UNBALANCED), 1);
    assert_eq!((around.lane, outlives.lane), (1, 10));
    assert_eq!(outlives.is_new, Some(Kind::Overlapping(2)));
}

/// Spans as a program nests them: in ticks, in the order of their ends, with their depths.
fn nested(from: u64, shape: &[u8], depth: usize, told: &mut Vec<(u64, u64, usize)>) -> u64 {
    let mut at = from;
    let mut rest = shape;
    while let [first, tail @ ..] = rest {
        at += u64::from(first % 7);
        let start = at;
        let inner = usize::from(first / 16).min(tail.len());
        at += u64::from(first % 5);
        if depth < 6 {
            at = nested(at, &tail[..inner], depth + 1, told);
        }
        at += u64::from(first % 11);
        told.push((start, at, depth));
        rest = &tail[if depth < 6 { inner } else { 0 }..];
    }
    at
}

/// Places spans of a shape, of moments that bend and durations that have one rate: the worst that two
/// clocks do, and more.
fn check(shape: &[u8], numerator: u64, wobble: u64) -> Result<(), TestCaseError> {
    let mut told = Vec::new();
    nested(1_000, shape, 0, &mut told);
    let mut lanes = Lanes::new(1);
    let mut bars = Vec::new();
    let since = |ticks: u64| ticks * 1_000 + ticks / 64 * wobble;
    for (start, end, depth) in told {
        let plain = Span::plain(PathId(2), start, end - start, 1);
        let at = SpanAt::new(&plain, since, |length| length * numerator);
        let placed = lanes.place(&at, depth);
        prop_assert_eq!(placed.lane, 1);
        prop_assert!(placed.start_ns >= at.start_ns);
        prop_assert!(placed.end_ns >= placed.start_ns + at.reach_ns);
        bars.push((placed.start_ns, placed.end_ns));
    }
    for (index, one) in bars.iter().enumerate() {
        for other in &bars[index + 1..] {
            let apart = one.1 <= other.0 || other.1 <= one.0;
            let inside =
                (other.0 <= one.0 && one.1 <= other.1) || (one.0 <= other.0 && other.1 <= one.1);
            prop_assert!(apart || inside, "{one:?} {other:?}");
        }
    }
    Ok(())
}

#[test]
fn a_span_that_begins_where_one_reaches_leaves_room_for_those_around_it() {
    let shape = [
        173, 213, 27, 102, 137, 131, 137, 173, 47, 110, 24, 87, 214, 146, 196, 201, 60, 43, 124,
        143, 76, 222, 211, 11, 101, 44, 75, 240,
    ];
    check(&shape, 1_092, 0).unwrap();
}

proptest! {
    #[test]
    fn bars_nest_whatever_the_rate_and_move_no_more_than_it_errs(
        shape in proptest::collection::vec(any::<u8>(), 0..200),
        (numerator, wobble) in (900_u64..1_100, 0_u64..40),
    ) {
        check(&shape, numerator, wobble)?;
    }
}
