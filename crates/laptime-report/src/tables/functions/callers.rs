//! The callers of a function in one line: those that took most of its time.

use std::collections::BTreeMap;

use laptime_analysis::{ExactFunctions, ExactInLap, FunctionTime, LapFunctions};
use laptime_core::{Total, short_file};

use crate::quantity;

/// Most callers that are named.
const MOST: usize = 2;
/// Share of a function's time from which on its caller is named.
const LEAST_RATIO: f64 = 0.1;
/// Share of a function's time from which on a caller is named alone.
const ALONE_RATIO: f64 = 0.95;

/// Says who called a sampled function in a lap; `None` for one that nobody else called.
pub fn of_sampled(lap: &LapFunctions, function: &FunctionTime) -> Option<String> {
    let is_it = |name: &str, file: &str| name == function.name && file == function.file;
    let mut callers: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for node in lap
        .stacks
        .iter()
        .filter(|node| is_it(&node.name, &node.file))
    {
        let caller = node.parent.and_then(|at| lap.stacks.get(at));
        // What it has by calling itself is part of the outermost call.
        if let Some(caller) = caller.filter(|caller| !is_it(&caller.name, &caller.file)) {
            let taken = callers.entry((&caller.name, &caller.file)).or_default();
            *taken = taken.saturating_add(node.total_ns);
        }
    }
    let callers = callers.into_iter();
    sentence(callers.map(|((name, file), ns)| (format!("{name} {}", short_file(file)), ns)))
}

/// Says who called a counted function in a lap; `None` for one that nobody else called.
pub fn of_counted(exact: &ExactFunctions, function: &ExactInLap) -> Option<String> {
    let others = function.callers.iter();
    let others = others.filter(|caller| caller.function != function.function);
    sentence(others.filter_map(|caller| {
        let known = exact.functions.get(caller.function)?;
        Some((
            crate::tables::functions::function_rows::counted_name(known),
            caller.total_ns,
        ))
    }))
}

/// Writes the sentence, with each caller's share where there are several.
fn sentence(callers: impl Iterator<Item = (String, u64)>) -> Option<String> {
    let mut callers: Vec<(String, u64)> = callers.collect();
    callers.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let all_ns = callers.iter().map(|(_, ns)| ns).total().max(1);
    let ratio = |ns: u64| ns as f64 / all_ns as f64;
    let (first, first_ns) = callers.first()?;
    if ratio(*first_ns) >= ALONE_RATIO {
        return Some(format!("called from {first}"));
    }
    let named = callers.iter().take(MOST);
    let named = named.filter(|(_, ns)| ratio(*ns) >= LEAST_RATIO);
    let named: Vec<String> = named
        .map(|(name, ns)| format!("{name} ({})", quantity::percent(ratio(*ns)).inline()))
        .collect();
    if named.is_empty() {
        let count = quantity::plural(callers.len() as u64, "function", "functions");
        return Some(format!("called from {count}, none of which stands out"));
    }
    Some(format!("called from {}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence_of(callers: &[(&str, u64)]) -> Option<String> {
        let callers = callers.iter();
        sentence(callers.map(|(name, ns)| ((*name).to_owned(), *ns)))
    }

    #[test]
    fn the_callers_with_most_of_the_time_are_named() {
        assert_eq!(sentence_of(&[]), None);
        assert_eq!(
            sentence_of(&[("a", 1), ("b", 99)]).unwrap(),
            "called from b"
        );
        assert_eq!(
            sentence_of(&[("a", 25), ("b", 70), ("c", 5)]).unwrap(),
            "called from b (70.0 %), a (25.0 %)"
        );
        let even: Vec<(&str, u64)> = (0..20).map(|_| ("a", 1)).collect();
        let said = sentence_of(&even).unwrap();
        assert_eq!(said, "called from 20 functions, none of which stands out");
    }
}
