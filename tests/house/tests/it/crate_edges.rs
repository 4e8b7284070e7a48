//! Which crate may use which, over `cargo metadata`.
//!
//! The table below is the house: data goes one way through it, and the recorder and the
//! analysis meet only in a recording. A new edge needs a line here and a reason in review.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Crate → crates of ours that it may depend on.
const MAY_USE: &[(&str, &[&str])] = &[
    ("laptime-core", &[]),
    ("laptime-macros", &[]),
    ("laptime-python-macros", &[]),
    ("laptime-recorder", &["laptime-core"]),
    ("laptime-phases", &["laptime-core"]),
    ("laptime-ops", &["laptime-core"]),
    ("laptime-reader", &["laptime-core"]),
    ("laptime-onnx", &["laptime-core", "laptime-ops"]),
    ("laptime-analysis", &["laptime-core", "laptime-ops"]),
    ("laptime-report", &["laptime-core", "laptime-analysis"]),
    ("laptime-export", &["laptime-core"]),
    (
        "laptime",
        &[
            "laptime-core",
            "laptime-recorder",
            "laptime-macros",
            "laptime-ops",
            "laptime-reader",
            "laptime-analysis",
            "laptime-report",
            "laptime-export",
        ],
    ),
    (
        "laptime-cli",
        &[
            "laptime-core",
            "laptime-recorder",
            "laptime-ops",
            "laptime-reader",
            "laptime-onnx",
            "laptime-analysis",
            "laptime-report",
            "laptime",
        ],
    ),
    (
        "laptime-python",
        &[
            "laptime-python-macros",
            "laptime-core",
            "laptime-recorder",
            "laptime-phases",
            "laptime-ops",
            "laptime-reader",
            "laptime-onnx",
            "laptime-analysis",
            "laptime-report",
            "laptime",
            "laptime-cli",
        ],
    ),
    ("laptime-fake-cuda", &[]),
    ("laptime-fake-nvml", &[]),
    ("laptime-fakes", &[]),
    ("laptime-gpu-span-cost", &["laptime"]),
    ("laptime-house", &[]),
    ("laptime-replay", &[]),
    ("laptime-soak", &["laptime-core", "laptime-recorder"]),
];

/// Tests that include a file of another crate's, which names the dependency.
const TESTS_BY_PATH: &[(&str, &str)] = &[("laptime-report", "laptime-reader")];

/// What no crate below the doors may pull in: a runtime, a network, a graphical toolkit.
const NEVER: &[&str] = &["tokio", "reqwest", "hyper", "openssl", "rayon"];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

struct Dependency {
    name: String,
    is_dev: bool,
    is_optional: bool,
}

fn workspace() -> BTreeMap<String, Vec<Dependency>> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let dependencies = dependencies.iter().map(|dependency| Dependency {
                name: dependency["name"].as_str().expect("name").to_owned(),
                is_dev: dependency["kind"] == "dev",
                is_optional: dependency["optional"] == true,
            });
            let name = package["name"].as_str().expect("name").to_owned();
            (name, dependencies.collect())
        })
        .collect()
}

#[test]
fn every_edge_between_crates_is_in_the_table() {
    let workspace = workspace();
    assert!(workspace.len() >= 8, "found {} crates", workspace.len());
    for (name, dependencies) in &workspace {
        let allowed = MAY_USE
            .iter()
            .find(|(from, _)| from == name)
            .unwrap_or_else(|| panic!("{name} has no line in the table of edges"))
            .1;
        for dependency in dependencies {
            if workspace.contains_key(&dependency.name) && !dependency.is_dev {
                assert!(
                    allowed.contains(&dependency.name.as_str()),
                    "{name} may not use {}",
                    dependency.name
                );
            }
        }
    }
}

#[test]
fn the_recorder_and_the_analysis_never_import_each_other_even_in_tests() {
    let workspace = workspace();
    for (from, to) in [
        ("laptime-recorder", "laptime-analysis"),
        ("laptime-analysis", "laptime-recorder"),
        ("laptime-recorder", "laptime-reader"),
        ("laptime-reader", "laptime-recorder"),
        ("laptime-recorder", "laptime-report"),
        ("laptime-report", "laptime-recorder"),
    ] {
        let found = workspace[from].iter().any(|found| found.name == to);
        assert!(!found, "{from} imports {to}");
    }
}

#[test]
fn without_its_default_feature_the_rust_door_links_the_recorder_and_nothing_clever() {
    let workspace = workspace();
    for dependency in &workspace["laptime"] {
        let is_clever = [
            "laptime-reader",
            "laptime-analysis",
            "laptime-report",
            "laptime-ops",
        ]
        .contains(&dependency.name.as_str());
        assert!(
            !is_clever || dependency.is_optional || dependency.is_dev,
            "laptime links {} without being asked",
            dependency.name
        );
    }
}

#[test]
fn no_crate_pulls_in_a_runtime_or_a_network() {
    for (name, dependencies) in workspace() {
        let shipped = dependencies.iter().filter(|dependency| !dependency.is_dev);
        let shipped: BTreeSet<&str> = shipped.map(|found| found.name.as_str()).collect();
        for never in NEVER {
            assert!(!shipped.contains(never), "{name} pulls in {never}");
        }
    }
}

#[test]
fn every_declared_edge_is_used_by_a_source_of_the_crate() {
    for (name, dependencies) in workspace() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../crates")
            .join(&name);
        let shipped = sources(&folder.join("src"));
        let tested = sources(&folder);
        for dependency in dependencies {
            let code = if dependency.is_dev { &tested } else { &shipped };
            let word = dependency.name.replace('-', "_");
            assert!(
                !dependency.name.starts_with("laptime")
                    || !folder.exists()
                    || names(code, &word)
                    || TESTS_BY_PATH.contains(&(&name, &dependency.name)),
                "{name} declares {} and never names it",
                dependency.name
            );
        }
    }
}

/// The text of all Rust sources below a folder.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            text.push_str(&sources(&path));
        } else if path.extension().is_some_and(|is| is == "rs") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    text
}

/// Whether a path in the code begins with a crate's name, which may be the start of another's.
fn names(code: &str, word: &str) -> bool {
    code.match_indices(&format!("{word}::")).any(|(at, _)| {
        !code[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
    })
}
