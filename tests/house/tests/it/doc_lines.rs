//! A documentation line stands alone: an editor shows it without its neighbours.
//!
//! The first line of each block of `///` and `//!` is read as text, so that those inside of macros and of tests count
//! too. One that begins with a relative word is a clause, which needs a noun that stands elsewhere.

use std::fs;

use laptime_house::sources::{files, relative};

/// Words that begin a clause rather than a sentence or a noun.
const RELATIVE: &[&str] = &["What", "Where", "Of", "Those", "That", "As", "The same"];

/// Crates whose lines are read.
const CRATES: &[&str] = &["laptime-analysis", "laptime-report"];

/// The mark of a documentation line, and its text.
fn documentation(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    let marks = ["///", "//!"].into_iter();
    marks
        .filter_map(|mark| Some((mark, line.strip_prefix(mark)?)))
        .find(|(_, text)| !text.starts_with('/'))
        .map(|(mark, text)| (mark, text.trim()))
}

/// The first line of each block of documentation, with its number in the file.
fn first_lines(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut before = None;
    for (at, line) in text.lines().enumerate() {
        let found_here = documentation(line);
        let mark = found_here.map(|(mark, _)| mark);
        if let Some((_, text)) = found_here.filter(|_| mark != before) {
            found.push((at + 1, text));
        }
        before = mark;
    }
    found
}

fn is_clause(line: &str) -> bool {
    let mut rests = RELATIVE.iter().filter_map(|word| line.strip_prefix(word));
    rests.any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

#[test]
fn documentation_begins_with_no_clause() {
    let mut wrong = Vec::new();
    for name in CRATES {
        for file in files(&format!("crates/{name}/src"), &["rs"]) {
            let path = relative(&file);
            let text = fs::read_to_string(&file).unwrap();
            let clauses = first_lines(&text).into_iter();
            let clauses = clauses.filter(|(_, line)| is_clause(line));
            wrong.extend(clauses.map(|(at, line)| format!("{path}:{at}: {line}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_clause_is_known_by_its_first_word() {
    for line in [
        "What it holds.",
        "Of these, none.",
        "The same for rows.",
        "That of a device.",
    ] {
        assert!(is_clause(line), "{line}");
    }
    for line in [
        "Offset of a row.",
        "Whether it ran.",
        "The sameness.",
        "Assigns a place.",
        "",
    ] {
        assert!(!is_clause(line), "{line}");
    }
}

#[test]
fn a_block_of_documentation_counts_once() {
    let text = "//! A.\n//! What.\n/// B.\n///\n/// What.\nfn f() {}\n//// C.\n// D.\n    /// E.\n    e: u8,";
    assert_eq!(first_lines(text), [(1, "A."), (3, "B."), (9, "E.")]);
}
