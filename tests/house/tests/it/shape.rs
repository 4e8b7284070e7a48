//! What the sources look like: pure crates are pure, files are small, names say what they hold.

use std::collections::BTreeMap;
use std::fs;

use laptime_house::sources::{self, files, relative, root};
use laptime_house::syntax::Syntax;

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

fn forbids_unsafe(library: &Syntax) -> bool {
    library.forbidden.iter().any(|lint| lint == "unsafe_code")
}

#[test]
fn unsafe_is_forbidden_by_an_attribute_of_the_whole_crate_alone() {
    let forbids = |text| forbids_unsafe(&Syntax::parse(text).unwrap());
    assert!(forbids("//! A.\n#![forbid(missing_docs, unsafe_code)]"));
    assert!(!forbids(
        "// #![forbid(unsafe_code)]\nmod a { #![forbid(unsafe_code)] }"
    ));
    assert!(!forbids(
        "#[cfg(test)] mod a {}\nconst A: &str = \"#![forbid(unsafe_code)]\";"
    ));
}

#[test]
fn pure_crates_forbid_unsafe_and_ban_clocks_environment_and_files() {
    let bans = fs::read_to_string(root().join("crates/laptime-core/clippy.toml")).unwrap();
    assert!(bans.contains("std::time::Instant::now"));
    for name in PURE {
        let folder = root().join("crates").join(name);
        let library = sources::crates().iter().find(|one| one.name == *name);
        let library = library
            .and_then(|one| one.modules.get(&Vec::new()))
            .unwrap();
        assert!(
            forbids_unsafe(&library.syntax),
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
    let mut found = files("crates", &["rs"]);
    found.extend(files("python", &["py", "pyi"]));
    for file in found {
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
    let mut found = files("crates", &["rs"]);
    found.extend(files("python", &["py"]));
    for file in found {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            !DRAWERS.contains(&stem.as_str()),
            "{} says nothing about what it holds",
            file.display()
        );
    }
}

fn says_what_it_holds(file: &Syntax) -> bool {
    file.documentation
        .iter()
        .any(|line| !line.trim().is_empty())
}

#[test]
fn every_module_opens_by_saying_what_it_holds() {
    let product: BTreeMap<&str, &Syntax> = sources::product()
        .map(|source| (&*source.path, &source.syntax))
        .collect();
    let mut silent = Vec::new();
    for file in files("crates", &["rs"]) {
        let path = relative(&file);
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let is_test = stem.ends_with("tests") || path.contains("/tests/");
        let says = match product.get(&*path) {
            Some(syntax) => says_what_it_holds(syntax),
            None if is_test => true,
            None => {
                says_what_it_holds(&Syntax::parse(&fs::read_to_string(&file).unwrap()).unwrap())
            }
        };
        if !says {
            silent.push(path);
        }
    }
    assert!(
        silent.is_empty(),
        "without documentation of the module: {silent:#?}"
    );
}

#[test]
fn documentation_of_what_stands_in_a_module_is_not_the_modules() {
    let says = |text| says_what_it_holds(&Syntax::parse(text).unwrap());
    assert!(says(
        "#![allow(dead_code)]\n//! What it holds.\n#[cfg(test)] mod tests;"
    ));
    assert!(!says(
        "// A note.\n#![allow(dead_code)]\n#[cfg(test)] mod tests { //! Tests.\n }"
    ));
    assert!(!says("//!\n/// Of an item.\nfn a() {}"));
}

/// The table rows of a text, with single spaces.
fn rows(text: &str) -> Vec<String> {
    text.lines()
        .map(str::trim)
        .filter(|line| line.starts_with('|') && !line.starts_with("|--"))
        .map(|line| line.replace(" ([`crate::Anchor`])", ""))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn the_format_document_has_every_row_of_the_codes_layout_tables() {
    let document = rows(&fs::read_to_string(root().join("docs/format.md")).unwrap());
    for module in ["process", "window", "record", "varint"] {
        let path = format!("crates/laptime-core/src/format/{module}.rs");
        let source = sources::product()
            .find(|source| source.path == path)
            .unwrap();
        let expected = rows(&source.syntax.documentation.join("\n"));
        assert!(expected.len() > 3, "{module} has no layout table");
        for row in expected {
            assert!(
                document.contains(&row),
                "docs/format.md lacks the row of {module}: {row}"
            );
        }
    }
}
