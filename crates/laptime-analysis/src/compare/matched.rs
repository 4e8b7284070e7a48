//! The paths of two sides, matched by name, and what is compared of each.

use std::collections::HashMap;

use serde::Serialize;

use super::run::Run;
use crate::benchmark::verdict::{Judged, Side, judge_measured};
use crate::summary::noun;
use crate::summary::span_row::{RowKind, SpanRow};

/// What differences are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// A step, or whatever both sides repeat.
    Step,
    /// The whole run: the sides repeat nothing, or different things.
    Run,
    /// An iteration of a benchmark: the sides are files of samples.
    Benchmark,
}

/// A path and its rows on both sides: one for each run that has it.
#[derive(Debug)]
pub struct Paths<'r> {
    /// The names from the outermost to its own.
    pub names: &'r [String],
    /// The path, printed.
    pub path: &'r str,
    /// Spans, or what is left over.
    pub kind: RowKind,
    /// Name of the module's class, where it is a network's.
    pub module_class: &'r str,
    /// The base's runs that have it.
    pub base: Vec<(&'r Run, &'r SpanRow)>,
    /// The other side's.
    pub new: Vec<(&'r Run, &'r SpanRow)>,
}

impl Paths<'_> {
    /// Whether both sides have it.
    pub fn are_both(&self) -> bool {
        !self.base.is_empty() && !self.new.is_empty()
    }

    /// The verdict on it; `None` where a side lacks it.
    pub fn judge(&self, threshold_ratio: f64) -> Option<Judged> {
        let (base, new) = (side(&self.base), side(&self.new));
        self.are_both()
            .then(|| judge_measured(&base, &new, threshold_ratio))
    }
}

/// Two sides with their paths.
#[derive(Debug)]
pub struct Matched<'r> {
    /// The base's runs.
    pub base: &'r [Run],
    /// The other side's.
    pub new: &'r [Run],
    is_steady: bool,
    step: Option<String>,
    /// How many each run has, in the order of [`Self::runs`].
    step_counts: Vec<u64>,
    rows: Vec<Paths<'r>>,
}

impl<'r> Matched<'r> {
    /// Matches the paths of all runs.
    pub fn new(base: &'r [Run], new: &'r [Run]) -> Self {
        let is_steady = base
            .iter()
            .chain(new)
            .all(|run| run.summary.steady.is_some());
        let mut matched = Self {
            base,
            new,
            is_steady,
            step: None,
            step_counts: Vec::new(),
            rows: Vec::new(),
        };
        let steps = matched.runs().map(|run| repeated(run, is_steady));
        matched.step = common(steps).map(str::to_owned);
        matched.step_counts = matched.runs().map(|run| matched.steps_of(run)).collect();
        matched.rows = matched.paths();
        matched
    }

    /// Runs of both sides.
    pub fn runs(&self) -> impl Iterator<Item = &'r Run> + use<'r> {
        self.base.iter().chain(self.new)
    }

    /// Whether warm-up is left out.
    pub fn is_steady(&self) -> bool {
        self.is_steady
    }

    /// The path of the steps that all runs have.
    pub fn step(&self) -> Option<&str> {
        self.step.as_deref()
    }

    /// What differences are of.
    pub fn basis(&self) -> Basis {
        self.step.as_ref().map_or(Basis::Run, |_| Basis::Step)
    }

    /// What one of these is called.
    pub fn noun(&self) -> &str {
        self.step.as_deref().map_or("run", noun)
    }

    /// All paths of either side, in tree order.
    pub fn rows(&self) -> &[Paths<'r>] {
        &self.rows
    }

    /// The paths of this name.
    pub fn find(&self, path: &str) -> Option<&Paths<'r>> {
        self.rows.iter().find(|paths| paths.path == path)
    }

    /// What its times are divided by: the steps of a run, or 1.
    pub fn steps(&self, run: &Run) -> f64 {
        let at = self.runs().position(|one| std::ptr::eq(one, run));
        let count = at.and_then(|at| self.step_counts.get(at).copied());
        count.unwrap_or(1).max(1) as f64
    }

    fn steps_of(&self, run: &Run) -> u64 {
        let mut rows = rows_of(run, self.is_steady).iter();
        let step = self
            .step()
            .and_then(|step| rows.find(|row| row.path == step));
        step.and_then(|row| row.count).unwrap_or(1)
    }

    /// Rows of all runs by path. One side's own rows stand behind the row before them, on that side.
    fn paths(&self) -> Vec<Paths<'r>> {
        let (is_steady, has_steps) = (self.is_steady, self.step.is_some());
        let rows = |run: &'r Run| {
            let rows = rows_of(run, is_steady).iter();
            rows.filter(move |row| row.kind == RowKind::Span || !has_steps)
        };
        let mut order = Order::default();
        for run in self.runs() {
            let mut behind = None;
            for row in rows(run) {
                behind = Some(order.stand(row, behind));
            }
        }
        let order = order.rows();
        let at = order.iter().enumerate();
        let at: HashMap<&str, usize> = at.map(|(index, row)| (row.path.as_str(), index)).collect();
        let mut paths: Vec<Paths<'r>> = order.iter().map(|row| of_row(row)).collect();
        for (run, is_base) in
            (self.base.iter().map(|run| (run, true))).chain(self.new.iter().map(|run| (run, false)))
        {
            for row in rows(run) {
                let Some(paths) = at.get(row.path.as_str()).map(|at| &mut paths[*at]) else {
                    continue;
                };
                let side = if is_base {
                    &mut paths.base
                } else {
                    &mut paths.new
                };
                side.push((run, row));
            }
        }
        paths
    }
}

/// Rows in the order of several runs: a chain, in which a row is put behind another.
#[derive(Debug, Default)]
struct Order<'r> {
    /// A row, and the one behind it.
    links: Vec<(&'r SpanRow, Option<usize>)>,
    first: Option<usize>,
    known: HashMap<&'r str, usize>,
}

impl<'r> Order<'r> {
    /// The place of a row's path: where it stands or, for a new one, behind another or before all.
    fn stand(&mut self, row: &'r SpanRow, behind: Option<usize>) -> usize {
        if let Some(known) = self.known.get(row.path.as_str()) {
            return *known;
        }
        let place = self.links.len();
        let next = match behind.and_then(|behind| self.links.get_mut(behind)) {
            Some((_, next)) => next,
            None => &mut self.first,
        };
        let after = next.replace(place);
        self.links.push((row, after));
        self.known.insert(&row.path, place);
        place
    }

    fn rows(&self) -> Vec<&'r SpanRow> {
        let mut at = self.first;
        let next = std::iter::from_fn(|| {
            let (row, after) = *self.links.get(at?)?;
            at = after;
            Some(row)
        });
        next.collect()
    }
}

/// What a side has of a path, as what verdicts rest on: each run's durations, or its mean.
pub fn side(of: &[(&Run, &SpanRow)]) -> Side {
    let units = of.iter().filter_map(|(run, row)| {
        let known = run.durations.by_path.get(&row.path);
        let mean = || row.mean_ns.map(|ns| vec![ns as f64]);
        let whole = || (row.kind == RowKind::Leftover).then(|| vec![row.total_ns as f64]);
        known
            .filter(|values| !values.is_empty() && row.kind == RowKind::Span)
            .cloned()
            .or_else(mean)
            .or_else(whole)
    });
    Side {
        units: units.collect(),
    }
}

fn of_row(row: &SpanRow) -> Paths<'_> {
    Paths {
        names: &row.names,
        path: &row.path,
        kind: row.kind,
        module_class: &row.module_class,
        base: Vec::new(),
        new: Vec::new(),
    }
}

/// The rows that are compared.
pub fn rows_of(run: &Run, is_steady: bool) -> &[SpanRow] {
    match &run.summary.steady {
        Some(steady) if is_steady => &steady.rows,
        _ => &run.summary.rows,
    }
}

/// The path of what a run repeats.
fn repeated(run: &Run, is_steady: bool) -> Option<&str> {
    let steady = run.summary.steady.as_ref();
    let known = steady.map(|steady| steady.step_path.as_str());
    let path = known.or_else(|| Some(run.summary.repeated()?.0.path.as_str()))?;
    let mut rows = rows_of(run, is_steady).iter();
    rows.any(|row| row.path == path && row.kind == RowKind::Span)
        .then_some(path)
}

/// What all of them are; `None` where two differ.
fn common<'p>(mut all: impl Iterator<Item = Option<&'p str>>) -> Option<&'p str> {
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}
