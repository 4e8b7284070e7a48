//! A recording in which every text acts, on a terminal, a page, a document or a spreadsheet, if it is let: no command
//! lets it, in no format.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use laptime_core::format::process::window_offset;
use laptime_core::format::record::Record;
use laptime_core::operations::CostTally;
use laptime_core::{
    CallSums, CalledFunction, DeviceReadings, DeviceSample, DeviceWork, DeviceWorkKind,
    FunctionCalls, Operator, RunInfo, Runner, SampledStack, StackFrame,
};

use crate::place::Place;
use crate::recording;
use crate::scripted::{EPOCH_NS, MAIN, MS, Script};

/// Texts that act, each by other means.
const ACTS: [&str; 8] = [
    "\u{1b}]0;title\u{7}\u{1b}[2J\r",
    "\u{9b}31m\u{7f}\u{8}",
    "\u{202e}\u{200b}\u{feff}\u{2028}\u{e0041}",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "](http://evil.example) **bold** `code` | cell |",
    "=HYPERLINK(\"http://evil.example\")",
    "two\nlines\tand\u{0}nothing",
    "\u{fdd1}\u{fdd0}'\"&amp;\\",
];

/// Gives each place its own text.
struct Texts {
    round: usize,
    given: usize,
}

impl Texts {
    fn next(&mut self, what: &str) -> &'static str {
        self.given += 1;
        let act = ACTS[(self.given + self.round) % ACTS.len()];
        // What begins with it and what only has it.
        let text = if self.given.is_multiple_of(2) {
            format!("{act}{what}")
        } else {
            format!("{what}{act}")
        };
        Box::leak(text.into_boxed_str())
    }
}

/// Codes of notes that say something of a whole run.
const NOTES: &[&str] = &[
    "environment.rank",
    "environment.python",
    "environment.threads",
    "environment.machine",
    "device-active",
    "device-partial",
    "device.unavailable",
    "device.synchronized",
    "device.memory.unavailable",
    "telemetry.unavailable",
    "memory.unavailable",
    "operations.unavailable",
    "operations.told",
    "operations.contradicted",
    "operations.ceilings",
    "kernels.unavailable",
    "kernels.refused",
    "nvtx.unavailable",
    "compile.unavailable",
    "phases.torn",
    "launches",
    "no-such-code",
];

fn script(round: usize, pid: u32) -> Script {
    let mut texts = Texts { round, given: 0 };
    let mut script = Script::new(pid, 2_000 * MS);
    script.header.program = texts.next("program").into();
    for code in NOTES {
        script.note(code, texts.next(code));
    }
    script.name_track(MAIN, false, texts.next("thread"));
    script.name_track(3, true, texts.next("task"));
    let (outer, inner, module) = (texts.next("lap"), texts.next("inner"), texts.next("module"));
    script.module(&["step", "forward", module], 1, texts.next("Class"));
    let dtype = texts.next("float32");
    for step in 0..40_u64 {
        let at = (100 + step * 40) * MS;
        script.span(&["step", "forward", module], at + MS, 8 * MS);
        script.span(&["step", "forward"], at, 10 * MS);
        script.span(&["step"], at, 20 * MS);
        script.span(&[outer, inner], at + 21 * MS, 3 * MS);
        script.span(&[outer], at + 20 * MS, 5 * MS);
        script.mark(&[texts.next("mark")], at);
        script.metric(&["loss"], at, 1.0 / (step + 1) as f64);
        script.metric(&[outer, "metric"], at, f64::from(pid));
        script.ran(1, at);
        stack(&mut script, at);
    }
    script.metric(&[texts.next("metric")], 300 * MS, f64::NAN);
    for path in [&["step", "forward"][..], &["step", "forward", module]] {
        let tally = CostTally {
            counted: 3,
            uncounted: 1,
            ..CostTally::default()
        };
        script.operations(1, path, tally, dtype);
    }
    functions(&mut script, &mut texts);
    devices(&mut script, &mut texts);
    script.leave_open(3, &[texts.next("open")], 1_900 * MS);
    script
}

fn stack(script: &mut Script, at_ns: u64) {
    script.observed(Record::Stack(SampledStack {
        ticks: EPOCH_NS + at_ns + MS,
        thread: 40 + u64::from(MAIN),
        frame: 2,
        is_running: true,
        has_interpreter: true,
        in_same_turn: true,
        others_ready: true,
        runner: Runner::Thread,
        within_ns: 10,
        stands_for_ns: 10 * MS,
    }));
}

fn functions(script: &mut Script, texts: &mut Texts) {
    let path = script.path(&["step", "forward"]);
    for id in 1..4 {
        let (name, file) = (texts.next("function"), texts.next("file.py"));
        script.observed(Record::Function { id, name, file });
        script.observed(Record::Frame(StackFrame {
            id,
            parent: id - 1,
            function: id,
            line: 7,
        }));
        script.observed(Record::CalledFunction(CalledFunction {
            id,
            line: 3,
            name,
            file,
        }));
        script.observed(Record::Calls(FunctionCalls {
            path,
            thread: 40 + u64::from(MAIN),
            caller: id - 1,
            function: id,
            sums: CallSums {
                calls: 10,
                primitive: 10,
                own: MS,
                total: 3 * MS,
                primitive_from: 10,
                total_from: 3 * MS,
            },
        }));
    }
}

fn devices(script: &mut Script, texts: &mut Texts) {
    for id in 1..4 {
        let name = texts.next("aten::mm");
        script.observed(Record::OperatorName { id, name });
        let ticks = EPOCH_NS + 101 * MS;
        script.observed(Record::Operator(Operator {
            ticks,
            thread: 40 + u64::from(MAIN),
            name: id,
            self_ns: MS,
            total_ns: MS,
        }));
        script.observed(Record::DeviceWork(DeviceWork {
            ticks,
            duration_ns: MS,
            name: id,
            kind: DeviceWorkKind::default(),
            device: 0,
            stream: 7,
            launched: (ticks, 40 + u64::from(MAIN)),
        }));
    }
    let (uuid, name) = (texts.next("GPU-0"), texts.next("H200"));
    script.observed(Record::DeviceName {
        device: 0,
        uuid,
        name,
    });
    for reading in 0..12 {
        let why = texts.next("why");
        script.observed(Record::DeviceLacks {
            device: 0,
            reading,
            why,
        });
    }
    for at in 0..20 {
        script.observed(Record::DeviceSample(DeviceSample {
            ticks: EPOCH_NS + at * 90 * MS,
            device: 0,
            readings: DeviceReadings::default(),
        }));
    }
}

/// Writes a recording of processes, each with a name of its own.
pub fn write(folder: &Path, round: usize, pids: &[u32]) {
    fs::create_dir(folder).unwrap();
    let mut texts = Texts { round, given: 7 };
    for pid in pids {
        let script = script(round, *pid);
        let mut bytes = script.prefix();
        for (index, window) in (0..).zip(script.windows()) {
            bytes.resize(window_offset(index) as usize, 0);
            bytes.extend(window);
        }
        let name = texts.next("-ab").replace(['/', '\0'], "");
        fs::write(folder.join(format!("{pid}-{name}.proc")), bytes).unwrap();
    }
    let run = RunInfo {
        laptime: texts.next("0.1.0").into(),
        program: texts.next("program.py").into(),
        unrecorded: vec![texts.next("/usr/bin/python").into()],
        pid: Some(pids[0]),
        ..recording::run(1)
    };
    fs::write(folder.join(RunInfo::FILE_NAME), run.to_json()).unwrap();
}

const COMMANDS: &[&[&str]] = &[
    &["report", "a.lap"],
    &["report", "a.lap", "--tree"],
    &["report", "a.lap", "--by", "process"],
    &["report", "a.lap", "--by", "function"],
    &["report", "a.lap", "--functions"],
    &["report", "a.lap", "--kernels"],
    &["report", "a.lap", "--until", "loss < 0.1"],
    &["report", "a.lap", "--filter", "no such\u{1b}[2J"],
    &["report", "a.lap", "-f", "markdown"],
    &["report", "a.lap", "--by", "function", "-f", "markdown"],
    &["report", "a.lap", "-f", "json"],
    &["report", "a.lap", "-f", "csv"],
    &["report", "a.lap", "--by", "function", "-f", "csv"],
    &["report", "a.lap", "--by", "process", "-f", "csv"],
    &["report", "a.lap", "-f", "html"],
    &["compare", "a.lap", "b.lap"],
    &["compare", "a.lap", "b.lap", "--all"],
    &["compare", "a.lap", "b.lap", "-f", "markdown"],
    &["compare", "a.lap", "b.lap", "-f", "json"],
    &["compare", "a.lap", "b.lap", "-f", "html"],
    &[
        "compare",
        "a.lap",
        "b.lap",
        "--fail-on",
        "\u{1b}[2J:p50 > 5%",
    ],
    &["export", "a.lap", "-f", "chrome"],
    &["export", "a.lap", "-f", "speedscope"],
    &["export", "a.lap", "-f", "collapsed"],
    &["report", "\u{1b}[2J.lap"],
    &["report", "a.lap", "--\u{1b}[2J"],
    &["\u{1b}[2J"],
];

/// Where the browser's tests want the pages.
const PAGES: &str = "LAPTIME_TEST_PAGES";

#[test]
fn no_text_of_a_recording_acts_on_whoever_looks_at_it() {
    let mut failed = BTreeSet::new();
    let pages = std::env::var_os(PAGES).map(PathBuf::from);
    for round in 0..ACTS.len() {
        let place = Place::new();
        write(&place.path().join("a.lap"), round, &[7, 8]);
        write(&place.path().join("b.lap"), round, &[9]);
        for command in COMMANDS {
            for color in ["0", "1"] {
                let mut laptime = place.command();
                laptime.args(*command).env("FORCE_COLOR", color);
                let output = laptime.output().unwrap();
                assert!(
                    output.status.code().is_some_and(|code| code < 70),
                    "{command:?}"
                );
                let format = command.iter().rev().take(1).copied().collect::<String>();
                if let Some(pages) = pages.as_deref().filter(|_| format == "html") {
                    let name = format!("recorded-{}-{round}.html", command[0]);
                    fs::write(pages.join(name), &output.stdout).unwrap();
                }
                for bytes in [output.stdout, output.stderr] {
                    let text = String::from_utf8(bytes).unwrap();
                    for wrong in acts(&text, &format) {
                        failed.insert(format!("{command:?}: {wrong}"));
                    }
                }
            }
        }
    }
    let failed: Vec<String> = failed.into_iter().collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What a text does beside being read.
fn acts(text: &str, format: &str) -> Vec<String> {
    let mut plain = text.to_owned();
    for colour in ["0", "1", "2", "3", "4", "32", "33", "36", "1;33", "31"] {
        plain = plain.replace(&format!("\u{1b}[{colour}m"), "");
    }
    let mut found = Vec::new();
    let around = |plain: &str, at: usize| {
        let from = (0..=at.saturating_sub(30))
            .rev()
            .find(|at| plain.is_char_boundary(*at));
        plain[from.unwrap_or(0)..]
            .chars()
            .take(60)
            .collect::<String>()
    };
    let is_kept = |one: char| one == '\n' || (format == "csv" && one == '\r');
    if let Some(at) = plain.find(|one| laptime_core::is_hidden(one) && !is_kept(one)) {
        found.push(format!("hidden: {:?}", around(&plain, at)));
    }
    if let Some(at) = plain.find("two\nlines") {
        found.push(format!("a line of its own: {:?}", around(&plain, at)));
    }
    let acting: &[&str] = match format {
        "markdown" => {
            plain = unescaped(&plain);
            &["<script", "<img", "](http", "**bold", "| cell |"]
        }
        "html" => &["<script>alert", "<img src=x"],
        "json" | "chrome" | "speedscope" => {
            let whole = plain.trim();
            if whole.starts_with(['{', '['])
                && let Err(error) = serde_json::from_str::<serde_json::Value>(whole)
            {
                found.push(format!("no JSON: {error}"));
            }
            &[]
        }
        _ => &[],
    };
    for what in acting {
        if let Some(at) = plain.find(what) {
            found.push(format!("{what}: {:?}", around(&plain, at)));
        }
    }
    if format == "csv" {
        for line in plain.lines() {
            let mut cells = line
                .split(',')
                .map(|cell| cell.trim_start_matches([' ', '"']));
            if let Some(cell) = cells.find(|cell| cell.starts_with(['=', '@', '+'])) {
                found.push(format!("formula: {cell}"));
            }
        }
    }
    found
}

/// A document without what a backslash takes its meaning from, and without spans of code, in which nothing acts.
fn unescaped(text: &str) -> String {
    let mut left = String::new();
    let (mut characters, mut is_code) = (text.chars(), false);
    while let Some(one) = characters.next() {
        match one {
            '\\' if !is_code => {
                characters.next();
            }
            '`' => is_code = !is_code,
            '\n' => {
                left.push(one);
                is_code = false;
            }
            _ if !is_code => left.push(one),
            _ => {}
        }
    }
    left
}
