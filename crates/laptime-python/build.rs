//! Compiles the C shim against the headers of the interpreter that `PyO3` was configured for.

#![expect(
    clippy::disallowed_macros,
    reason = "a build script talks to cargo by printing"
)]

use std::process::Command;

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    pyo3_build_config::add_extension_module_link_args();
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rustc-link-arg-cdylib=-Wl,--wrap=PyErr_WriteUnraisable");
    println!("cargo:rustc-link-arg-cdylib=-Wl,--wrap=PyUnicode_FromStringAndSize");
    cc::Build::new()
        .file("shim/context.c")
        .file("shim/hook.c")
        .file("shim/memory.c")
        .file("shim/profile.c")
        .file("shim/stack.c")
        .include(include_folder())
        .warnings(false)
        .compile("laptime_shim");
}

/// Where `Python.h` lies, as the interpreter itself says.
fn include_folder() -> String {
    let config = pyo3_build_config::get();
    let python = config
        .executable()
        .unwrap_or_else(|| panic!("no Python interpreter found: set PYO3_PYTHON to one"));
    let output = Command::new(python)
        .args([
            "-c",
            "import sysconfig; print(sysconfig.get_paths()['include'])",
        ])
        .output()
        .unwrap_or_else(|error| panic!("could not run {python}: {error}"));
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert!(
        std::path::Path::new(&folder).join("Python.h").exists(),
        "{python} has no headers in {folder:?}: install them (Debian: python3-dev)"
    );
    folder
}
