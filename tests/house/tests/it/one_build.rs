//! What the tests are made from is compiled once: the extension that Python's tests import is of the
//! same crates, built with the same features, as the tests of the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The features that each package is built with, by its name and version; two where a compiler's
/// plug-in asks for others than the program.
fn features(of: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix", "none", "-f", "{p}\t{f}"])
        .args(of)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        let Some((package, features)) = line.split_once('\t') else {
            continue;
        };
        // Cargo marks what it has listed already.
        let features = features.trim_end_matches(" (*)").to_owned();
        found
            .entry(package.to_owned())
            .or_default()
            .insert(features);
    }
    found
}

#[test]
fn the_extension_is_of_the_crates_that_the_tests_were_compiled_with() {
    let tests = features(&["--workspace", "-e", "normal,build,dev"]);
    let extension = [
        "-p",
        "laptime-python",
        "-F",
        "as-tested",
        "-e",
        "normal,build",
    ];
    let differ: Vec<String> = features(&extension)
        .into_iter()
        .filter(|(package, _)| !package.starts_with("laptime-python "))
        .filter(|(package, asked)| !asked.is_subset(&tests[package]))
        .map(|(package, asked)| format!("{package}: {asked:?}, the tests {:?}", tests[&package]))
        .collect();
    assert!(
        differ.is_empty(),
        "compiled twice: give laptime-python's feature `as-tested` what these lack\n{}",
        differ.join("\n")
    );
}
