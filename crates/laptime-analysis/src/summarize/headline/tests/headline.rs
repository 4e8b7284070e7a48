use super::*;
use crate::Options;
use crate::summary::headline::{Iteration, Part, PartName, StepDuration, StepHeadline};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MAIN, MS, Script};
use laptime_core::SpanFlags;

/// The headline of a process, with its steady state.
fn headline_of(script: Script) -> Headline {
    headline(&summarize(&[script], Options::default()), true)
}

/// The parts that are named, in hundredths of the run.
fn named(headline: &Headline) -> Vec<(PartName, u64)> {
    let parts = headline.parts.named.iter();
    let hundredth = |part: &Part| (part.ratio * 100.0).round() as u64;
    parts
        .map(|part| (part.name.clone(), hundredth(part)))
        .collect()
}

fn leftover(name: &str) -> PartName {
    PartName::Leftover(name.to_owned())
}

#[test]
fn four_parts_are_named_and_the_others_are_counted() {
    let mut script = Script::new(7, 100 * MS);
    for (index, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        let index = index as u64;
        script.span(&[name], 20 * index * MS, (20 - 3 * index) * MS);
    }
    let headline = headline_of(script);
    let lap = |name: &str| PartName::Lap(name.to_owned());
    let expected = [
        (lap("a"), 20),
        (leftover("other"), 18),
        (lap("b"), 17),
        (lap("c"), 14),
    ];
    assert_eq!(named(&headline), expected);
    assert_eq!(headline.parts.others.map(|others| others.count), Some(3));
    assert_eq!(headline.step, StepPart::Absent);
}

#[test]
fn a_part_has_the_name_of_its_row() {
    let mut script = Script::new(7, 1_000 * MS);
    for step in 0..20 {
        let start = step * 10 * MS;
        script.span(&["step", "backward"], start, 6 * MS);
        script.span(&["step"], start, 10 * MS);
    }
    script.span(&["training"], 200 * MS, 300 * MS);
    let lap = |name: &str| PartName::Lap(name.to_owned());
    let expected = [
        (leftover("exit"), 50),
        (lap("training"), 30),
        (lap("step"), 20),
    ];
    assert_eq!(named(&headline_of(script)), expected);
}

#[test]
fn the_median_stands_beside_a_mean_that_is_far_from_it() {
    let duration = |long: u64| {
        let mut script = Script::new(7, 2_000 * MS);
        for step in 0..20 {
            let ms = if step % 4 == 3 { long } else { 10 };
            script.span(&["batch"], step * 60 * MS, ms * MS);
        }
        let step = step_of(&headline_of(script));
        (step.path, step.duration)
    };
    let (path, even) = duration(11);
    assert_eq!(path, "batch");
    let is_near = matches!(
        even,
        StepDuration::OnHost {
            median_ns: None,
            ..
        }
    );
    assert!(is_near, "{even:?}");
    let (_, uneven) = duration(50);
    let expected_ns = 20 * MS;
    let is_far = matches!(
        uneven,
        StepDuration::OnHost { mean_ns, median_ns: Some(_), .. } if mean_ns == expected_ns
    );
    assert!(is_far, "{uneven:?}");
}

fn step_of(headline: &Headline) -> StepHeadline {
    match &headline.step {
        StepPart::Told(step) => step.clone(),
        other => panic!("{other:?}"),
    }
}

/// Forty steps of 10 ms, with 30 ms behind each and, behind every tenth, so many more.
fn with_gaps(path: &[&str], further_ms: u64) -> Script {
    let mut script = Script::new(7, 30_000 * MS);
    let mut at = 0;
    for step in 0..40 {
        let inner: Vec<&str> = path.iter().copied().chain(["forward"]).collect();
        script.span(&inner, at, 8 * MS);
        script.span(path, at, 10 * MS);
        at += 40 * MS + if step % 12 == 11 { further_ms * MS } else { 0 };
    }
    script
}

#[test]
fn what_passes_between_steps_is_a_part_of_an_iteration() {
    // An evaluation every now and then changes nothing.
    for further_ms in [0, 5_000] {
        let step = step_of(&headline_of(with_gaps(&["step"], further_ms)));
        let expected = Iteration {
            mean_ns: 40 * MS,
            between_ratio: 0.75,
        };
        assert_eq!(step.iteration, Some(expected));
        let [forward] = &step.parts.named[..] else {
            panic!("{step:?}");
        };
        assert!((forward.ratio - 0.2).abs() < 1e-9, "{forward:?}");
    }
}

#[test]
fn where_it_is_no_loop_of_steps_nothing_is_said_of_the_time_between() {
    // Requests come when somebody asks.
    let requests = headline_of(with_gaps(&["request"], 0));
    let mut notebook = summarize(&[with_gaps(&["step"], 0)], Options::default());
    notebook.program = "notebook".into();
    // Steps on two threads wait for other things than each other.
    let mut threads = with_gaps(&["step"], 0);
    for step in 0..20 {
        let at = step * 70 * MS;
        threads.span_on(MAIN + 1, &["step"], at, 20 * MS, SpanFlags::NONE);
    }
    // Steps that errors end are none, and would be time between the others.
    let mut cut_off = with_gaps(&["step"], 0);
    for step in [20, 30] {
        let at = (step * 40 + 12) * MS;
        cut_off.span_on(MAIN, &["step"], at, 20 * MS, SpanFlags::UNFINISHED);
    }
    let of_whole_run = summarize(&[with_gaps(&["step"], 0)], Options::default());
    for (about, told) in [
        ("requests", requests.step),
        ("notebook", headline(&notebook, true).step),
        ("threads", headline_of(threads).step),
        ("cut off", headline_of(cut_off).step),
        ("whole run", headline(&of_whole_run, false).step),
    ] {
        let iteration = match told {
            StepPart::Told(step) => step.iteration,
            _ => None,
        };
        assert_eq!(iteration, None, "{about}");
    }
}
