//! Every way that foreign code has into ours goes through the guard: a panic ends the recording,
//! never the program.
//!
//! A plain reading of the sources: each `extern "C"` function with a body, and each function that
//! the Python bindings expose where the program is measured, calls one of the [`GUARDS`].

use std::fs;
use std::path::{Path, PathBuf};

/// What turns a panic into an answer.
const GUARDS: &[&str] = &["guard(", "measuring(", "asked("];

/// Where foreign code calls in.
const DOORS: &[&str] = &[
    "crates/laptime-recorder/src",
    "crates/laptime-cli/src",
    "crates/laptime-python/src",
];

/// Functions without one, by the file's path and name, and why they cannot panic.
const CANNOT_PANIC: &[(&str, &str, &str)] = &[
    (
        "laptime-recorder/src/memory/patch",
        "",
        "a guard at every allocation would cost; they touch atomics and pass on",
    ),
    (
        "laptime-cli/src/bench/timeout.rs",
        "pass_on",
        "a signal's handler: one atomic and calls of the system",
    ),
    (
        "laptime-cli/src/launch/child.rs",
        "pass_on",
        "a signal's handler: one atomic and `kill`",
    ),
    (
        "laptime-cli/src/launch/child.rs",
        "drop_signal",
        "does nothing",
    ),
    (
        "laptime-python/src/objects.rs",
        "malloc",
        "passes on; the counting behind it is guarded",
    ),
    ("laptime-python/src/objects.rs", "calloc", "as malloc"),
    (
        "laptime-python/src/objects.rs",
        "map_arena",
        "one call of the system",
    ),
    (
        "laptime-python/src/phases/hooks.rs",
        "entered",
        "passes the program's call on, exactly once; what looks on is guarded step by step",
    ),
    (
        "laptime-python/src/fast/lap/attributes.rs",
        "repr",
        "one call of the interpreter",
    ),
    (
        "laptime-python/src/fast/lap/attributes.rs",
        "name",
        "one call of the interpreter",
    ),
    (
        "laptime-python/src/fast/lap/attributes.rs",
        "seconds",
        "passes on to `last_ns`, which is guarded",
    ),
    (
        "laptime-python/src/fast/lap/attributes.rs",
        "duration_ns",
        "passes on to `last_ns`, which is guarded",
    ),
];

/// Files whose functions run inside the measured program, and those that only hand out or set a
/// field.
const MEASURING: &[(&str, &[&str])] = &[
    ("span.rs", &[]),
    ("memory.rs", &[]),
    ("fast/lap/pieces.rs", &[]),
    ("recorder.rs", &["path", "folder", "taken_path"]),
    ("timer.rs", &["name", "disable", "enable", "__repr__"]),
];

/// A function and its body.
struct Function {
    file: String,
    name: String,
    body: String,
}

impl Function {
    fn is_guarded(&self) -> bool {
        GUARDS.iter().any(|guard| self.body.contains(guard))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The function whose `fn` follows; `None` for a declaration.
fn function_at(file: &str, text: &str) -> Option<Function> {
    let text = &text[text.find("fn ")? + 3..];
    let name: String = text
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect();
    let open = text.find('{')?;
    if text.find(';').is_some_and(|end| end < open) {
        return None;
    }
    let mut depth = 0;
    let end = text[open..].find(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        depth == 0
    });
    let body = text[open..open + end.unwrap_or(text.len() - open)].to_owned();
    let file = file.to_owned();
    Some(Function { file, name, body })
}

/// The functions that start at each place where `mark` stands in a line of code.
fn functions_after(file: &str, text: &str, mark: &str) -> Vec<Function> {
    let is_code = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        !text[line..at].contains("//") && !text[line..at].contains('(')
    };
    text.match_indices(mark)
        .filter(|(at, found)| is_code(at + found.len() - found.trim_start().len()))
        .filter_map(|(at, _)| function_at(file, &text[at..]))
        .collect()
}

#[test]
fn every_entry_of_foreign_code_goes_through_the_guard() {
    let mut seen = 0;
    let mut open = Vec::new();
    for door in DOORS {
        let mut files = Vec::new();
        sources(&root().join(door), &mut files);
        for path in files {
            let file = path.display().to_string();
            let text = fs::read_to_string(&path).unwrap();
            for function in functions_after(&file, &text, "extern \"C\" fn ") {
                seen += 1;
                let is_listed = CANNOT_PANIC.iter().any(|(at, name, _)| {
                    function.file.contains(at) && (name.is_empty() || *name == function.name)
                });
                if !function.is_guarded() && !is_listed {
                    open.push(format!("{file}: {}", function.name));
                }
            }
        }
    }
    assert!(seen > 30, "only {seen} entries were found");
    assert!(
        open.is_empty(),
        "foreign code calls these without a guard, and a panic in them aborts the program: {open:#?}"
    );
}

#[test]
fn every_function_for_python_that_measures_goes_through_the_guard() {
    for (name, plain) in MEASURING {
        let file = format!("crates/laptime-python/src/{name}");
        let text = fs::read_to_string(root().join(&file)).unwrap();
        let mut functions = functions_after(&file, &text, "#[pyfunction]");
        for block in text.split("#[pymethods]").skip(1) {
            let end = block.find("\n}\n").unwrap_or(block.len());
            functions.extend(functions_after(&file, &block[..end], "    fn "));
        }
        assert!(!functions.is_empty(), "{file} exposes nothing");
        for function in functions {
            assert!(
                function.is_guarded() || plain.contains(&function.name.as_str()),
                "{file}: Python calls `{}`, which has no guard: a panic in it is raised into the program",
                function.name
            );
        }
    }
}
