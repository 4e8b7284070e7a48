use proptest::prelude::*;

use super::*;

fn record(start_ns: i64, elapsed_ns: u64) -> SegmentRecord {
    SegmentRecord {
        start_ns,
        elapsed_ns,
        memory: None,
    }
}

#[test]
fn nested_segments_count_once_in_the_runtime() {
    let outer = ("outer".to_owned(), vec![record(0, 100)]);
    let inner = ("inner".to_owned(), vec![record(10, 40), record(60, 40)]);
    let totals = context_totals([inner, outer]);
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
    let totals = context_totals([
        ("open".to_owned(), vec![]),
        ("a".to_owned(), vec![record(0, 1)]),
    ]);
    assert_eq!(totals.segments.len(), 1);
    assert_eq!(context_totals([]).runtime_ns, 0);
}

#[test]
fn memory_is_least_and_greatest_of_the_records_that_have_it() {
    let with = |net_bytes, peak_bytes| SegmentRecord {
        memory: Some(SegmentMemory {
            net_bytes,
            peak_bytes,
        }),
        ..record(0, 1)
    };
    let records = vec![with(-4096, 0), record(0, 1), with(512, 1024)];
    let totals = context_totals([("a".to_owned(), records)]);
    assert_eq!(totals.segments[0].net_bytes, Some((-4096, 512)));
    assert_eq!(totals.segments[0].peak_bytes, Some((0, 1024)));
    let totals = context_totals([("b".to_owned(), vec![record(0, 1)])]);
    assert_eq!(totals.segments[0].net_bytes, None);
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
