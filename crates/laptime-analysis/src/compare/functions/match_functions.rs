//! Matches the functions of two sides: by name and file, as lines move from version to version.
//!
//! What is left on both sides is matched by less, as long as it is the only one on each side: by its name and the name of
//! its file, as a checkout may stand in another folder, and two versions of a script have other names; by its name, as a function may move; and, where one function is
//! gone and another one is new in the same file and called by the same functions, by its place.

use std::collections::{BTreeMap, BTreeSet};

use laptime_core::short_file;

use crate::summary::call_tree::CallKind;

/// A function with what it is called on each side that has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Matched {
    /// The base's function.
    pub base: Option<CallKind>,
    /// The new side's function.
    pub new: Option<CallKind>,
}

/// Functions of one side, with those that called them.
pub type Callers<'c> = BTreeMap<&'c CallKind, BTreeSet<&'c CallKind>>;

/// The functions of one side.
#[derive(Debug)]
pub struct SideFunctions<'c> {
    /// The functions with those that called them.
    pub callers: Callers<'c>,
    /// Names of the side's programs: the file of such a name is the main script.
    pub programs: Vec<&'c str>,
}

impl SideFunctions<'_> {
    /// Returns the file of a function, in its short form and the same for the main script of any name; `None` for a
    /// function of a package.
    fn file(&self, call: &CallKind) -> Option<String> {
        let file = short_file(call.own()?.1);
        let name = file.rsplit('/').next().unwrap_or(file);
        Some(if self.programs.contains(&name) {
            MAIN_SCRIPT.to_owned()
        } else {
            file.to_owned()
        })
    }
}

/// A file name that no file has.
const MAIN_SCRIPT: &str = "/";

/// Returns what a function of a side is matched by; `None` for one that isn't matched by that.
type Key = fn(&SideFunctions<'_>, &CallKind) -> Option<Vec<String>>;

/// Matches the functions of two sides.
pub fn match_functions(base: &SideFunctions<'_>, new: &SideFunctions<'_>) -> Vec<Matched> {
    let mut pairs: BTreeMap<&CallKind, &CallKind> = BTreeMap::new();
    let mut old: BTreeSet<&CallKind> = base.callers.keys().copied().collect();
    let mut added: BTreeSet<&CallKind> = new.callers.keys().copied().collect();
    for call in base.callers.keys() {
        if added.remove(call) {
            old.remove(call);
            pairs.insert(call, call);
        }
    }
    for key in KEYS {
        for (one, other) in only_ones((base, &old), (new, &added), key) {
            old.remove(one);
            added.remove(other);
            pairs.insert(one, other);
        }
    }
    for (one, other) in replaced(&old, &added, base, new, &pairs) {
        old.remove(one);
        added.remove(other);
        pairs.insert(one, other);
    }
    let both = pairs
        .into_iter()
        .map(|(one, other)| (Some(one), Some(other)));
    let gone = old.into_iter().map(|one| (Some(one), None));
    let came = added.into_iter().map(|other| (None, Some(other)));
    let all = both.chain(gone).chain(came);
    all.map(|(base, new)| Matched {
        base: base.cloned(),
        new: new.cloned(),
    })
    .collect()
}

/// Marks that functions are matched by, the surest first.
const KEYS: [Key; 2] = [
    |side, call| Some(vec![call.own()?.0.to_owned(), side.file(call)?]),
    |_, call| {
        let name = call.own()?.0;
        // Code outside of functions has no name to know it by.
        (!name.is_empty() && !name.starts_with('<')).then(|| vec![name.to_owned()])
    },
];

/// Returns the functions with a key that one function of each side has, and no other of what is left.
fn only_ones<'c>(
    old: (&SideFunctions<'_>, &BTreeSet<&'c CallKind>),
    added: (&SideFunctions<'_>, &BTreeSet<&'c CallKind>),
    key: Key,
) -> Vec<(&'c CallKind, &'c CallKind)> {
    let group = |(side, calls): (&SideFunctions<'_>, &BTreeSet<&'c CallKind>)| {
        let mut groups: BTreeMap<Vec<String>, Vec<&'c CallKind>> = BTreeMap::new();
        for call in calls {
            if let Some(key) = key(side, call) {
                groups.entry(key).or_default().push(call);
            }
        }
        groups
    };
    let (old, added) = (group(old), group(added));
    let pairs = old
        .iter()
        .filter_map(|(key, one)| match (&one[..], &added.get(key)?[..]) {
            ([one], [other]) => Some((*one, *other)),
            _ => None,
        });
    pairs.collect()
}

/// Returns functions that are gone with the new ones that stand in their place.
fn replaced<'c>(
    old: &BTreeSet<&'c CallKind>,
    added: &BTreeSet<&'c CallKind>,
    base: &SideFunctions<'c>,
    new: &SideFunctions<'c>,
    pairs: &BTreeMap<&'c CallKind, &'c CallKind>,
) -> Vec<(&'c CallKind, &'c CallKind)> {
    let renamed = |callers: &BTreeSet<&'c CallKind>| -> BTreeSet<&'c CallKind> {
        let each = callers.iter();
        each.map(|call| pairs.get(call).copied().unwrap_or(call))
            .collect()
    };
    let is_alike = |one: &CallKind, other: &CallKind| {
        let is_called_alike = || {
            let (Some(before), Some(now)) = (base.callers.get(one), new.callers.get(other)) else {
                return false;
            };
            !before.is_empty() && renamed(before) == *now
        };
        let (before, now) = (base.file(one), new.file(other));
        before.is_some() && before == now && is_called_alike()
    };
    let pairs = old.iter().filter_map(|one| {
        let mut alike = added.iter().filter(|other| is_alike(one, other));
        let (Some(other), None) = (alike.next(), alike.next()) else {
            return None;
        };
        let same = old.iter().filter(|one| is_alike(one, other)).count();
        (same == 1).then_some((*one, *other))
    });
    pairs.collect()
}

#[cfg(test)]
#[path = "tests/match_functions.rs"]
mod tests;
