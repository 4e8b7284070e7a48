//! The analysis holds no sentence: it hands out values that the report puts to words.
//!
//! Names, paths, and why a number is absent (a phrase in lower case) may stand there.

use laptime_house::sources::{self, Source};
use laptime_house::syntax::Syntax;

const ANALYSIS: &str = "laptime-analysis";

/// Files and folders below the sources of the analysis that write text, with the reason. One that doesn't any more must
/// be taken off.
const WRITERS: &[(&str, &str)] = &[
    ("compare/limits.rs", "what is wrong with a limit"),
    ("ranks/limit.rs", "what is wrong with a limit"),
    (
        "doubts/whole_run.rs",
        "why a program has no exit code, with the number of its signal",
    ),
    (
        "statistics/too_few.rs",
        "why a number is absent, with how few values there are",
    ),
    (
        "summarize/columns/device_memory.rs",
        "why a number is absent, as the recording says it",
    ),
    (
        "summarize/columns/memory.rs",
        "why a number is absent, as the recording says it",
    ),
    (
        "summarize/steady_state.rs",
        "why there is no steady state, and in which process",
    ),
    (
        "time_to_target/question.rs",
        "what is wrong with a question",
    ),
    ("timer/summary.rs", "names of tables"),
];

/// Macros that write text.
const WRITING: [&str; 4] = ["format!", "format_args!", "write!", "writeln!"];

/// Words from which on a text that begins like a sentence is one.
const LEAST_WORDS: usize = 3;

/// Whether a text begins with a capital and goes on, or a sentence ends in it.
fn is_sentence(text: &str) -> bool {
    let begins = text.starts_with(|first: char| first.is_ascii_uppercase());
    let is_long = text.split_whitespace().nth(LEAST_WORDS - 1).is_some();
    is_long && (begins || text.ends_with('.') || text.contains(". "))
}

/// Lists what writes text in a file, and the sentences in it.
fn written(syntax: &Syntax) -> Vec<String> {
    let calls = syntax.functions.iter().flat_map(|one| &one.calls);
    let macros = calls.map(|call| call.name.clone());
    let macros = macros.filter(|name| WRITING.contains(&name.as_str()));
    let paths = syntax.paths.iter().map(|one| one.path.join("::"));
    let warnings = paths.filter(|path| path.ends_with("Warning::new"));
    let texts = syntax.texts.iter().filter(|text| is_sentence(text));
    macros.chain(warnings).chain(texts.cloned()).collect()
}

/// The files of the analysis, by their path below its sources.
fn files() -> impl Iterator<Item = (&'static str, &'static Source)> {
    let all = sources::crates().iter().filter(|one| one.name == ANALYSIS);
    let files = all.flat_map(|one| one.modules.values());
    files.map(|file| {
        let (_, path) = file.path.split_once("/src/").unwrap_or_default();
        (path, file)
    })
}

fn writer(path: &str) -> Option<&'static str> {
    let mut writers = WRITERS.iter().map(|(writer, _)| *writer);
    writers.find(|writer| match writer.strip_suffix('/') {
        Some(_) => path.starts_with(writer),
        None => path == *writer,
    })
}

#[test]
fn text_is_known_by_what_writes_it_and_by_how_it_begins() {
    let of = |text| written(&Syntax::parse(text).unwrap());
    assert_eq!(of("fn a() { let _ = format!(\"{b}\"); }"), ["format!"]);
    assert_eq!(of("fn a() { c(|| write!(d, \"e\")); }"), ["write!"]);
    assert_eq!(
        of("fn a() { Some(Warning::new(\"b\", \"c\")); }"),
        ["Warning::new"]
    );
    assert_eq!(of("const A: &str = \"Run it again\";"), ["Run it again"]);
    assert_eq!(of("fn a() { b![c, \"d. Do it\"]; }"), ["d. Do it"]);
    assert!(of("/// It is a sentence.\nfn a() { b(\"no span was suspended\"); }").is_empty());
    assert!(of("#[cfg(test)] mod a { fn b() { format!(\"\"); } }").is_empty());
}

#[test]
fn the_analysis_writes_no_sentence() {
    let all = files().filter(|(path, _)| writer(path).is_none());
    let found: Vec<(&str, Vec<String>)> = all
        .map(|(path, file)| (path, written(&file.syntax)))
        .filter(|(_, written)| !written.is_empty())
        .collect();
    assert!(files().count() > 100 && found.is_empty(), "{found:#?}");
}

#[test]
fn every_file_that_may_write_text_does() {
    let writes = |wanted: &str| {
        files()
            .any(|(path, file)| writer(path) == Some(wanted) && !written(&file.syntax).is_empty())
    };
    let idle = WRITERS.iter().map(|(writer, _)| *writer);
    let idle: Vec<&str> = idle.filter(|writer| !writes(writer)).collect();
    assert_eq!(idle, Vec::<&str>::new());
}
