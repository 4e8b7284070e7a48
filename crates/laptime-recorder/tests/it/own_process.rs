//! Tests in a process of their own: this program, started again for one test alone.
//!
//! What a test prints there is shown where it fails, and one that isn't there any more fails.

use std::any::type_name;
use std::process::Command;

/// Says to a process which test it was started for.
const STARTED_FOR: &str = "OWN_PROCESS_OF";

/// Runs a test's body, a closure that is written in the test, in a process of its own.
pub fn run<F: FnOnce()>(body: F) {
    run_test(name_of(&body), body);
}

/// Runs the body of a test of this name in a process of its own.
pub fn run_test(name: &str, body: impl FnOnce()) {
    if is_of(name) {
        body();
    } else {
        check(command(name));
    }
}

/// Whether this is the process of its own of a test of this name.
pub fn is_of(name: &str) -> bool {
    std::env::var_os(STARTED_FOR).is_some_and(|started_for| *started_for == *name)
}

/// The name of a test, as the test program lists it: of its function, or of a closure that is written in it.
pub fn name_of<F>(_: &F) -> &'static str {
    let path = type_name::<F>();
    let (_program, path) = path.split_once("::").expect("a path in this program");
    path.trim_end_matches("::{{closure}}")
}

/// This program, to be started for one test.
pub fn command(name: &str) -> Command {
    let program = std::env::current_exe().expect("a program knows its file");
    let mut command = Command::new(program);
    // In the first thread, with no other of the test harness beside it.
    command.args(["--test-threads=1", "--nocapture", "--include-ignored"]);
    command.args(["--exact", name]).env(STARTED_FOR, name);
    command
}

/// Runs it to its end. **Panics** where the test fails, or Laptime warns of something.
pub fn check(command: Command) {
    let errors = finished(command);
    assert!(!errors.contains("laptime: "), "{errors}");
}

/// Runs it to its end; what it wrote to stderr. **Panics** where the test fails.
pub fn finished(mut command: Command) -> String {
    let left = command.output().expect("this program starts again");
    let errors = String::from_utf8_lossy(&left.stderr);
    let said = format!("{}\n{errors}", String::from_utf8_lossy(&left.stdout));
    assert!(left.status.success(), "{}:\n{said}", left.status);
    // Where no test has the name none fails either.
    assert!(said.contains("test result: ok. 1 passed;"), "{said}");
    errors.into_owned()
}
