use super::*;

fn is_match(pattern: &str, path: &str) -> bool {
    Pattern::new(pattern).matches(&path::split(path))
}

#[test]
fn a_single_name_is_found_anywhere() {
    assert!(is_match("forward", "forward"));
    assert!(is_match("forward", "step/forward"));
    assert!(!is_match("forward", "step/forward/compile"));
    assert!(is_match("for*", "step/forward"));
}

#[test]
fn a_path_matches_from_the_outermost_name() {
    assert!(is_match("step/forward", "step/forward"));
    assert!(!is_match("step/forward", "train/step/forward"));
    assert!(is_match("**/step/forward", "train/step/forward"));
    assert!(is_match("step/**", "step"));
    assert!(is_match("step/**", "step/forward/compile"));
    assert!(is_match("**", "anything/at/all"));
}

#[test]
fn a_star_stays_within_a_name() {
    assert!(is_match("step/*", "step/data"));
    assert!(!is_match("step/*", "step/forward/compile"));
    assert!(is_match("step/b*k?ard", "step/backward"));
    assert!(!is_match("*", "") || is_match("*", ""));
}

#[test]
fn an_escaped_slash_belongs_to_the_name() {
    assert!(is_match(r"a\/b", r"x/a\/b"));
    assert!(!is_match(r"a\/b", "x/a/b"));
}

#[test]
fn many_stars_take_no_exponential_time() {
    let pattern = "*a".repeat(40);
    assert!(!is_match(
        &pattern,
        &"a".repeat(39).repeat(50).replace('a', "aab")
    ));
}
