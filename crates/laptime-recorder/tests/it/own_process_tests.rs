//! A process of a test's own takes no failure with it.

use std::panic::{UnwindSafe, catch_unwind};

use crate::own_process::{check, command, is_of, name_of};

/// With which words something fails.
fn failure(run: impl FnOnce() + UnwindSafe) -> String {
    let failure = catch_unwind(run).expect_err("it fails");
    *failure.downcast().expect("a text")
}

#[test]
fn a_test_that_fails_there_fails_here_with_what_it_said() {
    let own = name_of(&|| ());
    assert!(!is_of(own), "on purpose");
    let failure = failure(|| check(command(own)));
    assert!(failure.contains("on purpose"), "{failure}");
    assert!(failure.contains("1 failed"), "{failure}");
}

#[test]
fn a_name_that_no_test_has_is_a_failure() {
    let failure = failure(|| check(command("own_process_tests::gone")));
    assert!(failure.contains("0 passed"), "{failure}");
}
