//! Builds the fakes, by cargo, once a process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// What the libraries are called where a driver is installed.
const NAMES: &[(&str, &str)] = &[
    ("laptime_fake_cuda", "libcuda.so.1"),
    ("laptime_fake_nvml", "libnvidia-ml.so.1"),
];

/// The library that a package of fakes is built into.
///
/// **Panics** where it can't be built: a test without its fake proves nothing.
pub fn built(name: &str) -> &'static Path {
    static BUILT: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    &BUILT.get_or_init(build)[name]
}

fn build() -> BTreeMap<String, PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--message-format=json"])
        .args(["-p", "laptime-fake-cuda", "-p", "laptime-fake-nvml"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // A sanitizer that the tests are built with has no library that a fake could be linked to.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the fakes are not built: {errors}");
    let lines = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    let messages = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter_map(|message| {
            let name = message["target"]["name"].as_str()?.to_owned();
            let file = message["filenames"][0].as_str()?;
            Some((name, PathBuf::from(file)))
        })
        .collect()
}

/// Puts the fakes into a folder, under the names of the drivers' libraries.
pub fn with_drivers(folder: &Path) {
    for (name, installed) in NAMES {
        std::fs::copy(built(name), folder.join(installed)).expect("a folder to write to");
    }
}
