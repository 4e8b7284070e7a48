//! The energy of laps: of each path the sum over its spans, where each of them is long enough.
//!
//! A pass of its own over the spans, once the counters of all devices are known. A span that is too short, or
//! that was not sampled from its start to its end, leaves its path without: a sum over the others would be
//! taken for all of them. Energy is that of all devices that the process used.

use std::collections::BTreeMap;

use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::{PathId, SpanFlags, path};

use super::energy::{NoEnergy, Series};
use super::energy_by_path::{EnergyByPath, PathEnergy};
use crate::reading::process::Process;
use crate::reading::read_again::Finish;
use crate::summary::Steady;
use crate::summary::fields::Group;
use crate::summary::span_row::{RowKind, SpanRow};

/// Finds the energy of one process's spans.
#[derive(Debug)]
pub struct EnergyPass<'p> {
    process: &'p mut Process,
    /// Counters of its devices, and the least length of a span for each.
    counters: Vec<Series>,
    shortest: u64,
    steady_from: u64,
    found: EnergyByPath,
}

impl<'p> EnergyPass<'p> {
    /// Begins the pass; `None` where no device has an energy counter.
    pub fn begin(process: &'p mut Process) -> Option<Self> {
        process
            .features
            .devices
            .has_energy()
            .then(|| Self::new(process))
    }

    fn new(process: &'p mut Process) -> Self {
        let devices = || process.features.devices.0.values();
        Self {
            counters: devices()
                .filter_map(|device| device.energy.series())
                .collect(),
            shortest: devices()
                .filter_map(|device| device.energy.shortest())
                .min()
                .unwrap_or(u64::MAX),
            steady_from: process
                .spans
                .steady
                .as_ref()
                .map_or(u64::MAX, |steady| steady.from),
            found: EnergyByPath::default(),
            process,
        }
    }

    #[inline]
    fn span(&mut self, path: PathId, start: u64, duration: u64) {
        let found = if duration < self.shortest {
            Err(NoEnergy::TooShort)
        } else {
            let end = start.saturating_add(duration);
            let each = self.counters.iter();
            each.map(|counter| counter.between(start, end)).sum()
        };
        self.add(path, start, found);
    }

    fn add(&mut self, path: PathId, start: u64, found: Result<f64, NoEnergy>) {
        self.found.all.entry(path).or_default().add(found);
        if start >= self.steady_from {
            self.found.steady.entry(path).or_default().add(found);
        }
    }
}

impl Finish for EnergyPass<'_> {
    fn finish(self) {
        self.process.features.energy = self.found;
    }
}

impl<'a> Visit<'a> for EnergyPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, _: u32) {
        self.span(path, start, duration);
    }

    fn other(&mut self, record: Record<'a>) {
        let Record::Span(span) = record else {
            return;
        };
        if span.flags.has(SpanFlags::CONTINUES) || span.flags.has(SpanFlags::SUSPENDED) {
            self.add(span.path, span.start, Err(NoEnergy::InPieces));
        } else if !span.flags.has(SpanFlags::UNFINISHED) {
            self.span(span.path, span.start, span.duration);
        }
    }
}

impl VisitProcess for EnergyPass<'_> {}

/// Fills in the energy of all rows, or why it isn't told.
pub fn fill(rows: &mut [SpanRow], steady: Option<&mut Steady>, processes: &[Process]) {
    fill_of(rows, processes, |laps| &laps.all);
    if let Some(steady) = steady {
        fill_of(&mut steady.rows, processes, |laps| &laps.steady);
    }
}

fn fill_of(
    rows: &mut [SpanRow],
    processes: &[Process],
    of: impl Fn(&EnergyByPath) -> &BTreeMap<PathId, PathEnergy>,
) {
    let mut merged: BTreeMap<String, PathEnergy> = BTreeMap::new();
    let sampled = processes.iter();
    for process in sampled.filter(|process| process.features.devices.has_energy()) {
        for (id, energy) in of(&process.features.energy) {
            let name = path::join(process.paths.names(*id));
            merged.entry(name).or_default().merge(*energy);
        }
    }
    for row in rows.iter_mut().filter(|row| row.kind == RowKind::Span) {
        match merged.get(&row.path) {
            Some(energy) if energy.lacks.is_none() => row.device_energy_j = Some(energy.mj / 1e3),
            Some(PathEnergy {
                lacks: Some(why), ..
            }) => Group::Energy.explain(row, why.reason()),
            _ => {}
        }
    }
}
