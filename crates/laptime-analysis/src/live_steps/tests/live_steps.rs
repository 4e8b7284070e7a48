use laptime_core::anchor::Rate;
use laptime_core::{News, PathId, Span, SpanFlags, SpanWork};

use super::*;

const EPOCH: PathId = PathId(2);
const STEP: PathId = PathId(3);
const DATA: PathId = PathId(4);
const FORWARD: PathId = PathId(5);
const INNER: PathId = PathId(6);

fn training() -> News {
    let paths = [
        (EPOCH, PathId::ROOT, "epoch"),
        (STEP, EPOCH, "step"),
        (FORWARD, STEP, "forward"),
        (DATA, STEP, "data"),
        (INNER, FORWARD, "step"),
    ];
    News {
        paths: paths
            .map(|(id, parent, name)| (id, parent, name.into()))
            .to_vec(),
        ..News::default()
    }
}

fn add(news: &mut News, path: PathId, duration: u64) {
    news.tallies
        .fold(&Span::plain(path, 0, duration, 1), Rate::new(1.0));
}

#[test]
fn a_window_is_the_steps_since_the_last_one() {
    let mut windows = StepWindows::new("step");
    let mut news = training();
    for duration in [100, 300] {
        add(&mut news, STEP, duration);
        add(&mut news, DATA, duration / 4);
        add(&mut news, FORWARD, duration / 2);
        add(&mut news, INNER, 1);
    }
    windows.take_in(&news);
    let window = windows.take().unwrap();
    assert_eq!((window.step, window.count), (2, 2));
    assert_eq!((window.mean_ns, window.max_ns), (200, 300));
    let shares = window
        .phases
        .iter()
        .map(|phase| (&*phase.name, phase.share_ratio));
    let shares: Vec<_> = shares.collect();
    assert_eq!(shares, [("data", 0.25), ("forward", 0.5)]);

    let mut later = News::default();
    add(&mut later, STEP, 50);
    windows.take_in(&later);
    let window = windows.take().unwrap();
    assert_eq!((window.step, window.count, window.mean_ns), (3, 1, 50));
    assert!(window.phases.is_empty());
    assert_eq!(windows.take(), None);
}

#[test]
fn windows_together_are_all_steps_whatever_the_window() {
    let durations = [7_u64, 900, 14, 14, 7_000, 1, 5, 80];
    let whole = |every: usize| {
        let mut windows = StepWindows::new("step");
        windows.take_in(&training());
        let parts: Vec<StepWindow> = durations
            .chunks(every)
            .filter_map(|chunk| {
                let mut news = News::default();
                for ns in chunk {
                    add(&mut news, STEP, *ns);
                }
                windows.take_in(&news);
                windows.take()
            })
            .collect();
        let sum = |of: fn(&StepWindow) -> u64| parts.iter().map(of).sum::<u64>();
        (sum(|part| part.count), sum(|part| part.total_ns))
    };
    for every in 1..=durations.len() {
        assert_eq!(whole(every), (8, durations.iter().sum()));
    }
}

#[test]
fn a_percentile_is_never_beyond_what_was_seen() {
    let mut windows = StepWindows::new("step");
    let mut news = training();
    add(&mut news, STEP, 1_000);
    windows.take_in(&news);
    let window = windows.take().unwrap();
    assert_eq!(window.p95_ns, Some(1_000));
}

#[test]
fn flop_that_a_step_says_are_a_rate_over_its_time() {
    let mut windows = StepWindows::new("step");
    let mut news = training();
    let span = Span {
        flags: SpanFlags::FLOP,
        work: SpanWork {
            flop: Some(2_000),
            bytes: None,
        },
        ..Span::plain(STEP, 0, 1_000, 1)
    };
    news.tallies.fold(&span, Rate::new(1.0));
    windows.take_in(&news);
    let window = windows.take().unwrap();
    assert_eq!(window.flop_per_s, Some(2e9));
    assert_eq!(window.mfu_ratio, None);
}

#[test]
fn a_step_that_was_counted_has_a_number_and_no_time() {
    let mut windows = StepWindows::new("step");
    let mut news = News::default();
    let paths = [
        (STEP, PathId::ROOT, "step"),
        (DATA, PathId::ROOT, "counted step"),
    ];
    news.paths = paths
        .map(|(id, parent, name)| (id, parent, name.into()))
        .to_vec();
    add(&mut news, DATA, 5_000);
    windows.take_in(&news);
    assert_eq!(windows.take(), None);
    let mut next = News::default();
    add(&mut next, STEP, 10);
    windows.take_in(&next);
    let window = windows.take().unwrap();
    assert_eq!((window.step, window.count, window.max_ns), (2, 1, 10));
}

#[test]
fn what_continues_a_step_is_no_step_wherever_a_window_ends() {
    for ends_amid in [false, true] {
        let mut windows = StepWindows::new("step");
        windows.take_in(&training());
        let (mut count, mut total_ns) = (0, 0);
        let mut take = |windows: &mut StepWindows| {
            let window = windows.take();
            count += window.as_ref().map_or(0, |window| window.count);
            total_ns += window.map_or(0, |window| window.total_ns);
        };
        for _ in 0..4 {
            let mut news = News::default();
            add(&mut news, STEP, 100);
            windows.take_in(&news);
            if ends_amid {
                take(&mut windows);
            }
            let rest = Span {
                flags: SpanFlags::CONTINUES,
                ..Span::plain(STEP, 0, 20, 1)
            };
            let mut news = News::default();
            news.tallies.fold(&rest, Rate::new(1.0));
            windows.take_in(&news);
        }
        let mut news = News::default();
        add(&mut news, STEP, 100);
        windows.take_in(&news);
        take(&mut windows);
        assert_eq!((count, total_ns), (5, 580));
    }
}

#[test]
fn what_a_step_of_the_window_before_took_was_in_the_mean_and_not_in_the_percentile() {
    for pieces in [&[900][..], &[400, 500]] {
        let mut windows = StepWindows::new("step");
        windows.take_in(&training());
        let mut news = News::default();
        for duration in pieces {
            let piece = Span {
                flags: SpanFlags::CONTINUES,
                ..Span::plain(STEP, 0, *duration, 1)
            };
            news.tallies.fold(&piece, Rate::new(1.0));
        }
        add(&mut news, STEP, 100);
        add(&mut news, STEP, 140);
        windows.take_in(&news);
        let window = windows.take().unwrap();
        assert_eq!((window.count, window.total_ns), (2, 1_140));
        assert_eq!((window.mean_ns, window.p95_ns), (120, None));
    }
}
