//! Every way that foreign code has into ours goes through the guard: a panic ends the recording,
//! never the program.
//!
//! Each `extern "C"` function with a body, and each function that the Python bindings expose where the program is
//! measured, calls one of the [`GUARDS`], and nothing that plainly panics stands outside of it.

use laptime_house::sources;
use laptime_house::syntax::{Call, Function, Syntax};

/// What turns a panic into an answer.
const GUARDS: &[&str] = &[
    "guard",
    "measuring",
    "measuring_lap",
    "asked",
    "asked_at_length",
    "answered",
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
        "laptime-cli/src/launch/signals.rs",
        "pass_on",
        "a signal's handler: atomics and calls of the system",
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

/// What panics where it doesn't hold: outside of the guard's last argument, nothing of the kind stands.
const PANICS: &[&str] = &[
    "unwrap",
    "expect",
    "[]",
    "panic!",
    "unreachable!",
    "todo!",
    "unimplemented!",
    "assert!",
    "assert_eq!",
    "assert_ne!",
];

/// Whether a call is of a guard: `environment::asked()` is none, which is given nothing to run.
fn is_guard(call: &Call) -> bool {
    GUARDS.contains(&call.name.as_str()) && call.arguments > 0
}

/// What is wrong with a function that has to go through the guard.
fn trouble(function: &Function) -> Option<String> {
    if !function.calls.iter().any(is_guard) {
        return Some("calls no guard".to_owned());
    }
    let mut panics = function.calls.iter().filter(|call| {
        let is_guarded = call
            .inside
            .iter()
            .any(|name| GUARDS.contains(&name.as_str()));
        PANICS.contains(&call.name.as_str()) && !is_guarded
    });
    panics
        .next()
        .map(|call| format!("has `{}` outside of its guard", call.name))
}

/// The functions that foreign code may call, with what is wrong with them.
fn foreign(syntax: &Syntax) -> impl Iterator<Item = (&Function, Option<String>)> {
    let foreign = syntax
        .functions
        .iter()
        .filter(|function| function.is_foreign);
    foreign.map(|function| (function, trouble(function)))
}

#[test]
fn every_entry_of_foreign_code_goes_through_the_guard() {
    let mut seen = 0;
    let mut open = Vec::new();
    let mut used = vec![false; CANNOT_PANIC.len()];
    for source in sources::product() {
        for (function, trouble) in foreign(&source.syntax) {
            seen += 1;
            let listed = CANNOT_PANIC.iter().position(|(at, name, _)| {
                source.path.contains(at) && (name.is_empty() || *name == function.name)
            });
            match (trouble, listed) {
                (Some(_), Some(listed)) => used[listed] = true,
                (Some(trouble), None) => {
                    open.push(format!("{}: {} {trouble}", source.path, function.name));
                }
                (None, _) => {}
            }
        }
    }
    assert!(seen > 50, "only {seen} entries were found");
    assert!(
        open.is_empty(),
        "a panic in these, which foreign code calls, aborts the program: {open:#?}"
    );
    let unused = used.iter().zip(CANNOT_PANIC).filter(|(used, _)| !**used);
    let unused: Vec<_> = unused.map(|(_, listed)| listed).collect();
    assert!(unused.is_empty(), "these need no exception: {unused:#?}");
}

#[test]
fn every_function_for_python_that_measures_goes_through_the_guard() {
    let mut open = Vec::new();
    for (name, plain) in MEASURING {
        let path = format!("crates/laptime-python/src/{name}");
        let source = sources::product().find(|source| source.path == path);
        let source = source.unwrap_or_else(|| panic!("{path} is not there"));
        let exposed = source
            .syntax
            .functions
            .iter()
            .filter(|function| function.is_for_python);
        let exposed: Vec<&Function> = exposed.collect();
        assert!(!exposed.is_empty(), "{path} exposes nothing");
        for function in exposed {
            let trouble = trouble(function).filter(|_| !plain.contains(&function.name.as_str()));
            open.extend(trouble.map(|trouble| format!("{path}: {} {trouble}", function.name)));
        }
    }
    assert!(
        open.is_empty(),
        "a panic in these, which Python calls, is raised into the program: {open:#?}"
    );
}

#[test]
fn every_function_for_python_stands_below_guarded() {
    let mut seen = 0;
    let mut open = Vec::new();
    for source in sources::product() {
        for function in &source.syntax.functions {
            if function.is_for_python {
                seen += 1;
                if !function.is_guarded {
                    open.push(format!("{}: {}", source.path, function.name));
                }
            }
        }
    }
    assert!(seen > 300, "only {seen} functions were found");
    assert!(
        open.is_empty(),
        "where a program's memory is used up, these panic into it or abort it: {open:#?}"
    );
}

/// What is wrong with the first function of a text that foreign code calls.
fn trouble_of(text: &str) -> Option<String> {
    let syntax = Syntax::parse(text).unwrap();
    foreign(&syntax).next().expect("an entry").1
}

#[test]
fn an_entry_without_a_guard_is_found_behind_an_item_for_tests() {
    let text = "#[cfg(test)] mod tests;\nextern \"C\" fn open(x: i32) {\n    // guard(\n    warn(\"guard(\");\n}";
    assert_eq!(trouble_of(text).as_deref(), Some("calls no guard"));
    let inner = "extern \"C\" fn open() { fn other() { guard((), run) } environment::asked(); safeguard(1); }";
    assert_eq!(trouble_of(inner).as_deref(), Some("calls no guard"));
    let made =
        "macro_rules! entry { ($name:ident) => { pub unsafe extern \"C\" fn $name() { run() } } }";
    assert_eq!(trouble_of(made).as_deref(), Some("calls no guard"));
}

#[test]
fn what_panics_outside_of_the_guard_is_found() {
    let text = "extern \"C\" fn f() -> i32 { let x = get().unwrap(); guard(0, || x) }";
    assert_eq!(
        trouble_of(text).as_deref(),
        Some("has `unwrap` outside of its guard")
    );
    let fallback = "extern \"C\" fn f() -> i32 { guard(table[0], || 1) }";
    assert_eq!(
        trouble_of(fallback).as_deref(),
        Some("has `[]` outside of its guard")
    );
    let handed = "extern \"C\" fn f() { guard((), runner(table[0])) }";
    assert_eq!(
        trouble_of(handed).as_deref(),
        Some("has `[]` outside of its guard")
    );
    let by_name = "extern \"C\" fn f() { let run = || table[0]; run(); guard(0, run); }";
    assert_eq!(
        trouble_of(by_name).as_deref(),
        Some("has `[]` outside of its guard")
    );
}

#[test]
fn what_panics_inside_of_the_guard_is_its_business() {
    let inside =
        "extern \"C\" fn f() -> i32 { crate::guard(0, || { assert!(true); table[0].unwrap() }) }";
    assert_eq!(trouble_of(inside), None);
    let by_name = "extern \"C\" fn f() -> i32 { let run = || table[0]; guard(0, run) }";
    assert_eq!(trouble_of(by_name), None);
}
