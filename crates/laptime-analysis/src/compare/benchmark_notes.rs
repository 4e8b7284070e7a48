//! Decides what a reader must know before the numbers of compared benchmarks are believed.

use std::collections::BTreeSet;

use super::benchmark_samples::SampleFile;
use super::comparison_row::{ComparisonRow, Presence};
use super::note::Note;
use crate::benchmark::verdict::Verdict;

/// Verdicts in the order in which they are counted.
const VERDICTS: [Verdict; 5] = [
    Verdict::Slower,
    Verdict::Faster,
    Verdict::Same,
    Verdict::Inconclusive,
    Verdict::NotComparable,
];

/// Counts the benchmarks of each verdict, where the first line speaks of one of several.
pub fn tally(rows: &[ComparisonRow]) -> Option<Note> {
    if rows.len() < 2 {
        return None;
    }
    let counted = VERDICTS.into_iter().map(|verdict| {
        let having = rows.iter().filter(|row| row.verdict == Some(verdict));
        (verdict, having.count())
    });
    let alone = rows.iter().filter(|row| row.presence != Presence::Both);
    Some(Note::Tally {
        benchmarks: rows.len(),
        verdicts: counted.filter(|(_, count)| *count > 0).collect(),
        on_one_side: alone.count(),
    })
}

/// Notes different versions of Python. Their times may be compared: an upgrade is something to measure.
pub fn other_python(base: &[SampleFile], new: &[SampleFile]) -> Option<Note> {
    let [base, new] = [base, new].map(|files| -> Vec<String> {
        let benchmarks = files.iter().flat_map(|file| &file.benchmarks);
        let machines = benchmarks.filter_map(|one| one.machine.as_ref());
        let versions: BTreeSet<String> = machines.filter_map(|one| one.python.clone()).collect();
        versions.into_iter().collect()
    });
    let differ = !base.is_empty() && !new.is_empty() && base != new;
    differ.then_some(Note::OtherPython { base, new })
}

/// Notes a side with one measurement.
pub fn single_measurement(base: &[SampleFile], new: &[SampleFile]) -> Option<Note> {
    (base.len() == 1 || new.len() == 1).then_some(Note::SingleMeasurement)
}
