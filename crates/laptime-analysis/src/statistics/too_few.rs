//! The reason why so few values tell nothing.

use laptime_core::Unavailable;

/// `one` is the noun for one value, `what` the thing they are too few to tell.
pub fn too_few(count: usize, one: &str, what: &str, needed: usize) -> Unavailable {
    let said = if count == 1 {
        format!("1 {one} is")
    } else {
        format!("{count} {one}s are")
    };
    Unavailable(format!(
        "{said} too few to tell {what}; {needed} are needed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_and_two_values_are_too_few() {
        let said = |count| too_few(count, "step", "warm-up from steady state", 12).0;
        assert_eq!(
            said(1),
            "1 step is too few to tell warm-up from steady state; 12 are needed"
        );
        assert!(said(2).starts_with("2 steps are too few to tell "));
        assert!(said(0).starts_with("0 steps are too few to tell "));
    }
}
