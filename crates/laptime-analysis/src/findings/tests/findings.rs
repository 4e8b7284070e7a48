//! A cause is planted, and found; a run without one has no finding.

use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, DeviceTimes, SampledStack, SpanFlags, StackFrame};

use super::*;
use crate::analyzer::tests::launched;
use crate::summary::work_row::BoundBy;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};
use crate::{Cause, Options};

pub(super) const STEPS: u64 = 100;

/// The parts of one step: names below `step`, and how long each takes, in ms.
pub(super) type Parts = Vec<(&'static [&'static str], u64)>;

/// Steps one after the other from 100 ms on, each as long as its phases.
pub(super) fn run(parts: impl Fn(u64) -> Parts) -> Script {
    run_from(100, parts)
}

pub(super) fn run_from(from_ms: u64, parts: impl Fn(u64) -> Parts) -> Script {
    let mut script = Script::new(7, 100_000 * MS);
    let mut at = from_ms * MS;
    for step in 0..STEPS {
        let began = at;
        for (names, ms) in parts(step) {
            let is_phase = names.len() == 1;
            let from = if is_phase { at } else { began };
            let path: Vec<&str> = ["step"].iter().chain(names).copied().collect();
            script.span(&path, from, ms * MS);
            at += if is_phase { ms * MS } else { 0 };
        }
        script.span(&["step"], began, at - began);
    }
    script.header.closed = Some(crate::testing::scripted::anchor(at));
    script
}

pub(super) fn found(script: &Script) -> Vec<Finding> {
    summarize(std::slice::from_ref(script), Options::default()).findings
}

pub(super) fn training(data: u64, forward: u64) -> Parts {
    vec![
        (&["data"], data),
        (&["forward"], forward),
        (&["backward"], 20),
    ]
}

#[test]
fn clean_runs_have_none() {
    let even = run(|_| training(1, 10));
    let jitter = run(|step| training(1 + step % 2, 9 + step % 3));
    let rare = run(|step| training(1, if step == 50 { 25 } else { 10 }));
    for script in [even, jitter, rare] {
        assert_eq!(found(&script), []);
    }
}

#[test]
fn a_long_start_is_found() {
    let all = found(&run_from(6_900, |_| training(1, 10)));
    let expected = Finding::Startup {
        startup_ns: 6_900 * MS,
        wall_ns: 10_000 * MS,
        imports: Vec::new(),
        function: None,
    };
    assert_eq!(all, [expected]);
    let short = run_from(900, |_| training(1, 1));
    assert_eq!(
        found(&short),
        [],
        "a beginning below a second bothers nobody"
    );
}

#[test]
fn a_long_end_is_found() {
    let ended = |after_ms: u64| {
        let mut script = run(|_| training(1, 10));
        script.header.closed = Some(crate::testing::scripted::anchor(
            (100 + 3_100 + after_ms) * MS,
        ));
        found(&script)
    };
    let expected = Finding::Exit {
        exit_ns: 2_000 * MS,
        wall_ns: 5_200 * MS,
        closing_ns: None,
        function: None,
    };
    assert_eq!(ended(2_000), [expected]);
    assert_eq!(ended(950), [], "below a second");
    assert_eq!(ended(1_200), [], "27 % of the run");
}

#[test]
fn a_long_end_says_how_much_of_it_came_after_the_exit_handlers() {
    let mut script = run(|_| training(1, 10));
    script.header.closed = Some(crate::testing::scripted::anchor(6_100 * MS));
    let exits = script.ticks(3_700 * MS).to_string();
    script.note("interpreter.exits", &exits);
    let options = Options {
        run: Some(launched(7, 0, 6_200 * MS)),
        ..Options::default()
    };
    let all = summarize(&[script], options).findings;
    let [
        Finding::Exit {
            exit_ns,
            closing_ns,
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!((*exit_ns, *closing_ns), (2_500 * MS, Some(2_500 * MS)));
}

#[test]
fn steps_that_wait_for_data_are_found() {
    let [
        Finding::DataWait {
            path,
            per_step_ns,
            step_ns,
            ..
        },
    ] = &found(&run(|_| training(10, 10)))[..]
    else {
        panic!("one finding");
    };
    assert_eq!(
        (path.as_str(), *per_step_ns, *step_ns),
        ("step/data", 10 * MS, 40 * MS)
    );
}

#[test]
fn the_median_wait_is_told_where_a_few_long_ones_make_most_of_them() {
    let usual = |script: &Script| match &found(script)[..] {
        [Finding::DataWait { usual_ns, .. }, ..] => *usual_ns,
        other => panic!("{other:?}"),
    };
    let few = run(|step| training(if step % 15 == 0 { 170 } else { 1 }, 4));
    assert!(usual(&few).is_some_and(|ns| ns.abs_diff(MS) < MS / 20));
    assert_eq!(usual(&run(|_| training(10, 10))), None);
}

/// The steps of a run with a look at their main thread in every ms: of three in a row, `load` has two.
fn sampled(mut script: Script, file: &'static str) -> Script {
    script.name_track(MAIN, false, "main");
    for (id, name, file) in [(1, "load", file), (2, "rest", "/home/me/train.py")] {
        script.observed(Record::Function { id, name, file });
        script.observed(Record::Frame(StackFrame {
            id,
            parent: 0,
            function: id,
            line: 40 + id,
        }));
    }
    for at_ms in 100..1_000 {
        script.observed(Record::Stack(SampledStack {
            ticks: EPOCH_NS + at_ms * MS,
            thread: 40 + u64::from(MAIN),
            frame: if at_ms % 3 == 0 { 2 } else { 1 },
            is_running: true,
            has_interpreter: true,
            in_same_turn: false,
            others_ready: false,
            runner: laptime_core::Runner::Unknown,
            within_ns: 1_000,
            stands_for_ns: MS,
        }));
    }
    script
}

#[test]
fn the_function_that_a_wait_is_mostly_in_is_named() {
    let all = found(&sampled(run(|_| training(30, 10)), "/home/me/data.py"));
    // That data is the longest part of a step needs no second finding.
    let [Finding::DataWait { function, .. }] = &all[..] else {
        panic!("{all:?}");
    };
    let function = function.as_ref().unwrap();
    let told = (
        function.name.as_str(),
        function.file.as_str(),
        function.line,
    );
    assert_eq!(told, ("load", "/home/me/data.py", 41));
    assert!((function.ratio - 0.67).abs() < 0.02, "{}", function.ratio);
}

#[test]
fn the_longest_part_of_a_step_names_functions_of_the_program_alone() {
    let own = sampled(run(|_| training(1, 10)), "/home/me/train.py");
    let [Finding::InFunction { path, function, .. }] = &found(&own)[..] else {
        panic!("one finding");
    };
    assert_eq!((path.as_str(), function.line), ("step/backward", 41));
    let package = "/venv/lib/python3.11/site-packages/torch/autograd/graph.py";
    assert_eq!(found(&sampled(run(|_| training(1, 10)), package)), []);
}

#[test]
fn what_is_compiled_after_warm_up_is_found() {
    let compiling = |step: u64| {
        let mut parts = training(1, 10);
        if step % 25 == 24 {
            parts.push((&["forward", "compile"], 9));
        }
        parts
    };
    let once = |step: u64| {
        let mut parts = training(1, 10);
        if step == 99 {
            parts.push((&["forward", "compile"], 9));
        }
        parts
    };
    assert_eq!(found(&run(once)), [], "the last batch is smaller");
    let all = found(&run(compiling));
    assert!(
        matches!(&all[..], [Finding::Recompilation { count: 4, .. }]),
        "{all:?}"
    );
}

#[test]
fn slow_steps_are_found_with_what_takes_longer_in_them() {
    let slow = |step: u64| {
        training(
            1,
            if step % 10 == 3 || step % 10 == 7 {
                90
            } else {
                10
            },
        )
    };
    let all = found(&run(slow));
    let [
        Finding::SlowSteps {
            one_in,
            usual_ns,
            slow_ns,
            cause,
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(*one_in, 10);
    let is_near = |ns: u64, ms: u64| ns.abs_diff(ms * MS) <= ms * MS / 50;
    assert!(is_near(*usual_ns, 31) && is_near(*slow_ns, 111), "{all:?}");
    let Some(Cause { path, .. }) = cause else {
        panic!("{all:?}");
    };
    assert_eq!(path, "step/forward");
}

#[test]
fn what_short_steps_save_was_taken_from_what_slow_ones_take_beyond_the_median() {
    // Twenty steps of 100 take 111 ms, forty a good part less than the median of 31 ms, or next to nothing.
    for short in [(1, 0, 10), (0, 0, 1)] {
        let steps = |step: u64| {
            let (data, forward, backward) = match step % 10 {
                0 | 2 | 5 | 8 => short,
                3 | 7 => (1, 90, 20),
                _ => (1, 10, 20),
            };
            vec![
                (&["data"][..], data),
                (&["forward"], forward),
                (&["backward"], backward),
            ]
        };
        let all = found(&run(steps));
        let excess_ns = all.iter().find_map(|one| match one {
            Finding::SlowSteps { excess_ns, .. } => Some(*excess_ns),
            _ => None,
        });
        let off = excess_ns.unwrap_or(0).abs_diff(20 * 80 * MS);
        assert!(off < 20 * 80 * MS / 40, "{all:?}");
    }
}

#[test]
fn a_lap_that_few_steps_have_is_found_in_the_place_of_slow_steps() {
    let missing = |each: u64| {
        move |step: u64| {
            let mut parts = training(1, 10);
            if step % each == each - 1 {
                parts.extend([(&["query"][..], 90), (&["query", "disk"], 80)]);
            }
            parts
        }
    };
    for each in [5, 20, 33] {
        let all = found(&run(missing(each)));
        let [
            Finding::Occasional {
                path,
                mean_ns,
                usual_ns,
                ..
            },
        ] = &all[..]
        else {
            panic!("one in {each}: {all:?}");
        };
        assert_eq!(path, "step/query/disk");
        assert_eq!((*mean_ns, *usual_ns / MS), (80 * MS, 31));
    }
    assert_eq!(found(&run(missing(100))), [], "one alone may be chance");
}

#[test]
fn requests_that_run_side_by_side_are_asked_too() {
    let mut script = Script::new(7, 100_000 * MS);
    for index in 0..100_u64 {
        let track = MAIN + 1 + index as u32;
        script.name_track(track, true, "task");
        let (start, slow) = ((100 + index) * MS, index % 20 == 7);
        if slow {
            script.span_on(
                track,
                &["request", "query"],
                start,
                50 * MS,
                SpanFlags::NONE,
            );
        }
        let long = if slow { 53 } else { 3 };
        script.span_on(track, &["request"], start, long * MS, SpanFlags::NONE);
    }
    script.header.closed = Some(crate::testing::scripted::anchor(1_000 * MS));
    let summary = summarize(std::slice::from_ref(&script), Options::default());
    assert!(summary.steady.is_none(), "each track has one");
    assert!(
        matches!(&summary.findings[..], [Finding::Occasional { path, count: 5, .. }] if path == "request/query"),
        "{:?}",
        summary.findings
    );
}

#[test]
fn a_warm_up_as_long_as_the_rest_is_found() {
    let all = found(&run(|step| training(1, if step < 10 { 500 } else { 10 })));
    assert!(
        matches!(
            &all[..],
            [Finding::WarmUp {
                warm_up_count: 10,
                steady_count: 90,
                ..
            }]
        ),
        "{all:?}"
    );
}

#[test]
fn a_warm_up_below_a_second_was_not_said_to_be_longer_than_all_that_followed() {
    // 915 ms before 485, and 500 before 495.
    for (slow, forward, steady) in [(3, 284, 97), (1, 479, 99)] {
        let parts = |step: u64| {
            let (forward, backward) = if step < slow { (forward, 20) } else { (2, 2) };
            vec![
                (&["data"][..], 1),
                (&["forward"], forward),
                (&["backward"], backward),
            ]
        };
        let all = found(&run(parts));
        assert!(
            matches!(&all[..], [Finding::WarmUp { warm_up_count, steady_count, .. }] if (*warm_up_count, *steady_count) == (slow, steady)),
            "{all:?}"
        );
    }
}

#[test]
fn a_warm_up_that_is_a_small_part_of_the_run_is_not_said() {
    let short = run_from(20_000, |step| training(1, if step < 2 { 400 } else { 0 }));
    let all = found(&short);
    assert!(
        !all.iter().any(|one| matches!(one, Finding::WarmUp { .. })),
        "{all:?}"
    );
}

#[test]
fn one_lap_that_takes_much_of_a_step_is_found() {
    let layers = |hot: u64| {
        move |_| -> Parts {
            let mut parts = training(1, 30);
            parts.extend([
                (&["forward", "conv"][..], hot),
                (&["forward", "norm"], 2),
                (&["forward", "head"], 3),
            ]);
            parts
        }
    };
    let all = found(&run(layers(25)));
    assert!(
        matches!(&all[..], [Finding::HotSpot { path, .. }] if path == "step/forward/conv"),
        "{all:?}"
    );
    assert_eq!(found(&run(layers(5))), []);
}

#[test]
fn slow_steps_of_one_in_twenty_five_have_the_lap_that_makes_up_most_of_them() {
    let all = found(&run(|step| {
        let render = if step % 25 == 4 { 400 } else { 1 };
        let get = if step % 50 == 9 { 90 } else { 10 };
        vec![(&["render"][..], render), (&["get"], get)]
    }));
    let [
        Finding::SlowSteps {
            cause: Some(cause), ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!(cause.path, "step/render");
    assert!(cause.slow_ns >= 390 * MS && cause.usual_ns.abs_diff(MS) < MS / 50);
}

#[test]
fn what_slow_steps_do_outside_of_their_laps_is_told_apart() {
    let mut script = Script::new(7, 2_000 * MS);
    let mut start = 100 * MS;
    for step in 0..STEPS {
        let long = if step % 10 == 3 { 100 } else { 10 };
        script.span(&["step", "forward"], start, 5 * MS);
        script.span(&["step"], start, long * MS);
        start += long * MS;
    }
    let all = found(&script);
    let [
        Finding::SlowSteps {
            cause: None,
            is_bare: false,
            outside_ns,
            excess_ns,
            ..
        },
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert!(*outside_ns as f64 > 0.9 * *excess_ns as f64);
}

#[test]
fn a_lap_that_is_called_startup_is_no_beginning_of_the_run() {
    let mut script = Script::new(7, 3_000 * MS);
    for index in 0..3 {
        script.span(&["startup"], (20 + index * 900) * MS, 900 * MS);
    }
    assert_eq!(found(&script), []);
}

#[test]
fn a_loop_that_does_nearly_nothing_does_not_wait_for_its_data() {
    let mut script = run(|_| training(10, 10));
    script.header.closed = Some(crate::testing::scripted::anchor(1_000_000 * MS));
    let all = found(&script);
    assert!(
        all.iter()
            .all(|one| !matches!(one, Finding::DataWait { .. })),
        "{all:?}"
    );
}

#[test]
fn what_is_bound_by_memory_is_found_and_so_is_what_laps_cost() {
    let mut summary = summarize(&[run(|_| training(1, 10))], Options::default());
    let rows = &mut summary.steady.as_mut().unwrap().rows;
    let backward = rows
        .iter_mut()
        .find(|row| row.path == "step/backward")
        .unwrap();
    (backward.work.bound, backward.work.intensity) = (Some(BoundBy::Memory), Some(1.5));
    let all = find(&summary, &Clues::default());
    assert!(
        matches!(&all[..], [Finding::MemoryBound { path, .. }] if path == "step/backward"),
        "{all:?}"
    );
    summary.processes[0].span_count = 10_000_000;
    assert!(
        find(&summary, &Clues::default())
            .iter()
            .any(|one| matches!(one, Finding::Overhead { .. }))
    );
}

/// Steps that take 30 ms on the host, mostly in `data`, and what a device tells of them in ms.
fn on_device(data: u64, forward: u64, backward: u64) -> Script {
    let mut script = run(|_| training(18, 2));
    for step in 0..STEPS {
        for (names, ms) in [
            (&["step"][..], data + forward + backward),
            (&["step", "data"][..], data),
            (&["step", "forward"][..], forward),
            (&["step", "backward"][..], backward),
        ] {
            let path = script.path(names);
            script.observed(Record::DeviceSpan(DeviceSpan {
                path,
                start: EPOCH_NS + (100 + step * 40) * MS,
                duration: MS,
                track: MAIN,
                device: 0,
                stream: 7,
                continues: false,
                times: Ok(DeviceTimes {
                    duration_ns: ms * MS,
                    launch_bound: false,
                    place: None,
                }),
            }));
        }
    }
    script
}

#[test]
fn a_host_that_waits_for_data_while_its_device_works_loses_nothing() {
    assert_eq!(found(&on_device(1, 13, 26)), []);
    let idle = found(&on_device(18, 2, 20));
    assert!(matches!(idle[..], [Finding::DataWait { .. }]), "{idle:?}");
}
