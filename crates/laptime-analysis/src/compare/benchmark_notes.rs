//! What is said of two sides of benchmarks beside their numbers.

use std::collections::BTreeSet;

use laptime_core::Warning;

use super::comparison_row::{ComparisonRow, Presence};
use super::measured::Measured;
use crate::benchmark::verdict::Verdict;

/// Benchmarks that a sentence names.
const MOST_NAMES: usize = 3;

/// The first few of them, in words.
pub fn listed(names: &[&str]) -> String {
    let shown = &names[..names.len().min(MOST_NAMES)];
    match names.len() - shown.len() {
        _ if names.is_empty() => "none".to_owned(),
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

pub fn other_name((old, new): (&str, &str)) -> Warning {
    let message = format!(
        "each side has one benchmark, {old} and {new}: they are compared although their names differ"
    );
    Warning::new("other-name", message)
}

/// How many there are of each verdict, where the first line speaks of one of several.
pub fn tally(rows: &[ComparisonRow]) -> Option<Warning> {
    if rows.len() < 2 {
        return None;
    }
    let verdicts = [
        Verdict::Slower,
        Verdict::Faster,
        Verdict::Same,
        Verdict::Inconclusive,
        Verdict::NotComparable,
    ];
    let counted = verdicts.into_iter().filter_map(|verdict| {
        let count = rows
            .iter()
            .filter(|row| row.verdict == Some(verdict))
            .count();
        (count > 0).then(|| format!("{count} {}", verdict.name()))
    });
    let alone = rows
        .iter()
        .filter(|row| row.presence != Presence::Both)
        .count();
    let alone = (alone > 0).then(|| format!("{alone} on one side only"));
    let said: Vec<String> = counted.chain(alone).collect();
    let message = format!("of {} benchmarks: {}", rows.len(), said.join(", "));
    Some(Warning::new("several", message))
}

/// Times of two Pythons may be compared: an upgrade is something to measure.
pub fn pythons(base: &[Measured], new: &[Measured]) -> Option<Warning> {
    let of = |files: &[Measured]| -> BTreeSet<String> {
        let benchmarks = files.iter().flat_map(|file| &file.benchmarks);
        let machines = benchmarks.filter_map(|one| one.machine.as_ref());
        machines.filter_map(|one| one.python.clone()).collect()
    };
    let (base, new) = (of(base), of(new));
    let joined = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>().join(" and ");
    (!base.is_empty() && !new.is_empty() && base != new).then(|| {
        let (base, new) = (joined(&base), joined(&new));
        let message =
            format!("base ran with Python {base}, new with {new}: that may be part of the change");
        Warning::new("other-python", message)
    })
}

pub fn single(base: &[Measured], new: &[Measured]) -> Option<Warning> {
    (base.len() == 1 || new.len() == 1).then(|| {
        let message = "a side with one measurement can't tell how much two of the same program differ: these \
                       intervals are about the samples that were taken";
        let hint = "take turns where you can: laptime bench A B, or lt.compare({'a': f, 'b': g})";
        Warning::new("single-run", message.to_owned()).with_hint(hint)
    })
}
