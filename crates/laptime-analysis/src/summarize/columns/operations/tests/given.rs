use laptime_core::{Span, SpanWork};
use proptest::prelude::*;

use crate::summary::doubt::{Doubt, OperationsDoubt, PartlySaid, PathPart, SaidQuantity};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};
use crate::{Options, SpanRow, Summary};

fn run(works: &[(u64, SpanWork)]) -> Summary {
    let mut script = Script::new(1, 1_000 * MS);
    let path = script.path(&["gemm"]);
    let mut at = EPOCH_NS;
    for (duration, work) in works {
        script.push(Span::plain(path, at, *duration, MAIN).with_work(*work));
        at += duration;
    }
    summarize(&[script], Options::default())
}

fn gemm(summary: &Summary) -> &SpanRow {
    summary.row("gemm").unwrap()
}

fn span_work(flop: u128, bytes: u128) -> SpanWork {
    SpanWork {
        flop: Some(flop),
        bytes: Some(bytes),
    }
}

#[test]
fn a_row_sums_what_its_spans_say_and_divides_by_their_time() {
    let summary = run(&[
        (2 * MS, span_work(6_000_000, 1_000_000)),
        (MS, span_work(3_000_000, 500_000)),
    ]);
    let row = gemm(&summary);
    assert_eq!(
        (row.work.flop, row.work.bytes_moved),
        (Some(9_000_000), Some(1_500_000))
    );
    assert_eq!(row.work.flop_per_s, Some(3e9));
    assert_eq!(row.work.bytes_moved_per_s, Some(5e8));
    assert_eq!(row.work.intensity, Some(6.0));
    assert_eq!(row.work.operations_coverage_ratio, Some(1.0));
}

#[test]
fn spans_that_say_nothing_are_not_in_the_denominator_and_a_warning_tells() {
    let nothing = SpanWork::default();
    let summary = run(&[
        (MS, span_work(1_000_000, 1)),
        (7 * MS, nothing),
        (9 * MS, nothing),
    ]);
    let row = gemm(&summary);
    assert_eq!(row.work.flop_per_s, Some(1e9));
    assert_eq!(row.work.operations_coverage_ratio, Some(1.0 / 3.0));
    let part = PathPart {
        path: "gemm".to_owned(),
        count: 1,
        span_count: 3,
    };
    let quantity = SaidQuantity::Flop;
    let paths = vec![PartlySaid { quantity, part }];
    let doubt = Doubt::Operations(OperationsDoubt::PartlySaid { paths });
    assert!(summary.warnings.contains(&doubt));
}

#[test]
fn what_is_not_said_is_absent_with_a_reason() {
    let flop_only = SpanWork {
        flop: Some(5),
        bytes: None,
    };
    let summary = run(&[(MS, flop_only)]);
    let row = gemm(&summary);
    assert_eq!(
        (row.work.bytes_moved, row.work.intensity, row.work.mac),
        (None, None, None)
    );
    assert_eq!(
        summary.why(row, "intensity").unwrap().0,
        "no span of this path says both FLOP and bytes"
    );
    let quiet = run(&[(MS, SpanWork::default())]);
    assert_eq!(gemm(&quiet).work.flop, None);
    assert_eq!(
        quiet.why(gemm(&quiet), "flop").unwrap().0,
        "operations were not counted"
    );
}

#[test]
fn sums_beyond_64_bits_survive_the_file() {
    let summary = run(&[(MS, span_work(1 << 100, 1 << 70)), (MS, span_work(1, 1))]);
    let row = gemm(&summary);
    assert_eq!(row.work.flop, Some((1 << 100) + 1));
    assert_eq!(row.work.bytes_moved, Some((1 << 70) + 1));
    let json = serde_json::to_string(&summary).unwrap();
    assert!(json.contains(&format!("\"flop\":{},", (1_u128 << 100) + 1)));
}

proptest! {
    #[test]
    fn order_does_not_matter_and_more_work_in_the_same_time_is_a_higher_rate(
        works in proptest::collection::vec((1_u64..9 * MS, 0_u64..1 << 40), 1..40),
        times in 2_u128..9,
    ) {
        let as_said = |times: u128| -> Vec<(u64, SpanWork)> {
            works.iter().map(|(ns, flop)| (*ns, span_work(u128::from(*flop) * times, 1))).collect()
        };
        let once = run(&as_said(1));
        let mut backwards = as_said(1);
        backwards.reverse();
        let backwards = run(&backwards);
        prop_assert_eq!(gemm(&once).work.flop, gemm(&backwards).work.flop);
        prop_assert_eq!(gemm(&once).work.flop_per_s, gemm(&backwards).work.flop_per_s);
        let more = run(&as_said(times));
        prop_assert_eq!(gemm(&more).work.flop, gemm(&once).work.flop.map(|flop| flop * times));
        let (more, once) = (gemm(&more).work.flop_per_s.unwrap(), gemm(&once).work.flop_per_s.unwrap());
        prop_assert!((more - once * times as f64).abs() <= more * 1e-12);
    }
}
