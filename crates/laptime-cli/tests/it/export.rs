//! `laptime export`: which format, where to, what opens it, and what is said of a recording that isn't whole.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::process::{Command, Stdio};

use laptime_core::format::process::window_offset;
use laptime_core::format::record::Record;
use laptime_core::{CallSums, CalledFunction, FunctionCalls};
use serde_json::Value;

#[allow(dead_code)]
use crate::place::{Left, Place};
use crate::scripted::{MAIN, MS, Script, training};

/// Every format with an ending of its own.
const FORMATS: [(&str, &str); 6] = [
    ("chrome", "json"),
    ("perfetto", "pftrace"),
    ("speedscope", "speedscope.json"),
    ("collapsed", "folded"),
    ("parquet", "parquet"),
    ("pstats", "pstats"),
];

/// A folder with the recording `a.lap` of this process.
fn recorded(script: &Script) -> Place {
    let place = Place::new();
    let mut bytes = script.prefix();
    for (index, window) in (0..).zip(script.windows()) {
        bytes.resize(window_offset(index) as usize, 0);
        bytes.extend(window);
    }
    let folder = place.path().join("a.lap");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("7-ab.proc"), bytes).unwrap();
    place
}

/// Steps that each have a forward, and functions whose calls were counted in it.
fn counted() -> Script {
    let mut script = Script::new(7, 100 * MS);
    script.observed(Record::CalledFunction(CalledFunction {
        id: 1,
        line: 3,
        name: "main",
        file: "train.py",
    }));
    for step in 0..3 {
        script.span(&["step", "forward"], step * 20 * MS, 12 * MS);
        script.span(&["step"], step * 20 * MS, 19 * MS);
    }
    let path = script.path(&["step", "forward"]);
    script.observed(Record::Calls(FunctionCalls {
        path,
        thread: 1,
        caller: 0,
        function: 1,
        sums: CallSums {
            calls: 3,
            primitive: 3,
            own: 30 * MS,
            total: 30 * MS,
            primitive_from: 3,
            total_from: 30 * MS,
        },
    }));
    script
}

#[test]
fn the_ending_says_the_format_and_the_message_what_opens_it() {
    let place = recorded(&counted());
    let mut said = String::new();
    for (name, ending) in FORMATS {
        let file = format!("b.{ending}");
        let left = place.laptime(&["export", "a.lap", "-o", &file]);
        assert_eq!((left.code, left.out.as_str()), (0, ""), "{}", left.err);
        let next = left.err.lines().last().unwrap();
        said.push_str(next);
        said.push('\n');
        // Named, it is the same, and goes to standard output where no file is.
        let mut command = place.command();
        let piped = command
            .args(["export", "a.lap", "-f", name])
            .output()
            .unwrap();
        assert!(piped.status.success());
        assert_eq!(
            piped.stdout,
            fs::read(place.path().join(file)).unwrap(),
            "{name}"
        );
    }
    insta::assert_snapshot!(said, @r#"
    next: open b.json in https://ui.perfetto.dev or chrome://tracing
    next: open b.pftrace in https://ui.perfetto.dev
    next: open b.speedscope.json in https://www.speedscope.app
    next: open b.folded in https://www.speedscope.app, or flamegraph.pl --countname ns b.folded > flame.svg
    next: polars.read_parquet("b.parquet")
    next: python -m pstats b.pstats, or snakeviz b.pstats
    "#);
}

#[test]
fn an_unknown_ending_and_no_format_name_those_that_are_known() {
    let place = recorded(&counted());
    let left = place.laptime(&["export", "a.lap", "-o", "b.pdf"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: b.pdf: unknown file type
    hint: endings are .speedscope.json, .json, .perfetto-trace, .pftrace, .collapsed, .folded, .parquet, .pstats, .prof; or name the format with --format: chrome, perfetto, speedscope, collapsed, parquet, pstats
    ");
    for ending in ["csv", "jsonl"] {
        let name = format!("b.{ending}");
        let also = place.laptime(&["export", "a.lap", "-o", &name]);
        assert_eq!(also.err, left.err.replace("b.pdf", &name));
    }
    let left = place.laptime(&["export", "a.lap"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: no format is named
    hint: name one with --format: chrome, perfetto, speedscope, collapsed, parquet, pstats; or an --output that ends in .speedscope.json, .json, .perfetto-trace, .pftrace, .collapsed, .folded, .parquet, .pstats, .prof
    ");
}

#[test]
fn what_is_there_stays_until_the_new_file_is_whole() {
    let place = recorded(&training(30, 0));
    place.file("there.json", "before");
    let left = place.laptime(&["export", "no.lap", "-o", "there.json"]);
    assert_eq!(left.code, 6, "{}", left.err);
    let read = || fs::read_to_string(place.path().join("there.json")).unwrap();
    assert_eq!(read(), "before");
    let left = place.laptime(&["export", "a.lap", "-o", "there.json"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let whole: Value = serde_json::from_str(&read()).unwrap();
    assert!(whole["traceEvents"].as_array().unwrap().len() > 30);
    // Nothing is left beside it.
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
}

#[test]
fn the_recording_itself_is_never_the_target() {
    let place = recorded(&counted());
    let before = fs::read(place.path().join("a.lap/7-ab.proc")).unwrap();
    for target in ["a.lap/run.json", "a.lap/7-ab.proc"] {
        let left = place.laptime(&["export", "a.lap", "-f", "chrome", "-o", target]);
        assert_eq!(left.code, 2, "{}", left.err);
        assert!(left.err.contains("is the recording itself"), "{}", left.err);
    }
    assert!(!place.path().join("a.lap/run.json").exists());
    assert_eq!(
        fs::read(place.path().join("a.lap/7-ab.proc")).unwrap(),
        before
    );
}

#[test]
fn a_write_that_fails_is_an_error_that_names_the_file_which_stays_as_it_was() {
    let place = recorded(&counted());
    place.file("there.json", "before");
    // As on a full disk, no byte can be written into a file.
    let limited = format!(
        "trap '' XFSZ; ulimit -f 0; exec {} export a.lap -o there.json",
        env!("CARGO_BIN_EXE_laptime")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &limited]).current_dir(place.path());
    let left = Left::from(shell.output().unwrap());
    assert_eq!(left.code, 1);
    insta::assert_snapshot!(left.err, @"laptime: error: cannot write there.json: File too large (os error 27)");
    let there = fs::read_to_string(place.path().join("there.json")).unwrap();
    assert_eq!(there, "before");
    let left = place.laptime(&["export", "a.lap", "-o", "nowhere/a.json"]);
    assert_eq!(left.code, 1);
    insta::assert_snapshot!(left.err, @"laptime: error: cannot write nowhere/a.json: No such file or directory (os error 2)");
}

#[test]
fn a_named_pipe_is_written_into_and_not_replaced() {
    let place = recorded(&counted());
    let pipe = place.path().join("pipe.folded");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    // Opened without waiting for a writer, whom a pipe without a reader refuses.
    let mut reader = fs::OpenOptions::new();
    let reader = reader.read(true).custom_flags(libc::O_NONBLOCK);
    let mut reader = reader.open(&pipe).unwrap();
    let left = place.laptime(&["export", "a.lap", "-o", "pipe.folded"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let kind = fs::symlink_metadata(&pipe).unwrap().file_type();
    assert!(kind.is_fifo());
    let mut read = String::new();
    reader.read_to_string(&mut read).unwrap();
    assert_eq!(
        read,
        place.laptime(&["export", "a.lap", "-f", "collapsed"]).out
    );
}

#[test]
fn damage_is_left_out_and_said() {
    let place = recorded(&training(2_000, 0));
    let file = place.path().join("a.lap/7-ab.proc");
    let mut bytes = fs::read(&file).unwrap();
    let inside = window_offset(1) as usize + 300;
    bytes[inside] ^= 1;
    fs::write(&file, bytes).unwrap();
    let left = place.laptime(&["export", "a.lap", "-f", "chrome"]);
    assert_eq!(left.code, 0, "{}", left.err);
    let damaged = format!("damaged window at offset {}", window_offset(1));
    assert!(left.err.starts_with("laptime: warning: "), "{}", left.err);
    assert!(left.err.contains(&damaged), "{}", left.err);
    assert!(left.out.lines().count() > 100);
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let place = recorded(&training(2_000, 0));
    for format in ["chrome", "parquet"] {
        let mut command = place.command();
        command.args(["export", "a.lap", "-f", format]);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{format}");
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), "", "{format}");
    }
}

#[test]
fn a_killed_recording_gives_what_it_holds_and_says_so() {
    let mut script = Script::new(7, 0);
    script.span(&["step", "forward"], 10 * MS, 12 * MS);
    script.leave_open(MAIN, &["step"], 5 * MS);
    script.killed();
    let place = recorded(&script);
    let left = place.laptime(&["export", "a.lap", "-f", "chrome"]);
    assert_eq!(left.code, 0);
    assert!(left.err.starts_with("laptime: warning: "), "{}", left.err);
    let whole: Value = serde_json::from_str(&left.out).unwrap();
    let events = whole["traceEvents"].as_array().unwrap().iter();
    let spans = events.filter(|event| event["ph"] == "X");
    let spans = spans.map(|span| {
        let flags = span["args"]["flags"].as_str();
        (span["name"].as_str().unwrap(), flags.unwrap_or_default())
    });
    assert_eq!(
        spans.collect::<Vec<_>>(),
        [("forward", ""), ("step", "open")]
    );
    // Own times are the report's.
    let left = place.laptime(&["report", "a.lap", "--json"]);
    let summary: Value = serde_json::from_str(&left.out).unwrap();
    let rows = summary["rows"].as_array().unwrap();
    let own = |path| &rows.iter().find(|row| row["path"] == path).unwrap()["self_ns"];
    let expected = format!(
        "step {}\nstep;forward {}\n",
        own("step"),
        own("step/forward")
    );
    let left = place.laptime(&["export", "a.lap", "-f", "collapsed"]);
    assert_eq!(left.out, expected);
}

#[test]
fn counted_calls_give_laps_alone_and_that_is_said() {
    let place = recorded(&counted());
    let left = place.laptime(&["export", "a.lap", "-f", "collapsed"]);
    insta::assert_snapshot!(left.err, @"laptime: warning: calls were counted, but no stack was sampled: collapsed shows the laps alone. The format pstats has the calls; `laptime run` without --calls samples stacks");
    let stacks = left
        .out
        .lines()
        .map(|line| line.rsplit_once(' ').unwrap().0);
    assert_eq!(stacks.collect::<Vec<_>>(), ["step", "step;forward"]);
    // A table of spans has no place for functions.
    let left = place.laptime(&["export", "a.lap", "-f", "parquet", "-o", "a.parquet"]);
    insta::assert_snapshot!(left.err, @r#"next: polars.read_parquet("a.parquet")"#);
}
