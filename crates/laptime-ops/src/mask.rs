//! What a mask leaves of attention's products, where a call's arguments don't say it.
//!
//! A feed that follows scores from their product through the mask and the softmax learns it later
//! than it hands the product over. [`crate::Ledger::mask`] takes it up: the active part becomes
//! smaller, or a warning says that it is dense because nobody knows better.

use std::collections::{BTreeMap, BTreeSet};

use laptime_core::Warning;

/// Which of a product's scores a mask leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// So many of so many.
    Part {
        /// Left.
        active: u128,
        /// All.
        all: u128,
    },
    /// Nobody knows, and why: a phrase in lower case that follows "as".
    Unknown(String),
}

impl Left {
    /// What is left of so much.
    pub fn of(&self, whole: u128) -> u128 {
        match *self {
            Self::Part { active, all } if all > 0 => {
                let active = active.min(all);
                // Shares first: products of sizes can be larger than a number holds.
                let rest = (whole % all).saturating_mul(active) / all;
                (whole / all).saturating_mul(active).saturating_add(rest)
            }
            _ => whole,
        }
    }
}

/// Modules that a warning names; it says how many more there are.
const NAMED: usize = 3;

/// Calls whose active part is dense because their mask isn't known.
#[derive(Debug, Default)]
pub struct Unmasked {
    calls: BTreeMap<(String, String), (u64, BTreeSet<String>)>,
}

impl Unmasked {
    /// Adds calls of an operator in a module.
    pub fn add(&mut self, name: &str, reason: &str, module: &str, times: u64) {
        let key = (name.to_owned(), reason.to_owned());
        let (calls, modules) = self.calls.entry(key).or_default();
        *calls = calls.saturating_add(times);
        if !module.is_empty() {
            modules.insert(module.to_owned());
        }
    }

    /// A warning for each operator and reason.
    pub fn warnings(self) -> impl Iterator<Item = Warning> {
        self.calls
            .into_iter()
            .map(|((name, reason), (calls, modules))| {
                let call = if calls == 1 { "call" } else { "calls" };
                let mut places: Vec<String> = modules.iter().take(NAMED).cloned().collect();
                if modules.len() > NAMED {
                    places.push(format!("{} more", modules.len() - NAMED));
                }
                let places = if places.is_empty() {
                    String::new()
                } else {
                    format!(" in {}", places.join(", "))
                };
                let message = format!(
                    "active FLOP of {calls} {call} of attention are dense, because {reason}: \
                     {name}{places}"
                );
                Warning::new("active-dense", message)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_product_is_exact_where_it_can_be_and_never_more_than_the_whole() {
        // 136 of 256 pairs of 16 queries and 16 keys; 2 heads, 16 elements each.
        let causal = Left::Part {
            active: 136,
            all: 256,
        };
        assert_eq!(causal.of(2 * 256 * 16), 2 * 136 * 16);
        assert_eq!(causal.of(u128::MAX / 2) / 136, u128::MAX / 2 / 256);
        assert_eq!(Left::Part { active: 9, all: 4 }.of(8), 8);
        assert_eq!(Left::Part { active: 0, all: 0 }.of(8), 8);
        assert_eq!(Left::Unknown("its mask is data".into()).of(8), 8);
    }

    #[test]
    fn a_warning_names_the_operator_its_calls_and_a_few_modules() {
        let mut unmasked = Unmasked::default();
        for layer in 0..5 {
            unmasked.add("aten::bmm", "its mask is data", &format!("h.{layer}"), 2);
        }
        unmasked.add("aten::mm", "its mask is data", "", 1);
        let said: Vec<String> = unmasked.warnings().map(|it| it.message).collect();
        assert_eq!(
            said,
            [
                "active FLOP of 10 calls of attention are dense, because its mask is data: \
                 aten::bmm in h.0, h.1, h.2, 2 more",
                "active FLOP of 1 call of attention are dense, because its mask is data: aten::mm",
            ]
        );
    }
}
