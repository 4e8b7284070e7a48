use laptime_analysis::compare::Run;
use laptime_analysis::{Analyzer, Options, ProcessKey, ReadAgain, Summary};
use laptime_core::ceilings::{Bound, Ceiling, Ceilings, Origin};
use laptime_core::{Cost, CostTally, ProgramEnd, RunInfo};

use super::*;
use scripted::{EPOCH_NS, MAIN, MS, Script};

#[allow(dead_code)]
#[path = "../../../laptime-analysis/src/testing/analyzed.rs"]
pub mod analyzed;
#[allow(dead_code)]
#[path = "../../../laptime-analysis/src/testing/scripted.rs"]
pub mod scripted;

/// Names that try to be more than names.
pub const HOSTILE: [&str; 10] = [
    "two\nlines",
    "a|b",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{9b}2J",
    "<script>alert(1)</script>",
    "[link](http://example.com)",
    "`code` *bold* __x__",
    "\u{202e}reversed",
    "=1+1,\"quoted\"",
    "a/b\\c",
];

pub fn training() -> Summary {
    analyzed::summarize(&[scripted::training(138, 3)], Options::default())
}

/// Summarizes steps whose operations were counted in another one, on a machine with known ceilings.
pub fn counted() -> Summary {
    analyzed::summarize(&[counted_script()], Options::default())
}

/// Scripts the process of [`counted`].
pub fn counted_script() -> Script {
    let published = |bound, per_s| Ceiling {
        device: "cpu".into(),
        bound,
        per_s,
        origin: Origin::Published {
            source: "a test".into(),
        },
    };
    let mut ceilings = Ceilings::default();
    ceilings.add(published(Bound::Flop("float32".into()), 1e9));
    ceilings.add(published(Bound::Bytes, 1e6));
    let tally = CostTally {
        counted: 3,
        cost: Cost {
            mac: 4_000_000,
            active_mac: 4_000_000,
            executed_mac: 4_000_000,
            bytes_read: 2_000,
            ..Cost::default()
        },
        ..CostTally::default()
    };
    let mut script = Script::new(7, 200 * MS);
    script.note(
        laptime_core::ceilings::NOTE,
        &serde_json::to_string(&ceilings).unwrap(),
    );
    script.operations(1, &["step", "forward"], tally, "float32");
    script.span(&["counted step", "forward"], 0, 80 * MS);
    script.span(&["counted step"], 0, 90 * MS);
    for index in 0..4 {
        let at = (100 + index * 10) * MS;
        script.ran(1, at + 1);
        script.span(&["step", "forward"], at, 4 * MS);
        script.span(&["step"], at, 10 * MS);
    }
    script
}

/// Summarizes a run whose every text is [`HOSTILE`].
pub fn hostile() -> Summary {
    let mut script = Script::new(7, 100 * MS);
    let long = "x".repeat(10_000);
    for (index, name) in HOSTILE.iter().chain([&long.as_str()]).enumerate() {
        script.span(&["step", name], index as u64 * MS, MS);
        script.mark(&[name], index as u64 * MS);
    }
    script.header.program = "evil\u{1b}]0;title\u{7}|<b>\n.py".into();
    script.note("odd", "said \u{1b}[2J by\nsomebody");
    analyzed::summarize(&[script], Options::default())
}

pub fn killed() -> Summary {
    let mut script = Script::new(7, 0);
    for step in 0..3 {
        script.span(&["train", "step", "forward"], step * 20 * MS, 12 * MS);
        script.span(&["train", "step"], step * 20 * MS, 19 * MS);
    }
    script.leave_open(MAIN, &["train"], 0);
    script.leave_open(MAIN, &["train", "step"], 60 * MS);
    script.killed();
    let run = RunInfo {
        format: 1,
        laptime: "0.1.0".into(),
        program: "train.py".into(),
        started_monotonic_ns: EPOCH_NS,
        started_realtime_ns: 0,
        boot_id: String::new(),
        pid: Some(7),
        keeper: None,
        end: Some(ProgramEnd {
            monotonic_ns: EPOCH_NS + 3_260 * MS,
            code: None,
            signal: Some(9),
        }),
        unrecorded: Vec::new(),
        processes: None,
    };
    analyzed::summarize(
        &[script],
        Options {
            run: Some(run),
            ..Options::default()
        },
    )
}

/// Returns summaries of all sorts.
pub fn all() -> Vec<Summary> {
    let nothing = Analyzer::new(Options::default()).finish();
    vec![training(), hostile(), killed(), nothing, counted()]
}

pub fn plain(width: usize) -> View {
    View {
        width: Some(width),
        ..View::default()
    }
}

pub fn shown(summary: &Summary, format: Format, view: &View) -> String {
    render(summary, format, view).into_string()
}

#[test]
fn the_table_of_a_training_run() {
    insta::assert_snapshot!(shown(&training(), Format::Text, &plain(100)), @"
    train.py  5.12 s: 58 % step, 39 % startup, 1 % evaluation. After warm-up, a step takes 20.4 ms:
    backward 45 %, forward 30 %, optimizer 15 %, data 8 %.
    700 spans · host time from the start of the process, accurate to 10 ms; CLOCK_MONOTONIC

    findings
    · 2.00 s pass before the first lap, 39 % of the run: imports, reading data, building the model.
      Where functions were sampled, `laptime report --functions` tells them apart; `python -X importtime
      SCRIPT` lists the imports.

    after warm-up: 135 of 138 steps, 2.83 s
    span             count    total     mean  of parent   share
    ────────────────────────────────────────────────────────────────────────
    step               135  2.75 s   20.4 ms             97.3 % ███████████▋
    ├─ backward        135  1.23 s   9.10 ms     44.6 %  43.4 % █████▎
    ├─ forward         135   824 ms  6.10 ms     29.9 %  29.1 % ███▌
    ├─ optimizer       135   418 ms  3.10 ms     15.2 %  14.8 % █▊
    └─ data            135   216 ms  1.60 ms      7.8 %   7.6 % ▉
    evaluation           5  70.0 ms  14.0 ms              2.5 % ▎
    └─ forward           5  60.0 ms  12.0 ms     85.7 %   2.1 % ▎
    outside of laps         6.70 ms                       0.2 %
    the rest of the run: startup 2.00 s, 3 steps of warm-up 240 ms, exit 50.0 ms (`laptime report
    --whole` has all of it)

    epochs
    6 epochs in 3.07 s, 138 steps
    · epoch 1 | 705 ms | 25 steps | evaluation 14.0 ms | test_acc 0.7449
    · epoch 2 | 525 ms | 25 steps | evaluation 14.0 ms | test_acc 0.83108
    · epoch 3 | 525 ms | 25 steps | evaluation 14.0 ms | test_acc 0.87374
    · epoch 4 | 525 ms | 25 steps | evaluation 14.0 ms | test_acc 0.89919
    · epoch 5 | 525 ms | 25 steps | evaluation 14.0 ms | test_acc 0.91611
    · epoch 6 | 266 ms | 13 steps | evaluation –       | test_acc –

    marks and metrics
    test_acc  ▁▅▆▇█  last 0.91611, 0.7449 to 0.91611, 5 values
    ");
}

#[test]
fn a_note_about_a_column_stands_where_the_column_does() {
    let notes = |width| {
        let text = shown(&killed(), Format::Text, &plain(width));
        let has_count = text
            .lines()
            .any(|line| line.starts_with("span ") && line.contains(" count "));
        (has_count, text.contains("0 +1: 0 finished"))
    };
    let told: Vec<(bool, bool)> = [80, 40, 30, 20].map(notes).to_vec();
    assert_eq!(told[..2], [(true, true); 2]);
    assert!(
        told.iter()
            .all(|(has_count, has_note)| has_count == has_note)
    );
}

#[test]
fn the_table_of_a_killed_run_in_80_columns() {
    insta::assert_snapshot!(shown(&killed(), Format::Text, &plain(80)), @"
    train.py  3.26 s: 100 % train.
    6 spans

    whole run: 3.26 s
    no steady state: 3 steps are too few to tell warm-up from steady state; 12 are
    needed
    span             count    total     mean  of parent   share
    ────────────────────────────────────────────────────────────────────────
    train             0 +1  3.26 s      –                 100 % ████████████
    └─ step           3 +1  3.26 s   19.0 ms     99.9 %  99.9 % ████████████
       └─ forward     3     36.0 ms  12.0 ms      1.1 %   1.1 % ▏
    startup                    0 ns                       0.0 %
    outside of laps            0 ns                       0.0 %
    exit                       0 ns                       0.0 %
    0 +1: 0 finished, 1 cut off (by an error, by an end of the program or of the
    time shown, or by going on under another name): that time is in the total, not
    in the mean
    – no span of this path began and ended here

    warning: train.py (process 7) ended without closing its recording; it was in
             train/step for 3.2 s
       hint: it was killed, called os._exit or became another program (exec); every
             span that finished before is counted

    warning: signal 9 (SIGKILL) ended the program
       hint: if nobody killed it, the machine ran out of memory: look at `dmesg`
    ");
}

#[test]
fn the_tree_of_a_training_run() {
    insta::assert_snapshot!(shown(&training(), Format::Tree, &plain(100)), @"
    train.py  5.12 s: 58 % step, 39 % startup, 1 % evaluation. After warm-up, a step takes 20.4 ms:
    backward 45 %, forward 30 %, optimizer 15 %, data 8 %.
    700 spans · host time from the start of the process, accurate to 10 ms; CLOCK_MONOTONIC

    after warm-up: 135 of 138 steps, 2.83 s
    step  2.75 s  97.3 %  ×135  mean 20.4 ms
    ├─ backward  1.23 s  43.4 %  ×135  mean 9.10 ms
    ├─ forward  824 ms  29.1 %  ×135  mean 6.10 ms
    ├─ optimizer  418 ms  14.8 %  ×135  mean 3.10 ms
    └─ data  216 ms  7.6 %  ×135  mean 1.60 ms
    evaluation  70.0 ms  2.5 %  ×5  mean 14.0 ms
    └─ forward  60.0 ms  2.1 %  ×5  mean 12.0 ms
    outside of laps  6.70 ms  0.2 %
    ");
}

#[test]
fn the_markdown_of_a_killed_run() {
    insta::assert_snapshot!(shown(&killed(), Format::Markdown, &plain(100)), @r"
    ## train.py

    3.26 s: 100 % train.

    6 spans  
    host time from launch to exit; CLOCK\_MONOTONIC

    ### Whole run: 3.26 s

    No steady state: 3 steps are too few to tell warm-up from steady state; 12 are needed

    | span | count | total | mean | of parent | share |
    | :--- | ---: | ---: | ---: | ---: | ---: |
    | train | 0 +1 | 3.26 s | – |  | 100 % |
    | &emsp;step | 3 +1 | 3.26 s | 19.0 ms | 99.9 % | 99.9 % |
    | &emsp;&emsp;forward | 3 | 36.0 ms | 12.0 ms | 1.1 % | 1.1 % |
    | *startup* |  | 0 ns |  |  | 0.0 % |
    | *outside of laps* |  | 0 ns |  |  | 0.0 % |
    | *exit* |  | 0 ns |  |  | 0.0 % |

    0 +1: 0 finished, 1 cut off (by an error, by an end of the program or of the time shown, or by going on under another name): that time is in the total, not in the mean

    – no span of this path began and ended here

    > **Warning:** train.py (process 7) ended without closing its recording; it was in train/step for 3.2 s  
    > *Hint:* it was killed, called os.\_exit or became another program (exec); every span that finished before is counted
    >
    > **Warning:** signal 9 (SIGKILL) ended the program  
    > *Hint:* if nobody killed it, the machine ran out of memory: look at `dmesg`
    ");
}

#[test]
fn the_csv_of_a_killed_run() {
    insta::assert_snapshot!(shown(&killed(), Format::Csv, &plain(100)).replace("\r\n", "\n"), @r#"
    section,kind,path,count,total_ns,self_ns,mean_ns,stddev_ns,min_ns,max_ns,p50_ns,p90_ns,p95_ns,p99_ns,share_ratio,process_ns,thread_ns,suspended_wall_ns,partial_count,partial_ns,unbalanced_count,host_memory_net_min_bytes,host_memory_net_max_bytes,host_memory_peak_min_bytes,host_memory_peak_max_bytes
    run,span,train,0,3260000000,3000000,,,,,,,,,1,,,,1,3260000000,0,,,,
    run,span,train/step,3,3257000000,3221000000,19000000,0,19000000,19000000,19000000,19000000,19000000,19000000,0.999079754601227,,,,1,3200000000,0,,,,
    run,span,train/step/forward,3,36000000,36000000,12000000,0,12000000,12000000,12000000,12000000,12000000,12000000,0.011042944785276074,,,,0,0,0,,,,
    run,leftover,startup,,0,0,,,,,,,,,0,,,,0,0,0,,,,
    run,leftover,other,,0,0,,,,,,,,,0,,,,0,0,0,,,,
    run,leftover,exit,,0,0,,,,,,,,,0,,,,0,0,0,,,,
    "#);
}

#[test]
#[allow(clippy::too_many_lines, reason = "the snapshot of a whole summary")]
fn the_json_of_one_span() {
    let mut script = Script::new(7, 10 * MS);
    script.span(&["load"], 2 * MS, 5 * MS);
    let summary = analyzed::summarize(&[script], Options::default());
    insta::assert_snapshot!(shown(&summary, Format::Json, &plain(100)), @r#"
    {
      "schema": "laptime-summary",
      "version": 1,
      "program": "train.py",
      "headline": {
        "text": "10.0 ms: 50 % load, 30 % exit, 20 % startup.",
        "wall_ns": 10000000,
        "is_running": false,
        "whole_ns": 10000000,
        "waiting": null,
        "parts": [
          {
            "kind": "lap",
            "name": "load",
            "ratio": 0.5
          },
          {
            "kind": "leftover",
            "name": "exit",
            "ratio": 0.3
          },
          {
            "kind": "leftover",
            "name": "startup",
            "ratio": 0.2
          }
        ],
        "step": null
      },
      "findings": [],
      "next": null,
      "warnings": [],
      "stretch": "whole",
      "sample_count": null,
      "wall_ns": 10000000,
      "measured_ns": 10000000,
      "wall_source": "process",
      "span_count": 1,
      "clock": {
        "kind": "monotonic",
        "ns_per_tick": 1.0,
        "is_measured": true
      },
      "processes": [
        {
          "file": "7.proc",
          "pid": 7,
          "parent_pid": 1,
          "program": "train.py",
          "is_main": true,
          "is_measured": true,
          "state": "closed",
          "started_monotonic_ns": 1000000000000,
          "ended_monotonic_ns": 1000010000000,
          "span_count": 1,
          "lost_count": 0,
          "clamped_count": 0,
          "unsealed_windows": 0,
          "resident_peak_bytes": null,
          "open": []
        }
      ],
      "rows": [
        {
          "kind": "span",
          "path": "load",
          "names": [
            "load"
          ],
          "count": 1,
          "total_ns": 5000000,
          "self_ns": 5000000,
          "mean_ns": 5000000,
          "stddev_ns": null,
          "min_ns": 5000000,
          "max_ns": 5000000,
          "p50_ns": 5000000,
          "p90_ns": 5000000,
          "p95_ns": 5000000,
          "p99_ns": 5000000,
          "share_ratio": 0.5,
          "process_ns": null,
          "thread_ns": null,
          "suspended_wall_ns": null,
          "why": {
            "stddev_ns": "a spread needs two spans"
          }
        },
        {
          "kind": "leftover",
          "path": "startup",
          "names": [
            "startup"
          ],
          "count": null,
          "total_ns": 2000000,
          "self_ns": 2000000,
          "mean_ns": null,
          "stddev_ns": null,
          "min_ns": null,
          "max_ns": null,
          "p50_ns": null,
          "p90_ns": null,
          "p95_ns": null,
          "p99_ns": null,
          "share_ratio": 0.2,
          "process_ns": null,
          "thread_ns": null,
          "suspended_wall_ns": null,
          "why": {
            "count": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "max_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "mean_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "min_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p50_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p90_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p95_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p99_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "stddev_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles"
          }
        },
        {
          "kind": "leftover",
          "path": "other",
          "names": [
            "other"
          ],
          "count": null,
          "total_ns": 0,
          "self_ns": 0,
          "mean_ns": null,
          "stddev_ns": null,
          "min_ns": null,
          "max_ns": null,
          "p50_ns": null,
          "p90_ns": null,
          "p95_ns": null,
          "p99_ns": null,
          "share_ratio": 0.0,
          "process_ns": null,
          "thread_ns": null,
          "suspended_wall_ns": null,
          "why": {
            "count": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "max_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "mean_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "min_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p50_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p90_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p95_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p99_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "stddev_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles"
          }
        },
        {
          "kind": "leftover",
          "path": "exit",
          "names": [
            "exit"
          ],
          "count": null,
          "total_ns": 3000000,
          "self_ns": 3000000,
          "mean_ns": null,
          "stddev_ns": null,
          "min_ns": null,
          "max_ns": null,
          "p50_ns": null,
          "p90_ns": null,
          "p95_ns": null,
          "p99_ns": null,
          "share_ratio": 0.3,
          "process_ns": null,
          "thread_ns": null,
          "suspended_wall_ns": null,
          "why": {
            "count": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "max_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "mean_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "min_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p50_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p90_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p95_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "p99_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles",
            "stddev_ns": "startup, other, after, exit and lost are gaps between laps: they have no count and no percentiles"
          }
        }
      ],
      "steady_why": "no span named \"step\" tells one step from the next",
      "marks": [],
      "metrics": [],
      "tracks": [],
      "environment": {},
      "unavailable": {
        "bound": "operations were not counted",
        "bytes_moved": "operations were not counted",
        "bytes_moved_per_s": "operations were not counted",
        "delayed_ns": "no timer measured it; Timer(cpu=True) does, where the kernel tells it",
        "device_count": "no device was timed",
        "device_energy_j": "no device with an energy counter was sampled",
        "device_memory_net_max_bytes": "memory was not recorded",
        "device_memory_net_min_bytes": "memory was not recorded",
        "device_memory_peak_max_bytes": "memory was not recorded",
        "device_memory_peak_min_bytes": "memory was not recorded",
        "device_memory_reserved_bytes": "memory was not recorded",
        "device_ns": "no device was timed",
        "executed_flop": "operations were not counted",
        "flop": "operations were not counted",
        "flop_per_s": "operations were not counted",
        "hfu_ratio": "operations were not counted",
        "host_memory_kept_bytes": "memory was not recorded",
        "host_memory_net_max_bytes": "memory was not recorded",
        "host_memory_net_min_bytes": "memory was not recorded",
        "host_memory_net_stddev_bytes": "memory was not recorded",
        "host_memory_peak_max_bytes": "memory was not recorded",
        "host_memory_peak_min_bytes": "memory was not recorded",
        "intensity": "operations were not counted",
        "launch_bound_count": "no device was timed",
        "mac": "operations were not counted",
        "mfu_ratio": "operations were not counted",
        "operations_coverage_ratio": "operations were not counted",
        "process_ns": "no span measured it; it is opt-in because reading that clock costs more than a span",
        "run.end": "no launcher saw the run",
        "suspended_wall_ns": "no span was suspended",
        "thread_ns": "no span measured it; it is opt-in because reading that clock costs more than a span",
        "total_flop": "operations were not counted"
      }
    }
    "#);
}

#[test]
fn markdown_keeps_the_marks_of_code_that_are_ours() {
    let mut summary = training();
    let warnings = [
        "set `TORCH_LOGS=recompiles` and read *it*",
        "a `b|c` and `<b>` and ``d`` and ` `",
    ];
    summary.warnings = warnings
        .map(|message| laptime_core::Warning::new("test", message).into())
        .to_vec();
    let markdown = render(&summary, Format::Markdown, &plain(100));
    assert!(
        markdown.contains(r"set `TORCH_LOGS=recompiles` and read \*it\*"),
        "{markdown}"
    );
    // What would end a cell, or begins no span of code, is escaped with all that follows.
    assert!(markdown.contains(r"a \`b\|c\` and \`\<b\>\`"), "{markdown}");
}
