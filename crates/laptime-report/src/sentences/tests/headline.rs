use laptime_analysis::{CodePlace, Options, ProcessState};
use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, DeviceTimes, SpanFlags};

use super::*;
use crate::tests::analyzed;
use crate::tests::scripted::{EPOCH_NS, MAIN, MS, Script};

/// Returns the first line as a reader sees it.
fn said(script: Script) -> String {
    of_run(&analyzed::summarize(&[script], Options::default()), true).replace(UNBROKEN, " ")
}

/// Twenty steps that begin at `from_ms` and take 10 ms each, of these three parts.
fn steps(script: &mut Script, from_ms: u64, parts: [(&str, u64); 3]) {
    for step in 0..20 {
        let start = (from_ms + step * 10) * MS;
        let mut at = start;
        for (name, ms) in parts {
            script.span(&["step", name], at, ms * MS);
            at += ms * MS;
        }
        script.span(&["step"], start, 10 * MS);
    }
}

#[test]
fn a_training_is_told_by_its_parts_and_by_those_of_a_step() {
    let mut script = Script::new(7, 500 * MS);
    steps(
        &mut script,
        200,
        [("data", 1), ("forward", 3), ("backward", 6)],
    );
    assert_eq!(
        said(script),
        "500 ms: 40 % step, 40 % startup, 20 % exit. \
         A step takes 10.0 ms: backward 60 %, forward 30 %, data 10 %."
    );
}

#[test]
fn a_lap_that_is_called_as_what_no_lap_has_stays_apart_from_it() {
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["startup"], 300 * MS, 200 * MS);
    script.span(&["exit"], 500 * MS, 400 * MS);
    assert_eq!(
        said(script),
        "1.00 s: 40 % exit, 30 % startup, 20 % startup, 10 % exit."
    );
}

#[test]
fn what_works_for_the_main_thread_is_told_with_the_call_that_waits_for_it() {
    let called = |name: &str, line: Option<u32>| PartName::Called {
        name: name.to_owned(),
        package: "concurrent".to_owned(),
        place: line.map(|line| CodePlace {
            file: "job.py".to_owned(),
            line,
        }),
    };
    let script = Script::new(7, 1_000 * MS);
    let summary = analyzed::summarize(&[script], Options::default());
    let headline = Headline {
        parts: LargestParts {
            named: vec![Part {
                name: called("_process_worker", None),
                ratio: 0.64,
                is_several_at_once: false,
                is_work_alone: false,
                mostly: None,
            }],
            others: None,
        },
        waits_for_parts: Some(Waiting {
            ratio: 0.8,
            name: called("Future.result", Some(13)),
            is_all: true,
            parts: Vec::new(),
        }),
        ..headline(&summary, true)
    };
    assert_eq!(
        sentence(&headline).replace(UNBROKEN, " "),
        "1.00 s: 64 % concurrent._process_worker. \
         Its main thread waits for these in Future.result (job.py:13), 80 % of the time."
    );
}

#[test]
fn what_waits_in_several_functions_is_told_by_each() {
    let function = |name: &str, line: u32, ratio| {
        let place = CodePlace {
            file: "sub.py".to_owned(),
            line,
        };
        let name = PartName::Function {
            name: name.to_owned(),
            place: Some(place),
        };
        Part::new(name, ratio)
    };
    let parts = vec![function("archive", 8, 0.5), function("mirror", 11, 0.3)];
    let script = Script::new(7, 1_000 * MS);
    let summary = analyzed::summarize(&[script], Options::default());
    let said = |named: Vec<Part>| {
        let headline = Headline {
            parts: LargestParts {
                named,
                others: None,
            },
            waiting: Some(Waiting {
                ratio: 0.8,
                name: parts[0].name.clone(),
                is_all: false,
                parts: parts.clone(),
            }),
            ..headline(&summary, true)
        };
        sentence(&headline).replace(UNBROKEN, " ")
    };
    let waiting = "1.00 s: 80 % waiting: 50 % in archive (sub.py:8), 30 % in mirror (sub.py:11)";
    assert_eq!(said(Vec::new()), format!("{waiting}."));
    let saved = said(vec![function("save", 20, 0.2)]);
    assert_eq!(saved, format!("{waiting}; 20 % save (sub.py:20)."));
}

/// Sixty evaluations, the first `slow` of which take 80 ms and the others 10.
fn warmed_up(slow: u64) -> Summary {
    let mut script = Script::new(7, 3_000 * MS);
    let mut at = 0;
    for evaluation in 0..60 {
        let ms = if evaluation < slow { 80 } else { 10 };
        script.span(&["evaluation"], at, ms * MS);
        at += ms * MS;
    }
    analyzed::summarize(&[script], Options::default())
}

#[test]
fn a_warm_up_that_took_most_of_the_time_is_told_with_it() {
    let said = |slow| of_run(&warmed_up(slow), true).replace(UNBROKEN, " ");
    let long = said(10);
    assert!(
        long.ends_with(
            " After a warm-up of 10 evaluations that took 800 ms, an evaluation takes 10.0 ms."
        ),
        "{long}"
    );
    let short = said(4);
    assert!(
        short.ends_with(" After warm-up, an evaluation takes 10.0 ms."),
        "{short}"
    );
}

#[test]
fn without_a_warm_up_the_first_line_has_the_number_of_the_table() {
    let mut summary = warmed_up(0);
    let steady = summary.steady.as_mut().unwrap();
    assert_eq!(steady.skipped_count, 0);
    // Another mean by a single item that lies outside of it.
    steady.rows[0].mean_ns = Some(10_500_000);
    let said = |with_steady| of_run(&summary, with_steady).replace(UNBROKEN, " ");
    let (of_steady, of_whole) = (said(true), said(false));
    assert!(
        of_steady.ends_with(" An evaluation takes 10.5 ms."),
        "{of_steady}"
    );
    assert!(
        of_whole.ends_with(" An evaluation takes 10.0 ms."),
        "{of_whole}"
    );
}

#[test]
fn what_passes_between_steps_is_told_with_what_a_step_takes() {
    let mut script = Script::new(7, 3_000 * MS);
    for step in 0..40 {
        let start = step * 50 * MS;
        script.span(&["step", "forward"], start, 10 * MS);
        script.span(&["step"], start, 15 * MS);
    }
    let said = said(script);
    assert!(
        said.ends_with(
            "An iteration takes 50.0 ms, a step in it 15.0 ms: between steps 70 %, forward 20 %, outside of \
             these 10 %."
        ),
        "{said}"
    );
}

#[test]
fn compiling_is_no_evaluation_and_no_startup() {
    let mut script = Script::new(7, 10_000 * MS);
    script.span(&["compile"], 0, 1_500 * MS);
    script.span(&["evaluation", "compile"], 2_000 * MS, 6_000 * MS);
    script.span(&["evaluation"], 2_000 * MS, 6_800 * MS);
    let said_of_run = said(script);
    assert!(
        said_of_run.starts_with("10.0 s: 75 % compiling, 12 % exit, 8 % evaluation"),
        "{said_of_run}"
    );
    // Nor is it a forward.
    let mut script = Script::new(7, 2_000 * MS);
    for step in 0..20 {
        let start = step * 50 * MS;
        script.span(&["step", "forward", "compile"], start, 30 * MS);
        script.span(&["step", "forward"], start, 40 * MS);
        script.span(&["step"], start, 50 * MS);
    }
    let said_of_run = said(script);
    assert!(
        said_of_run.ends_with(
            "A step takes 50.0 ms: compiling 60 %, forward 20 %, outside of these 20 %."
        ),
        "{said_of_run}"
    );
    // A lap that does nothing else is no part of its own.
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["prepare", "compile"], 0, 700 * MS);
    script.span(&["prepare"], 0, 700 * MS);
    let said_of_run = said(script);
    assert_eq!(said_of_run, "1.00 s: 70 % compiling, 30 % exit.");
}

#[test]
fn what_a_step_takes_is_of_the_table_that_it_names() {
    let said = |slow, with_steady| of_run(&warmed_up(slow), with_steady).replace(UNBROKEN, " ");
    assert!(said(4, true).ends_with("After warm-up, an evaluation takes 10.0 ms."));
    // Its table isn't shown, and that of the run has a mean beside its median.
    let whole = said(4, false);
    assert!(
        whole.ends_with("An evaluation takes 14.7 ms on average, 10.1 ms usually."),
        "{whole}"
    );
    let level = [true, false].map(|with_steady| said(0, with_steady));
    assert!(
        level[0].ends_with(" An evaluation takes 10.0 ms."),
        "{}",
        level[0]
    );
    assert_eq!(level[0], level[1]);
}

#[test]
fn what_ran_beside_a_step_was_a_part_of_it() {
    for apart in [SpanFlags::ASIDE, SpanFlags::DETACHED] {
        let mut script = Script::new(7, 200 * MS);
        for step in 0..20 {
            let start = step * 10 * MS;
            for name in ["batch", "optimizer_step", "closure"] {
                script.span_on(MAIN, &["step", name], start, 9 * MS, apart);
            }
            script.span(&["step", "forward"], start, 4 * MS);
            script.span(&["step"], start, 10 * MS);
        }
        let said = said(script);
        assert!(
            said.ends_with("A step takes 10.0 ms: forward 40 %, outside of these 60 %."),
            "{said}"
        );
    }
}

#[test]
fn steps_are_called_as_their_row() {
    let mut script = Script::new(7, 200 * MS);
    steps(&mut script, 0, [("read", 1), ("compute", 2), ("write", 7)]);
    assert_eq!(
        said(script),
        "200 ms: 100 % step. A step takes 10.0 ms: write 70 %, compute 20 %, read 10 %."
    );
}

#[test]
fn what_is_outside_of_the_phases_is_no_other_phase() {
    let mut script = Script::new(7, 200 * MS);
    for step in 0..20 {
        let start = step * 10 * MS;
        let parts = [
            ("data", 3),
            ("backward", 2),
            ("forward", 2),
            ("optimizer", 2),
        ];
        let mut at = start;
        for (name, ms) in parts {
            script.span(&["step", name], at, ms * MS);
            at += ms * MS;
        }
        script.span(&["step"], start, 10 * MS);
    }
    let said = said(script);
    assert!(said.starts_with("200 ms: 100 % step."), "{said}");
    assert!(
        said.ends_with("optimizer 20 %, outside of these 10 %."),
        "{said}"
    );
}

#[test]
fn the_smaller_parts_are_told_together() {
    let mut script = Script::new(7, 100 * MS);
    for (index, name) in ["a", "b", "c", "d", "e", "f"].into_iter().enumerate() {
        let index = index as u64;
        script.span(
            &[name],
            (20 * index - 3 * index * index.saturating_sub(1) / 2) * MS,
            (20 - 3 * index) * MS,
        );
    }
    let said = said(script);
    assert!(
        said.starts_with("100 ms: 25 % exit, 20 % a, 17 % b, 14 % c, "),
        "{said}"
    );
    assert!(said.ends_with("% in 3 others."), "{said}");
}

#[test]
fn tasks_side_by_side_are_no_share_of_the_run() {
    let mut script = Script::new(7, 100 * MS);
    for track in 0..5 {
        script.span_on(
            MAIN + track,
            &["request"],
            10 * MS,
            90 * MS,
            SpanFlags::NONE,
        );
    }
    assert_eq!(
        said(script),
        "100 ms: 4.5 requests at a time on average, 10 % startup."
    );
}

#[test]
fn what_was_measured_is_named_however_small_it_is() {
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["step"], 500 * MS, MS);
    assert_eq!(
        said(script),
        "1.00 s: 50 % startup, 50 % exit, under 1 % step. A step takes 1.00 ms."
    );
}

#[test]
fn a_run_without_spans_is_told_by_its_time_alone() {
    assert_eq!(said(Script::new(7, 100 * MS)), "100 ms");
}

#[test]
fn what_was_before_a_notebooks_first_lap_is_no_startup() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["work"], 80 * MS, 20 * MS);
    let mut summary = analyzed::summarize(&[script], Options::default());
    summary.program = "notebook".into();
    let said = of_run(&summary, true).replace(UNBROKEN, " ");
    assert_eq!(said, "100 ms: 80 % before the first lap, 20 % work.");
}

#[test]
fn functions_are_told_with_their_line() {
    let at = |line| {
        Some(CodePlace {
            file: "data/job.py".to_owned(),
            line,
        })
    };
    let function = |name: &str, place| PartName::Function {
        name: name.to_owned(),
        place,
    };
    let names = [
        PartName::Import {
            module: "torch".to_owned(),
            place: at(1),
        },
        function("retry.<locals>.wrapper", at(8)),
        function("", at(11)),
        function("train", None),
        PartName::Builtin("<method 'append' of 'list' objects>".to_owned()),
        PartName::ThreadsWait,
        PartName::Collection { place: None },
        PartName::Collection { place: at(7) },
        PartName::Line {
            function: "train".to_owned(),
            place: at(9).unwrap(),
        },
        PartName::Itself {
            function: "train".to_owned(),
            place: at(9).unwrap(),
        },
        PartName::Called {
            name: String::new(),
            package: "torch".to_owned(),
            place: at(3),
        },
    ];
    let expected = [
        "import torch (data/job.py:1)",
        "wrapper (data/job.py:8)",
        "data/job.py:11",
        "train",
        "list.append",
        "waiting for threads to end",
        "garbage collection",
        "garbage collection (data/job.py:7)",
        "line data/job.py:9 of train",
        "train itself (data/job.py:9)",
        "data/job.py:3 (torch)",
    ];
    assert_eq!(names.each_ref().map(part_name), expected);
}

#[test]
fn a_recording_that_still_grows_says_so() {
    let mut script = Script::new(7, 100 * MS);
    script.span(&["work"], 0, 100 * MS);
    let mut summary = analyzed::summarize(&[script], Options::default());
    summary.processes[0].state = ProcessState::Running;
    let said = of_run(&summary, true).replace(UNBROKEN, " ");
    assert_eq!(said, "still running, 100 ms so far: 100 % work.");
}

/// A span on the host, and what its device told of it.
fn on_device(script: &mut Script, names: &[&str], at: u64, [host, device]: [u64; 2]) {
    script.span(names, at, host);
    let path = script.path(names);
    script.observed(Record::DeviceSpan(DeviceSpan {
        path,
        start: EPOCH_NS + at,
        duration: host,
        track: MAIN,
        device: 0,
        stream: 7,
        continues: false,
        times: Ok(DeviceTimes {
            duration_ns: device,
            launch_bound: false,
            place: None,
        }),
    }));
}

#[test]
fn where_a_device_does_the_work_it_tells_what_a_step_is_made_of() {
    let mut script = Script::new(7, 400 * MS);
    for step in 0..20 {
        let start = (200 + step * 10) * MS;
        on_device(&mut script, &["step", "forward"], start, [MS, 3 * MS]);
        on_device(&mut script, &["step", "backward"], start + MS, [MS, 5 * MS]);
        on_device(&mut script, &["step"], start, [3 * MS, 9 * MS]);
    }
    assert_eq!(
        said(script),
        "400 ms: 50 % startup, 33 % outside of laps, 15 % step, 2 % exit. A step takes 9.00 ms on the device \
         (3.00 ms on the host): backward 56 %, forward 33 %, outside of these 11 %."
    );
}

#[test]
fn laps_that_differ_by_a_number_only_are_told_as_one() {
    let mut script = Script::new(7, 100 * MS);
    for number in 0..40 {
        let name = format!("iteration{number}");
        script.span(&[&name], (10 + 2 * number) * MS, 2 * MS);
    }
    assert_eq!(
        said(script),
        "100 ms: 80 % iteration# (40 laps), 10 % startup, 10 % exit."
    );
}
