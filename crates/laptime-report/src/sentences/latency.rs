//! Whether the calls of a latency kept their speed, in words.

use laptime_analysis::Steadiness;

use crate::sentences::step_changes;

/// Writes why calls were not steady, or why that isn't known; `None` for steady ones.
pub fn not_steady(steadiness: &Steadiness) -> Option<String> {
    match steadiness {
        Steadiness::Steady => None,
        Steadiness::WarmingUp { calls, measured } => Some(format!(
            "the first {calls} of {measured} measured calls still belong to warm-up; raise warmup"
        )),
        Steadiness::Drifting(later) => Some(step_changes::in_words(later, "call")),
        Steadiness::Unknown(why) => Some(why.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_warm_up_are_counted() {
        let (calls, measured) = (5, 40);
        assert_eq!(not_steady(&Steadiness::Steady), None);
        assert_eq!(
            not_steady(&Steadiness::WarmingUp { calls, measured }).as_deref(),
            Some("the first 5 of 40 measured calls still belong to warm-up; raise warmup")
        );
    }
}
