use super::*;

fn found(pattern: &str, path: &str) -> bool {
    Pattern::new(pattern).matches(&path::split(path))
}

#[test]
fn a_single_name_is_found_anywhere() {
    assert!(found("forward", "forward"));
    assert!(found("forward", "step/forward"));
    assert!(!found("forward", "step/forward/compile"));
    assert!(found("for*", "step/forward"));
}

#[test]
fn a_path_matches_from_the_outermost_name() {
    assert!(found("step/forward", "step/forward"));
    assert!(!found("step/forward", "train/step/forward"));
    assert!(found("**/step/forward", "train/step/forward"));
    assert!(found("step/**", "step"));
    assert!(found("step/**", "step/forward/compile"));
    assert!(found("**", "anything/at/all"));
}

#[test]
fn a_star_stays_within_a_name() {
    assert!(found("step/*", "step/data"));
    assert!(!found("step/*", "step/forward/compile"));
    assert!(found("step/b*k?ard", "step/backward"));
    assert!(!found("*", "") || found("*", ""));
}

#[test]
fn an_escaped_slash_belongs_to_the_name() {
    assert!(found(r"a\/b", r"x/a\/b"));
    assert!(!found(r"a\/b", "x/a/b"));
}

#[test]
fn many_stars_take_no_exponential_time() {
    let pattern = "*a".repeat(40);
    assert!(!found(
        &pattern,
        &"a".repeat(39).repeat(50).replace('a', "aab")
    ));
}
