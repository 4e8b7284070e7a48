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

fn totals(segments: &[(&str, SegmentRuns)]) -> ContextTotals {
    let segments = segments.iter();
    let origin = Origin {
        ticks: 0,
        ns_per_tick: 1.0,
    };
    ContextTotals::of(
        segments.map(|(name, runs)| ((*name).to_owned(), runs)),
        origin,
    )
}

#[test]
fn nested_segments_count_once_in_the_runtime() {
    let outer = ("outer", runs(&[(0, 100)]));
    let inner = ("inner", runs(&[(10, 40), (60, 40)]));
    let totals = totals(&[inner, outer]);
    assert_eq!(totals.runtime_ns, 100);
    let names: Vec<_> = totals
        .segments
        .iter()
        .map(|one| (&*one.name, one.total_ns))
        .collect();
    assert_eq!(names, [("outer", 100), ("inner", 80)]);
}

#[test]
fn a_name_that_never_finished_is_left_out() {
    let one = totals(&[("open", runs(&[])), ("a", runs(&[(0, 1)]))]);
    assert_eq!(one.segments.len(), 1);
    assert_eq!(totals(&[]).runtime_ns, 0);
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
