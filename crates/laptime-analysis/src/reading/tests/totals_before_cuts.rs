use super::*;
use crate::reading::second_pass::SecondPass;
use crate::testing::analyzed;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script, anchor, training};
use crate::{Analyzer, Options, Summary};
use laptime_core::PathId;
use laptime_core::format::reader::VisitProcess;
use proptest::prelude::*;

/// The order in which the windows of a recording are read.
#[derive(Debug, Clone, Copy)]
struct Order {
    /// The window with which the first pass begins; it wraps around at the end.
    turn: usize,
    is_backwards: bool,
    is_cut: bool,
}

const STRAIGHT: Order = Order {
    turn: 0,
    is_backwards: false,
    is_cut: true,
};
const UNCUT: Order = Order {
    is_cut: false,
    ..STRAIGHT
};

/// Returns the summary, and how many windows were read in the first and in the second pass.
fn summary_of(scripts: &[Script], order: Order) -> (Summary, [usize; 2]) {
    let mut analyzer = Analyzer::new(Options::default());
    let mut processes = Vec::new();
    let mut read = [0; 2];
    for script in scripts {
        let one = analyzed::begin(&mut analyzer, script);
        if !order.is_cut {
            analyzer.process_mut(one.1).spans.earlier.never_cut();
        }
        processes.push(one);
    }
    for (pass, read) in read.iter_mut().enumerate() {
        for (script, (one, key)) in scripts.iter().zip(&mut processes) {
            let mut windows: Vec<_> = (0..).zip(script.windows()).collect();
            if !windows.is_empty() {
                let turn = order.turn % windows.len();
                windows.rotate_left(turn);
            }
            if order.is_backwards {
                windows.reverse();
            }
            for (index, window) in windows {
                let offset = window_offset(index);
                if pass == 0 {
                    let mut pass = analyzer.first_pass(*key);
                    one.reader.window(&window, offset, &mut pass).unwrap();
                    *read += 1;
                } else if let Some(mut pass) = SecondPass::begin(analyzer.process_mut(*key))
                    && pass.wants(offset)
                {
                    one.reader.window(&window, offset, &mut pass).unwrap();
                    *read += 1;
                }
            }
            if pass == 0 {
                one.reader.end_pass();
                analyzer.end(*key, one.reader.facts());
            }
        }
        if pass == 0 {
            analyzer.begin_steady();
        }
    }
    (analyzer.finish(), read)
}

/// A random step of the main track, by number.
#[derive(Debug, Clone)]
struct RandomStep {
    kind: u8,
    jitter_ns: u64,
    children: u8,
}

fn random_steps() -> impl Strategy<Value = Vec<RandomStep>> {
    let step =
        (0_u8..12, 0_u64..200_000, 0_u8..4).prop_map(|(kind, jitter_ns, children)| RandomStep {
            kind,
            jitter_ns,
            children,
        });
    proptest::collection::vec(step, 1..120)
}

/// Returns spans of the other tracks and of the main track outside of steps: when, how long, where.
fn random_others() -> impl Strategy<Value = Vec<(u64, u64, u32, u8)>> {
    let other = (0_u64..2_400, 1_u64..900, 1_u32..4, 0_u8..8);
    proptest::collection::vec(other, 0..80)
}

/// Returns a run with slow first steps, steps in pieces, and spans across everything.
fn random_script(
    pid: u32,
    slow: usize,
    steps: &[RandomStep],
    others: &[(u64, u64, u32, u8)],
    has_pieces: bool,
) -> Script {
    let mut script = Script::new(pid, 0);
    script.per_window = 5;
    let mut now = 0;
    for (index, step) in steps.iter().enumerate() {
        let start = now;
        let ns = if index < slow { 80 } else { 20 } * MS + step.jitter_ns;
        for child in 0..u64::from(step.children) {
            script.span(&["train", "step", "forward"], now + child * MS, MS / 2);
            if has_pieces && step.kind == 1 {
                let at = now + child * MS + MS / 2;
                let names = ["train", "step", "forward"];
                script.span_on(MAIN, &names, at, MS / 4, SpanFlags::CONTINUES);
            }
        }
        let first_ns = if has_pieces && step.kind < 4 {
            ns / 3
        } else {
            ns
        };
        script.span(&["train", "step"], start, first_ns);
        if first_ns < ns {
            let rest = start + first_ns + MS;
            let names = ["train", "step"];
            script.span_on(MAIN, &names, rest, ns - first_ns, SpanFlags::CONTINUES);
            now += MS;
        }
        now += ns + 1_000;
    }
    script.span(&["train"], 0, now);
    for (at, length, track, kind) in others {
        let flags = match kind {
            0 => SpanFlags::ASIDE,
            1 => SpanFlags::DETACHED,
            2 => SpanFlags::UNBALANCED,
            _ => SpanFlags::NONE,
        };
        let names: &[&str] = if *kind < 4 { &["io"] } else { &["io", "read"] };
        script.span_on(*track, names, at * MS, length * MS, flags);
    }
    script.header.closed = Some(anchor(now.max(4_000 * MS)));
    script
}

proptest! {
    #[test]
    fn reading_only_the_head_again_tells_the_same_as_reading_everything_again(
        slow in 0_usize..40,
        steps in random_steps(),
        others in random_others(),
        elsewhere in (random_steps(), random_others()),
        has_pieces: bool,
        turn in 0_usize..40,
        is_backwards: bool,
    ) {
        let scripts = [
            random_script(7, slow, &steps, &others, has_pieces),
            random_script(8, 0, &elsewhere.0, &elsewhere.1, has_pieces),
        ];
        let (all, _) = summary_of(&scripts, UNCUT);
        let (head, fed) = summary_of(&scripts, STRAIGHT);
        prop_assert_eq!(&head, &all);
        prop_assert!(fed[1] <= fed[0]);
        // Pieces must follow their spans; everything else comes in any order.
        if !has_pieces {
            let order = Order { turn, is_backwards, ..STRAIGHT };
            let uncut = Order { is_cut: false, ..order };
            prop_assert_eq!(summary_of(&scripts, order).0, summary_of(&scripts, uncut).0);
        }
    }
}

#[test]
fn only_the_head_and_the_spans_across_its_end_are_read_again() {
    let mut script = training(400, 4);
    script.per_window = 10;
    script.span_on(2, &["monitor"], 100 * MS, 9_000 * MS, SpanFlags::NONE);
    let (summary, fed) = summary_of(std::slice::from_ref(&script), STRAIGHT);
    assert_eq!(summary.steady.unwrap().from_step, 4);
    assert_eq!(fed[0], script.windows().len());
    assert!(fed[0] > 200, "{fed:?}");
    assert!(fed[1] <= FIRST_CUT as usize + 2, "{fed:?}");
}

#[test]
fn without_a_cut_after_its_start_the_whole_steady_state_is_read_again() {
    let (mut earlier, mut latest) = (CutTotals::new(), Totals::new(MAIN));
    earlier.cut(&mut latest, MOST_PATHS + 1, window_offset(FIRST_CUT), 5);
    assert!(earlier.cuts.is_empty(), "totals of many paths are large");
    earlier.cut(&mut latest, 3, window_offset(FIRST_CUT), 5);
    let span = Span::plain(PathId(2), 7, 100, MAIN);
    earlier.take(&mut latest, &span, Rate::new(1.0), window_offset(FIRST_CUT));
    let (cut, mut after) = earlier.after(&latest, 6);
    assert!(cut.is_none() && after.first.settled().next().is_none());
    let (cut, mut after) = earlier.after(&latest, 5);
    assert!(cut.is_some() && after.first.settled().next().is_some());
}

#[test]
fn a_cut_between_a_span_and_its_piece_is_taken_back() {
    let rate = Rate::new(1.0);
    let (mut earlier, mut latest) = (CutTotals::new(), Totals::new(MAIN));
    let span = Span::plain(PathId(2), EPOCH_NS, 100, MAIN);
    earlier.take(&mut latest, &span, rate, window_offset(0));
    let opened = EPOCH_NS + 200;
    earlier.cut(&mut latest, 3, window_offset(FIRST_CUT), opened);
    assert_eq!(earlier.cuts.len(), 1);
    let piece = Span {
        flags: SpanFlags::CONTINUES,
        ..Span::plain(PathId(2), opened, 50, MAIN)
    };
    earlier.take(&mut latest, &piece, rate, window_offset(FIRST_CUT));
    assert!(earlier.cuts.is_empty());
    let (_, tally) = latest.first.settled().next().unwrap();
    assert_eq!((tally.count, tally.max_ns), (1, 150));
    earlier.cut(&mut latest, 3, window_offset(FIRST_CUT + 1), opened);
    assert_eq!(earlier.cuts.len(), 1, "the next window may do");
}

#[test]
fn windows_with_spans_across_a_cut_are_kept_in_bounded_memory() {
    let mut cut = Cut {
        offset: window_offset(0),
        from: 0,
        strays: Vec::new(),
    };
    let strays = || (0..1_000).map(|index| window_offset(3 * index));
    strays().for_each(|offset| cut.stray(offset));
    assert!(cut.strays.len() <= MOST_RANGES);
    assert!(strays().all(|offset| cut.ticks_before(offset) == Some(0)));
    assert_eq!(cut.ticks_before(window_offset(1)), None);
}
