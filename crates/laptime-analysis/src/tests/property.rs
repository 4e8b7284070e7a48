use super::*;
use crate::reading::second_pass::SecondPass;
use crate::summary::span_row::{RowKind, SpanRow};
use crate::testing::analyzed;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{Script, anchor};
use laptime_core::format::process::window_offset;
use laptime_core::{Span, SpanFlags};
use proptest::prelude::*;

fn of(script: &Script) -> Summary {
    summarize(std::slice::from_ref(script), Options::default())
}

/// Returns trees of two levels on two tracks, as (track, parent, child durations).
fn trees() -> impl Strategy<Value = Vec<(u32, u8, Vec<u32>)>> {
    proptest::collection::vec(
        (
            1_u32..3,
            0_u8..4,
            proptest::collection::vec(1_u32..5_000_000, 0..4),
        ),
        1..60,
    )
}

fn script_of(pid: u32, trees: &[(u32, u8, Vec<u32>)], scale: u64) -> Script {
    let mut script = Script::new(pid, 0);
    script.per_window = 7;
    let mut now = 0;
    for (track, parent, children) in trees {
        let (start, parent) = (now, format!("p{parent}"));
        for (index, ns) in children.iter().enumerate() {
            let ns = u64::from(*ns) * scale;
            let child = format!("c{}", index % 2);
            script.span_on(*track, &[&parent, &child], now, ns, SpanFlags::NONE);
            now += ns;
        }
        now += 100 * scale;
        script.span_on(*track, &[&parent], start, now - start, SpanFlags::NONE);
    }
    script.header.closed = Some(anchor(now + scale));
    script
}

fn without_order(summary: &Summary) -> Vec<SpanRow> {
    let mut rows = summary.rows.clone();
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    rows
}

proptest! {
    #[test]
    fn the_order_of_windows_does_not_matter(trees in trees(), turn in 0_usize..20) {
        let script = script_of(7, &trees, 1);
        let straight = of(&script);
        let mut analyzer = Analyzer::new(Options::default());
        let (mut begun, key) = analyzed::begin(&mut analyzer, &script);
        let mut windows: Vec<_> = script.windows().into_iter().enumerate().collect();
        let turn = turn % windows.len();
        windows.rotate_left(turn);
        windows.reverse();
        for (index, window) in windows {
            let mut pass = analyzer.first_pass(key);
            begun.reader.window(&window, window_offset(index as u64), &mut pass).unwrap();
        }
        analyzer.end(key, begun.reader.facts());
        prop_assert_eq!(without_order(&analyzer.finish()), without_order(&straight));
    }

    #[test]
    fn scaling_the_durations_scales_the_result(trees in trees(), scale in 2_u64..50) {
        let (one, many) = (of(&script_of(7, &trees, 1)), of(&script_of(7, &trees, scale)));
        prop_assert_eq!(many.wall_ns, one.wall_ns * scale);
        for (small, large) in one.rows.iter().zip(&many.rows) {
            prop_assert_eq!(&small.path, &large.path);
            prop_assert_eq!(small.total_ns * scale, large.total_ns);
            prop_assert_eq!(small.self_ns * scale, large.self_ns);
            prop_assert_eq!(small.min_ns.map(|ns| ns * scale), large.min_ns);
            let (small, large) = (small.p50_ns.unwrap_or(1) as f64, large.p50_ns.unwrap_or(scale) as f64);
            prop_assert!((large / (small * scale as f64) - 1.0).abs() <= 0.023, "{} {}", small, large);
        }
    }

    #[test]
    fn children_fit_in_their_parent_and_self_times_add_up(trees in trees()) {
        let summary = of(&script_of(7, &trees, 1));
        for row in &summary.rows {
            let inner: u64 = summary
                .rows
                .iter()
                .filter(|inner| inner.names.starts_with(&row.names))
                .map(|inner| inner.self_ns)
                .sum();
            prop_assert_eq!(inner, row.total_ns, "{}", row.path);
        }
    }

    #[test]
    fn merged_processes_are_the_sum_of_each(first in trees(), second in trees()) {
        let scripts = [script_of(7, &first, 1), script_of(8, &second, 1)];
        let (one, two) = (of(&scripts[0]), of(&scripts[1]));
        let both = summarize(&scripts, Options::default());
        for row in both.rows.iter().filter(|row| row.kind == RowKind::Span) {
            let parts = [&one, &two].map(|summary| summary.row(&row.path));
            let sum = |field: fn(&SpanRow) -> u64| parts.iter().flatten().map(|row| field(row)).sum::<u64>();
            prop_assert_eq!(row.total_ns, sum(|row| row.total_ns));
            prop_assert_eq!(row.self_ns, sum(|row| row.self_ns));
            prop_assert_eq!(row.count.unwrap(), sum(|row| row.count.unwrap()));
            let least = parts.iter().flatten().filter_map(|row| row.min_ns).min();
            prop_assert_eq!(row.min_ns, least);
        }
    }
}

/// Returns spans, marks and paths as a damaged file may hold them.
fn any_entries() -> impl Strategy<Value = Vec<(u32, u64, u64, u32, u64)>> {
    let entry = (2_u32..8, any::<u64>(), any::<u64>(), 0_u32..3, 0_u64..256);
    proptest::collection::vec(entry, 0..60)
}

proptest! {
    #[test]
    fn no_file_brings_the_analysis_down(
        entries in any_entries(),
        closed in any::<Option<(u64, u64)>>(),
        rate in 1e-3_f64..1e3,
        cut in 0_usize..600,
    ) {
        let mut script = Script::new(7, 0);
        script.header.nominal_ns_per_tick = rate;
        script.header.closed = closed.map(|(ticks, ns)| laptime_core::Anchor {
            ticks,
            monotonic_ns: ns,
            realtime_ns: ticks,
            boottime_ns: ns,
        });
        script.sealed = false;
        for names in [&["step"][..], &["a"], &["a", "step"], &["a", "b"], &["b"], &["b", "c"]] {
            script.path(names);
        }
        for (path, start, duration, track, flags) in entries {
            script.push(Span {
                flags: SpanFlags(flags),
                process_ns: Some(start),
                thread_ns: Some(start),
                wall: (flags & 64 != 0).then_some(start),
                ..Span::plain(laptime_core::PathId(path), start, duration, track)
            });
        }
        let mut analyzer = Analyzer::new(Options::default());
        let (mut begun, key) = analyzed::begin(&mut analyzer, &script);
        for pass in 0..2 {
            for (index, window) in script.windows().iter().enumerate() {
                let end = window.len() - cut.min(window.len());
                let slot = &window[..end.max(cut % 2 * window.len())];
                let offset = window_offset(index as u64);
                // Damage is the reader's to tell; what stood before it counts.
                if pass == 0 {
                    let _ = begun.reader.window(slot, offset, &mut analyzer.first_pass(key));
                } else if let Some(mut pass) = SecondPass::begin(analyzer.process_mut(key)) {
                    let _ = begun.reader.window(slot, offset, &mut pass);
                }
            }
            if pass == 0 {
                begun.reader.end_pass();
                analyzer.end(key, begun.reader.facts());
                analyzer.begin_steady();
            }
        }
        let _ = analyzer.finish();
    }
}
