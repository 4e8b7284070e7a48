use proptest::prelude::*;

use super::*;

fn lanes(bars: &[(u32, u32, u64, u64)], budget: LaneBudget) -> (Vec<Lane>, Simplified) {
    let mut builder = LaneBuilder::new(budget);
    for (track, depth, start, duration) in bars {
        builder.push(*track, *depth, Bar::new(*start, *duration, 0));
    }
    builder.finish()
}

#[test]
fn children_written_before_their_parents_stand_below_them() {
    let (lanes, simplified) = lanes(
        &[(1, 1, 10, 5), (1, 1, 20, 5), (1, 0, 5, 30)],
        LaneBudget::default(),
    );
    assert_eq!(lanes.len(), 2);
    assert_eq!(lanes[0].bars, [Bar::new(5, 30, 0)]);
    assert_eq!(lanes[1].bars, [Bar::new(10, 5, 0), Bar::new(20, 5, 0)]);
    assert_eq!(simplified, Simplified::default());
}

#[test]
fn overlapping_spans_of_one_depth_get_lanes_of_their_own() {
    let (lanes, _) = lanes(
        &[(1, 0, 0, 10), (1, 0, 5, 10), (1, 0, 10, 5)],
        LaneBudget::default(),
    );
    assert_eq!(lanes[0].bars, [Bar::new(0, 10, 0), Bar::new(10, 5, 0)]);
    assert_eq!(lanes[1].bars, [Bar::new(5, 10, 0)]);
}

#[test]
fn short_neighbours_fold_within_their_parent_and_keep_count_and_time() {
    let mut spans = vec![(1, 0, 0, 1_000_000), (1, 0, 1_000_000, 1_000_000)];
    for index in 0..100 {
        spans.push((1, 1, index * 20_000, 100));
    }
    let budget = LaneBudget {
        bars: 10,
        tracks: 10,
    };
    let (lanes, simplified) = lanes(&spans, budget);
    let children = &lanes[1].bars;
    assert_eq!(lanes[0].bars.len(), 2, "long spans stay");
    assert!(children.len() + 2 <= 10);
    let all = |of: fn(&Bar) -> u64| children.iter().map(of).sum::<u64>();
    assert_eq!(all(|bar| u64::from(bar.count)), 100);
    assert_eq!(all(|bar| bar.busy_ns), 10_000);
    for bar in children {
        let is_inside = bar.end_ns() <= 1_000_000 || bar.start_ns >= 1_000_000;
        assert!(is_inside, "{bar:?} lies in two parents");
    }
    let folded = children.iter().filter(|bar| bar.count > 1);
    assert_eq!(
        simplified.folded,
        folded.map(|bar| u64::from(bar.count)).sum::<u64>()
    );
    assert!(simplified.folded > 50);
}

#[test]
fn spans_of_tracks_beyond_the_bound_are_counted() {
    let spans: Vec<_> = (0..10).map(|track| (track, 0, 0, 7)).collect();
    let budget = LaneBudget {
        bars: 100,
        tracks: 4,
    };
    let (lanes, simplified) = lanes(&spans, budget);
    assert_eq!(lanes.len(), 4);
    assert_eq!((simplified.left_out, simplified.left_out_ns), (6, 42));
}

proptest! {
    #[test]
    fn no_time_and_no_span_is_ever_lost(
        spans in proptest::collection::vec((0_u32..3, 0_u32..3, 0_u64..100_000, 0_u64..5_000), 0..300),
        most in 1_usize..50,
    ) {
        let (lanes, simplified) = lanes(&spans, LaneBudget { bars: most, tracks: 2 });
        let bars = || lanes.iter().flat_map(|lane| &lane.bars);
        let count: u64 = bars().map(|bar| u64::from(bar.count)).sum();
        let busy: u64 = bars().map(|bar| bar.busy_ns).sum();
        prop_assert_eq!(count + simplified.left_out, spans.len() as u64);
        let sum: u64 = spans.iter().map(|span| span.3).sum();
        prop_assert_eq!(busy + simplified.left_out_ns, sum);
        for lane in &lanes[..lanes.len().saturating_sub(1)] {
            for pair in lane.bars.windows(2) {
                prop_assert!(pair[0].start_ns <= pair[1].start_ns);
            }
        }
    }
}
