use laptime_core::format::record::Record;
use laptime_core::{
    CallSums, CalledFunction, FunctionCalls, Span, SpanFlags, SpanMemory, SpanWork, is_hidden,
};
use serde_json::Value;

use crate::Format;
use crate::marshal::Marshal;
use crate::scripted::{MAIN, Script, exported};

/// Names that would be something else than a name wherever they aren't written as text.
const HOSTILE: [&str; 12] = [
    "two\nlines",
    "a|b",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{9b}2J",
    "</script><script>alert(1)</script>",
    "semi;colon 12",
    "`code` *bold*",
    "\u{202e}reversed",
    "=1+1,\"quoted\"",
    "a/b\\c",
    "zero \0 byte",
    "\\udc80",
];

fn hostile() -> Script {
    let mut script = Script::new(20);
    for (at, name) in (0..).zip(HOSTILE) {
        script.span(&["step", name], at * 10, at * 10 + 5);
        script.mark(&[name], at * 10 + 6);
        script.metric(&[name], at * 10 + 7, f64::NAN);
        script.metric(&[name], at * 10 + 8, f64::INFINITY);
        script.metric(&[name], at * 10 + 8, 0.5);
    }
    script.span(&["step"], 0, 200);
    script
}

fn text(format: Format, scripts: &[Script]) -> String {
    String::from_utf8(exported(format, scripts, 1_000)).unwrap()
}

fn chrome(scripts: &[Script]) -> Vec<Value> {
    let whole: Value = serde_json::from_str(&text(Format::Chrome, scripts)).unwrap();
    assert_eq!(whole["displayTimeUnit"], "ns");
    assert_eq!(whole["baseTimeNanoseconds"], 1_700_000_000_000_000_000_u64);
    whole["traceEvents"].as_array().unwrap().clone()
}

fn of_kind<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["ph"] == kind).collect()
}

#[test]
fn hostile_names_are_text_in_every_format_of_text() {
    let script = [hostile()];
    for (name, format) in Format::NAMES {
        if format.is_binary() {
            continue;
        }
        let text = text(format, &script);
        let shown = text.chars().filter(|character| *character != '\n');
        assert!(!shown.clone().any(is_hidden), "{name}");
        assert!(!text.contains("</script>") || format == Format::Collapsed);
    }
}

#[test]
fn json_carries_hostile_names_as_they_are() {
    let events = chrome(&[hostile()]);
    let spans = of_kind(&events, "X");
    for (span, name) in spans.iter().zip(HOSTILE) {
        assert_eq!(span["name"], name);
    }
    assert_eq!(spans.len(), HOSTILE.len() + 1);
    let marks = of_kind(&events, "i");
    let marks = marks.iter().filter(|event| event["s"] == "t");
    let marks: Vec<&str> = marks.filter_map(|event| event["name"].as_str()).collect();
    assert_eq!(marks, HOSTILE);
}

#[test]
fn a_number_that_is_none_is_told_in_words() {
    let events = chrome(&[hostile()]);
    let counters = of_kind(&events, "C");
    assert_eq!(counters.len(), HOSTILE.len());
    assert!(counters.iter().all(|event| event["args"]["value"] == 0.5));
    let words = of_kind(&events, "i");
    let words = words.iter().filter(|event| event["s"] == "p");
    let words: Vec<&str> = words
        .filter_map(|event| event["args"]["value"].as_str())
        .collect();
    assert_eq!(words[..2], ["NaN", "Infinity"]);
}

#[test]
fn every_line_of_collapsed_stacks_is_names_and_a_number() {
    let text = text(Format::Collapsed, &[hostile()]);
    let mut sum = 0;
    for line in text.lines() {
        let (names, own_ns) = line.rsplit_once(' ').unwrap();
        assert!(names.split(';').count() <= 2, "{line}");
        sum += own_ns.parse::<u64>().unwrap();
    }
    assert_eq!(text.lines().count(), HOSTILE.len() + 1);
    assert_eq!(sum, 200);
    assert!(text.contains("step;semi\\x3bcolon 12 5\n"));
}

#[test]
fn own_time_is_less_the_children_s_but_not_those_beside() {
    let mut script = Script::new(20);
    script.span(&["step", "forward"], 0, 30);
    script.span_on(MAIN, &["step", "segment"], 5, 95, SpanFlags::ASIDE);
    script.span_on(2, &["step", "worker"], 0, 70, SpanFlags::DETACHED);
    script.span(&["step"], 0, 100);
    let text = text(Format::Collapsed, &[script.clone(), script]);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "step 140",
            "step;forward 60",
            "step;segment 180",
            "step;worker 140"
        ]
    );
}

#[test]
fn a_span_s_numbers_stand_beside_it() {
    let mut script = Script::new(20);
    let path = script.path(&["step"]);
    let span = Span {
        flags: SpanFlags::SUSPENDED,
        process_ns: Some(7),
        wall: Some(50),
        ..Span::plain(path, 10, 20, MAIN)
    };
    let span = span
        .with_memory(Some(SpanMemory {
            net_bytes: -3,
            peak_bytes: 9,
        }))
        .with_work(SpanWork {
            flop: Some(1 << 70),
            bytes: Some(4),
        });
    script.records.push(Record::Span(span));
    let events = chrome(std::slice::from_ref(&script));
    let shown = of_kind(&events, "X")[0];
    assert_eq!((&shown["ts"], &shown["dur"]), (&0.01.into(), &0.05.into()));
    let args = &shown["args"];
    assert_eq!(args["duration_ns"], 20);
    assert_eq!(args["flags"], "suspended");
    let carried = "\"process_ns\":7,\"wall_ns\":50,\"memory_net_bytes\":-3,\"memory_peak_bytes\":9,\
                   \"flop\":1180591620717411303424,\"bytes\":4";
    let text = text(Format::Chrome, &[script]);
    assert!(text.contains(carried), "{text}");
}

#[test]
fn what_was_open_at_the_end_is_drawn_up_to_it() {
    let mut script = Script::new(20);
    script.span(&["step", "forward"], 0, 30);
    script.leave_open(&["step"], 0);
    let events = chrome(std::slice::from_ref(&script));
    let spans = of_kind(&events, "X");
    assert_eq!(spans.len(), 2);
    assert_eq!(spans[1]["dur"], 1.0);
    assert_eq!(spans[1]["args"]["flags"], "open");
}

#[test]
fn two_processes_of_one_number_stay_two() {
    let mut script = Script::new(20);
    script.span(&["step"], 0, 30);
    let events = chrome(&[script.clone(), script]);
    let spans = of_kind(&events, "X");
    assert_eq!(spans[0]["pid"], 20);
    assert_eq!(spans[1]["pid"], 1 << 22);
    let names = of_kind(&events, "M");
    let mut names = names.iter().filter(|event| event["name"] == "process_name");
    assert_eq!(names.next().unwrap()["args"]["name"], "train.py");
    assert_eq!(
        names.next().unwrap()["args"]["name"],
        "train.py (process 20)"
    );
}

#[test]
fn lanes_beside_a_track_are_named_after_it() {
    let mut script = Script::new(20);
    script.span_on(MAIN, &["a"], 0, 10, SpanFlags::ASIDE);
    script.span_on(MAIN, &["b"], 5, 12, SpanFlags::ASIDE);
    script.span(&["step"], 0, 20);
    let events = chrome(&[script]);
    let names = of_kind(&events, "M");
    let names = names.iter().filter(|event| event["name"] == "thread_name");
    let names: Vec<&str> = names
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "main thread",
            "main thread · timers",
            "main thread · timers 2"
        ]
    );
}

#[test]
fn an_export_of_nothing_is_a_whole_file() {
    for (name, format) in Format::NAMES {
        // `pstats` refuses a file without calls, so there is none.
        if format == Format::Pstats {
            continue;
        }
        let bytes = exported(format, &[], 0);
        match format {
            Format::Chrome | Format::Speedscope => {
                serde_json::from_slice::<Value>(&bytes).unwrap();
            }
            Format::Parquet => assert!(bytes.ends_with(b"PAR1"), "{name}"),
            _ => {}
        }
    }
}

#[test]
fn a_script_that_is_told_by_two_paths_is_one_for_pstats() {
    let script = |file: &'static str| {
        let mut script = Script::new(1);
        script.records.extend([
            Record::CalledFunction(CalledFunction {
                id: 1,
                line: 3,
                name: "work",
                file,
            }),
            Record::Calls(FunctionCalls {
                function: 1,
                sums: CallSums {
                    calls: 1,
                    primitive: 1,
                    ..CallSums::default()
                },
                ..FunctionCalls::default()
            }),
        ]);
        script
    };
    let file = "/home/me/train.py";
    let told = |files: [&'static str; 2]| exported(Format::Pstats, &files.map(script), 0);
    let same = told([file, file]);
    assert_eq!(told(["./train.py", file]), same);
    assert_eq!(told([file, "/home/me/sub/../train.py"]), same);
    assert_ne!(told([file, "/home/you/train.py"]), same);
}

#[test]
fn calls_of_all_laps_and_processes_are_added_up_for_pstats() {
    let function = |id, line, name, file| {
        Record::CalledFunction(CalledFunction {
            id,
            line,
            name,
            file,
        })
    };
    let calls = |caller, function, calls, own| {
        Record::Calls(FunctionCalls {
            caller,
            function,
            sums: CallSums {
                calls,
                primitive: calls,
                own,
                total: own,
                primitive_from: calls,
                total_from: own,
            },
            ..FunctionCalls::default()
        })
    };
    let mut script = Script::new(1);
    script.records.extend([
        function(1, 3, "Net.forward", "net.py"),
        function(2, 0, "<built-in method torch.relu>", "~"),
        calls(0, 1, 2, 500_000_000),
        calls(1, 2, 1, 250_000_000),
        calls(1, 2, 1, 250_000_000),
    ]);
    let bytes = exported(Format::Pstats, &[script], 0);
    let mut expected = Marshal::default();
    expected.dict();
    let key = |expected: &mut Marshal, file, line, name| {
        expected.tuple(3);
        expected.text(file);
        expected.integer(line);
        expected.text(name);
    };
    let sums = |expected: &mut Marshal, length| {
        expected.tuple(length);
        expected.integer(2);
        expected.integer(2);
        expected.float(0.5);
        expected.float(0.5);
    };
    key(&mut expected, "net.py", 3, "forward");
    sums(&mut expected, 5);
    expected.dict();
    expected.end();
    key(&mut expected, "~", 0, "<built-in method torch.relu>");
    sums(&mut expected, 5);
    expected.dict();
    key(&mut expected, "net.py", 3, "forward");
    sums(&mut expected, 4);
    expected.end();
    expected.end();
    assert_eq!(bytes, expected.bytes);
}
