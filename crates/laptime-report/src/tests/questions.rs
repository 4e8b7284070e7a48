//! Eight recordings with a planted cause: the answer stands on the first screen, wherever one looks.
//!
//! They have the shapes of the programs in `examples/questions`. The first screen is 24 lines of a terminal, and
//! what stands above the first table of a page or of a notebook's cell.

use laptime_analysis::{Options, Summary};
use laptime_core::{Span, SpanMemory};

use super::tests::analyzed;
use super::tests::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};
use super::*;

/// Number of lines of a terminal.
const SCREEN: usize = 24;
const STEPS: u64 = 100;

/// A lap of a step by its names, when it begins in it, and how long it takes, in milliseconds.
type Lap = (&'static [&'static str], u64, u64);

/// Repeats a lap so many times one after the other from a time on, each with the laps in it.
fn repeated(
    name: &'static str,
    from_ms: u64,
    each_ms: u64,
    laps: impl Fn(u64) -> Vec<Lap>,
) -> Script {
    let mut script = Script::new(7, 0);
    for number in 0..STEPS {
        let began = (from_ms + number * each_ms) * MS;
        for (names, at_ms, ms) in laps(number) {
            let path: Vec<&str> = [name].iter().chain(names).copied().collect();
            script.span(&path, began + at_ms * MS, ms * MS);
        }
        script.span(&[name], began, each_ms * MS);
    }
    script.header.closed = Some(anchor((from_ms + STEPS * each_ms) * MS));
    script
}

/// Returns the laps of a training's step of 20 ms.
fn phases() -> Vec<Lap> {
    vec![
        (&["data"], 0, 1),
        (&["forward"], 1, 7),
        (&["backward"], 8, 10),
        (&["optimizer"], 18, 2),
    ]
}

fn slow_loader() -> Script {
    let laps = |_| -> Vec<Lap> {
        vec![
            (&["data"], 0, 41),
            (&["forward"], 41, 3),
            (&["backward"], 44, 5),
            (&["optimizer"], 49, 1),
        ]
    };
    repeated("step", 100, 50, laps)
}

fn leak() -> Script {
    let mut script = Script::new(7, (100 + STEPS * 20) * MS);
    let [step, forward] = [&["step"][..], &["step", "forward"]].map(|names| script.path(names));
    for number in 0..STEPS {
        let start = EPOCH_NS + (100 + number * 20) * MS;
        for (path, ms) in [(forward, 15), (step, 20)] {
            let memory = Some(SpanMemory {
                net_bytes: 67_000 + (number % 3) as i64 * 500,
                peak_bytes: 1 << 20,
            });
            script.push(Span::plain(path, start, ms * MS, MAIN).with_memory(memory));
        }
    }
    script
}

fn slow_layer() -> Script {
    let layer = |at_ms, ms, number: usize| {
        let names: [&[&str]; 2] = [
            &["forward", "Sequential", "0"],
            &["forward", "Sequential", "2"],
        ];
        (names[number], at_ms, ms)
    };
    let laps = move |_| -> Vec<Lap> {
        vec![
            (&["data"], 0, 1),
            layer(1, 1, 0),
            layer(2, 14, 1),
            (&["forward", "Sequential"], 1, 15),
            (&["forward"], 1, 15),
            (&["backward"], 16, 3),
            (&["optimizer"], 19, 1),
        ]
    };
    let mut script = repeated("step", 100, 20, laps);
    script.module(&["step", "forward", "Sequential"], 0, "Sequential");
    script.module(&["step", "forward", "Sequential", "0"], 1, "Conv2d");
    script.module(&["step", "forward", "Sequential", "2"], 1, "Conv2d");
    script
}

fn slow_start() -> Script {
    repeated("step", 7_000, 20, |_| phases())
}

fn slow_request() -> Script {
    let laps = |number: u64| -> Vec<Lap> {
        let mut laps: Vec<Lap> = vec![(&["cache"], 0, 2), (&["answer"], 2, 1)];
        if number.is_multiple_of(20) {
            laps.push((&["database"], 3, 60));
        }
        laps
    };
    let mut script = Script::new(7, 0);
    let mut began = 100 * MS;
    for number in 0..200 {
        let mut ended = began;
        for (names, at_ms, ms) in laps(number) {
            script.span(&["request", names[0]], began + at_ms * MS, ms * MS);
            ended = began + (at_ms + ms) * MS;
        }
        script.span(&["request"], began, ended - began);
        began = ended;
    }
    script.header.closed = Some(anchor(began));
    script
}

fn busy_machine() -> Script {
    let mut script = repeated("step", 100, 20, |_| Vec::new());
    script.name_track(MAIN, false, "main");
    for number in 0..=STEPS {
        let at = (100 + number * 20) * MS;
        script.delayed(MAIN, at, number * 10 * MS);
        // One processor of two does something.
        script.processors(at, 5_000 * MS + number * 40 * MS, 0);
    }
    script
}

fn recompiles() -> Script {
    repeated("step", 100, 20, |number| {
        let mut laps = phases();
        if number % 12 == 11 {
            laps.push((&["forward", "compile"], 1, 6));
        }
        laps
    })
}

fn session() -> Script {
    let laps = |_| -> Vec<Lap> { vec![(&["load"], 0, 2), (&["fit"], 2, 10)] };
    repeated("step", 0, 12, laps)
}

/// Returns each recording with the words that answer it.
fn questions() -> [(Script, &'static str); 8] {
    [
        (
            slow_loader(),
            "Each step waits 41.0 ms for data on average, 82 % of its time",
        ),
        (
            leak(),
            "Each step leaves 65.9 KiB (± 81 B) of memory behind",
        ),
        (slow_layer(), "2 (Conv2d) alone takes 70 % of a step"),
        (
            slow_start(),
            "7.00 s pass before the first lap, 78 % of the run: imports,",
        ),
        (
            slow_request(),
            "request/database runs in few requests, 9 times in 199",
        ),
        (busy_machine(), "The machine was busy"),
        (recompiles(), "compile ran 8 times, 48.0 ms in all"),
        (session(), "A step takes 12.0 ms: fit 83 %, load 17 %"),
    ]
}

fn summary(script: Script) -> Summary {
    analyzed::summarize(&[script], Options::default())
}

/// Returns the words of a text, one space between them.
fn words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Returns the text that a page shows above its first table.
fn above_the_table(html: &str) -> String {
    let body = html.find("<body").map_or(html, |at| &html[at..]);
    let above = body.split("<table").next().unwrap_or_default();
    // Drawings and scripts aren't read.
    let mut read = String::new();
    let mut rest = above;
    while let Some(at) = rest.find('<') {
        read += &rest[..at];
        let skipped = ["script", "style", "svg"]
            .into_iter()
            .find(|name| rest[at + 1..].starts_with(name));
        let end = match skipped {
            Some(name) => format!("</{name}>"),
            None => ">".to_owned(),
        };
        let after = rest[at..].find(&end).map(|found| at + found + end.len());
        rest = after.map_or("", |after| &rest[after..]);
    }
    read += rest;
    words(&read.replace("&nbsp;", " ").replace("&#39;", "'"))
}

#[test]
fn a_terminal_answers_on_its_first_screen() {
    for (script, answer) in questions() {
        let summary = summary(script);
        for width in [80, 120] {
            let view = View {
                width: Some(width),
                ..View::default()
            };
            let text = render(&summary, Format::Text, &view);
            let screen: Vec<&str> = text.lines().take(SCREEN).collect();
            let screen = screen.join("\n");
            assert!(words(&screen).contains(answer), "{answer}\n{screen}");
            for line in text.lines() {
                assert!(
                    crate::document::names::columns(line) <= width,
                    "{width}: {line:?}"
                );
            }
        }
    }
}

#[test]
fn a_page_and_a_notebooks_cell_answer_above_their_tables() {
    for (script, answer) in questions() {
        let summary = summary(script);
        let document = Document::new(&summary, &View::default());
        let page = render(&summary, Format::Html, &View::default());
        for shown in [page.into_string(), html::fragment(&document)] {
            let above = above_the_table(&shown);
            assert!(above.contains(answer), "{answer}\n{above}");
        }
    }
}
