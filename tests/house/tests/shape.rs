//! What the sources look like: pure crates are pure, files are small, names say what they hold.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates that touch nothing: no clock, no environment, no file, no `unsafe`.
const PURE: &[&str] = &[
    "laptime-core",
    "laptime-phases",
    "laptime-ops",
    "laptime-onnx",
    "laptime-analysis",
    "laptime-report",
    "laptime-export",
];

/// Lines at which a file must have been split. Aim for 100–250.
const LONGEST_FILE: usize = 600;

/// Names that say nothing about what a file holds.
const DRAWERS: &[&str] = &[
    "utils", "util", "common", "helpers", "misc", "types", "prelude",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below `folder` whose extension is one of `extensions`.
fn sources(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join(folder)];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_output = name == "target" || name == "__pycache__" || name.starts_with('.');
            if path.is_dir() && !is_output {
                waiting.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
            {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no source below {folder}");
    found
}

#[test]
fn pure_crates_forbid_unsafe_and_ban_clocks_environment_and_files() {
    let bans = fs::read_to_string(root().join("crates/laptime-core/clippy.toml")).unwrap();
    assert!(bans.contains("std::time::Instant::now"));
    for name in PURE {
        let folder = root().join("crates").join(name);
        let library = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        assert!(
            library.contains("#![forbid(unsafe_code)]"),
            "{name} does not forbid unsafe"
        );
        assert_eq!(
            fs::read_to_string(folder.join("clippy.toml")).unwrap_or_default(),
            bans,
            "{name}/clippy.toml differs from laptime-core's"
        );
    }
}

#[test]
fn no_source_file_is_longer_than_the_house_allows() {
    let mut files = sources("crates", &["rs"]);
    files.extend(sources("python", &["py", "pyi"]));
    for file in files {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(
            lines <= LONGEST_FILE,
            "{} has {lines} lines: split it",
            file.display()
        );
    }
}

#[test]
fn no_module_is_a_drawer() {
    let mut files = sources("crates", &["rs"]);
    files.extend(sources("python", &["py"]));
    for file in files {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            !DRAWERS.contains(&stem.as_str()),
            "{} says nothing about what it holds",
            file.display()
        );
    }
}

#[test]
fn every_module_opens_by_saying_what_it_holds() {
    for file in sources("crates", &["rs"]) {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let is_test =
            stem.ends_with("tests") || file.components().any(|part| part.as_os_str() == "tests");
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            is_test || text.starts_with("//!") || text.starts_with("#!["),
            "{} has no module documentation",
            file.display()
        );
    }
}

/// The table rows of a text, without comment marks and with single spaces.
fn rows(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| line.trim_start_matches("//!").trim())
        .filter(|line| line.starts_with('|') && !line.starts_with("|--"))
        .map(|line| line.replace(" ([`crate::Anchor`])", ""))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn the_format_document_has_every_row_of_the_codes_layout_tables() {
    let document = rows(&fs::read_to_string(root().join("docs/format.md")).unwrap());
    for module in ["process", "window", "record", "varint"] {
        let file = root().join(format!("crates/laptime-core/src/format/{module}.rs"));
        let source = fs::read_to_string(file).unwrap();
        let head: Vec<&str> = source
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .collect();
        let expected = rows(&head.join("\n"));
        assert!(expected.len() > 3, "{module} has no layout table");
        for row in expected {
            assert!(
                document.contains(&row),
                "docs/format.md lacks the row of {module}: {row}"
            );
        }
    }
}
