use super::*;
use crate::summarize::rows::blank;
use crate::summary::span_row::RowKind;

fn row(process_ns: u64, thread_ns: u64, delayed_ns: u64) -> SpanRow {
    let wall_ns = 100_000_000;
    SpanRow {
        process_ns: Some(process_ns * 1_000_000),
        thread_ns: Some(thread_ns * 1_000_000),
        delayed_ns: Some(delayed_ns * 1_000_000),
        ..blank(RowKind::Span, vec!["x".to_owned()], wall_ns, wall_ns)
    }
}

#[test]
fn each_kind_of_row_is_told_apart() {
    let verdict = |process, thread, delayed| cpu_use(&row(process, thread, delayed)).unwrap();
    assert!(matches!(verdict(99, 99, 0), CpuUse::Computed { .. }));
    assert!(matches!(verdict(380, 99, 0), CpuUse::Several { .. }));
    assert!(matches!(verdict(97, 1, 0), CpuUse::OtherThreads { .. }));
    assert!(matches!(verdict(70, 1, 0), CpuUse::OtherThreads { .. }));
    assert!(matches!(verdict(40, 1, 0), CpuUse::Waited { .. }));
    assert!(matches!(verdict(55, 55, 44), CpuUse::KeptFromCpu { .. }));
    assert!(matches!(verdict(1, 1, 0), CpuUse::Waited { .. }));
}

#[test]
fn short_spans_are_not_said_to_compute_on_several_cpus() {
    let many = SpanRow {
        count: Some(100_000),
        ..row(300, 290, 0)
    };
    assert_eq!(cpu_use(&many), Some(CpuUse::Short));
    let without = SpanRow {
        process_ns: None,
        thread_ns: None,
        ..many
    };
    assert_eq!(cpu_use(&without), None);
}

#[test]
fn a_row_without_its_delay_does_not_deny_a_busy_machine() {
    let known = |row: &SpanRow| match cpu_use(row) {
        Some(
            CpuUse::Waited { is_delay_known, .. } | CpuUse::OtherThreads { is_delay_known, .. },
        ) => is_delay_known,
        other => panic!("{other:?}"),
    };
    for (process, thread) in [(1, 1), (97, 1)] {
        let timer = row(process, thread, 0);
        assert!(known(&timer));
        let recorded = SpanRow {
            delayed_ns: None,
            ..timer
        };
        assert!(!known(&recorded));
    }
}

#[test]
fn a_thread_kept_from_the_cpu_stands_beside_its_own_cpu_time() {
    let Some(CpuUse::KeptFromCpu {
        delayed_ratio,
        thread_ratio,
        process_ratio,
    }) = cpu_use(&row(48, 30, 61))
    else {
        panic!("it was kept");
    };
    assert_eq!(
        (delayed_ratio, thread_ratio, process_ratio),
        (0.61, 0.3, 0.48)
    );
}

#[test]
fn without_cpu_time_or_too_short_there_is_no_verdict() {
    let wall_only = blank(
        RowKind::Span,
        vec!["x".to_owned()],
        100_000_000,
        100_000_000,
    );
    assert_eq!(cpu_use(&wall_only), None);
    let short = SpanRow {
        total_ns: 500_000,
        ..row(1, 1, 0)
    };
    assert_eq!(cpu_use(&short), None);
}
