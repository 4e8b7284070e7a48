use proptest::prelude::*;

use super::*;

use crate::timer::SegmentRun;

fn runs(runs: &[(u64, u64)]) -> SegmentRuns {
    let mut all = SegmentRuns::default();
    for (started, elapsed_ns) in runs {
        all.push(SegmentRun {
            started: Some(*started),
            elapsed_ns: *elapsed_ns,
            ..SegmentRun::default()
        });
    }
    all
}

#[test]
fn nested_segments_count_once_in_the_runtime() {
    let outer = runs(&[(0, 100)]);
    let inner = runs(&[(10, 40), (60, 40)]);
    let origin = Origin {
        ticks: 0,
        ns_per_tick: 1.0,
    };
    assert_eq!(runtime_ns([&inner, &outer], origin), 100);
    assert_eq!(runtime_ns([], origin), 0);
}

proptest! {
    #[test]
    fn the_union_is_that_of_the_points(intervals in prop::collection::vec((0_i64..60, 0_u64..20), 0..12)) {
        let covered = (0..100)
            .filter(|point| intervals.iter().any(|(start, length)| {
                (*start..start + length.cast_signed()).contains(point)
            }))
            .count() as u64;
        prop_assert_eq!(union_ns(intervals), covered);
    }

    #[test]
    fn the_order_of_intervals_does_not_matter(intervals in prop::collection::vec((-9_i64..60, 0_u64..20), 0..12)) {
        let mut turned = intervals.clone();
        turned.reverse();
        prop_assert_eq!(union_ns(intervals), union_ns(turned));
    }
}
