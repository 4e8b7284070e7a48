//! Two sides of recordings, with their paths matched by name.

use std::collections::HashMap;

use super::difference_unit::Basis;
use super::recording::Run;
use super::row_order::RowOrder;
use crate::benchmark::verdict::{Judged, Side, judge_measured};
use crate::summary::noun;
use crate::summary::span_row::{RowKind, SpanRow};

/// A path with its rows on both sides, one for each run that has it.
#[derive(Debug)]
pub struct PathRows<'r> {
    /// Names from the outermost to its own.
    pub names: &'r [String],
    /// The path, as it is printed.
    pub path: &'r str,
    /// Whether these are spans or leftover time.
    pub kind: RowKind,
    /// Name of the module's class, where it is a network's module.
    pub module_class: &'r str,
    /// Runs of the base that have it, with their rows.
    pub base: Vec<(&'r Run, &'r SpanRow)>,
    /// Runs of the other side that have it, with their rows.
    pub new: Vec<(&'r Run, &'r SpanRow)>,
}

impl PathRows<'_> {
    /// Tells whether both sides have the path.
    pub fn are_both(&self) -> bool {
        !self.base.is_empty() && !self.new.is_empty()
    }

    /// Judges the path; `None` where a side lacks it.
    pub fn judge(&self, threshold_ratio: f64) -> Option<Judged> {
        let (base, new) = (run_durations(&self.base), run_durations(&self.new));
        self.are_both()
            .then(|| judge_measured(&base, &new, threshold_ratio))
    }
}

/// Two sides with their paths.
#[derive(Debug)]
pub struct Sides<'r> {
    /// Runs of the base.
    pub base: &'r [Run],
    /// Runs of the other side.
    pub new: &'r [Run],
    is_steady: bool,
    step: Option<String>,
    /// Steps of each run, in the order of [`Self::runs`].
    step_counts: Vec<u64>,
    rows: Vec<PathRows<'r>>,
}

impl<'r> Sides<'r> {
    /// Matches the paths of all runs.
    pub fn new(base: &'r [Run], new: &'r [Run]) -> Self {
        let is_steady = base
            .iter()
            .chain(new)
            .all(|run| run.summary.steady.is_some());
        let mut sides = Self {
            base,
            new,
            is_steady,
            step: None,
            step_counts: Vec::new(),
            rows: Vec::new(),
        };
        let steps = sides.runs().map(|run| repeated(run, is_steady));
        sides.step = common(steps).map(str::to_owned);
        sides.step_counts = sides.runs().map(|run| sides.step_count(run)).collect();
        sides.rows = sides.paths();
        sides
    }

    /// Iterates over the runs of both sides.
    pub fn runs(&self) -> impl Iterator<Item = &'r Run> + use<'r> {
        self.base.iter().chain(self.new)
    }

    /// Tells whether warm-up is left out.
    pub fn is_steady(&self) -> bool {
        self.is_steady
    }

    /// Returns the path of the steps that all runs have.
    pub fn step(&self) -> Option<&str> {
        self.step.as_deref()
    }

    /// Returns the unit that differences are given for.
    pub fn basis(&self) -> Basis {
        self.step.as_ref().map_or(Basis::Run, |_| Basis::Step)
    }

    /// Returns the name for one such unit, as `step` or `run`.
    pub fn noun(&self) -> &str {
        self.step.as_deref().map_or("run", noun)
    }

    /// Lists all paths of either side, in tree order.
    pub fn rows(&self) -> &[PathRows<'r>] {
        &self.rows
    }

    /// Returns a path with its rows.
    pub fn find(&self, path: &str) -> Option<&PathRows<'r>> {
        self.rows.iter().find(|paths| paths.path == path)
    }

    /// Returns the number by which a run's times are divided: its steps, or 1.
    pub fn steps(&self, run: &Run) -> f64 {
        let at = self.runs().position(|one| std::ptr::eq(one, run));
        let count = at.and_then(|at| self.step_counts.get(at).copied());
        count.unwrap_or(1).max(1) as f64
    }

    fn step_count(&self, run: &Run) -> u64 {
        let mut rows = compared_rows(run, self.is_steady).iter();
        let step = self
            .step()
            .and_then(|step| rows.find(|row| row.path == step));
        step.and_then(|row| row.count).unwrap_or(1)
    }

    /// Lists the rows of all runs by path. One side's own rows stand behind the row before them, on that side.
    fn paths(&self) -> Vec<PathRows<'r>> {
        let (is_steady, has_steps) = (self.is_steady, self.step.is_some());
        let rows = |run: &'r Run| {
            let rows = compared_rows(run, is_steady).iter();
            rows.filter(move |row| row.kind == RowKind::Span || !has_steps)
        };
        let mut order = RowOrder::default();
        for run in self.runs() {
            let mut behind = None;
            for row in rows(run) {
                behind = Some(order.place(row, behind));
            }
        }
        let order = order.rows();
        let at = order.iter().enumerate();
        let at: HashMap<&str, usize> = at.map(|(index, row)| (row.path.as_str(), index)).collect();
        let mut paths: Vec<PathRows<'r>> = order.iter().map(|row| without_runs(row)).collect();
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

/// Returns the values on which verdicts rest: of each run its durations, or their mean.
pub fn run_durations(rows: &[(&Run, &SpanRow)]) -> Side {
    let units = rows.iter().filter_map(|(run, row)| {
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

fn without_runs(row: &SpanRow) -> PathRows<'_> {
    PathRows {
        names: &row.names,
        path: &row.path,
        kind: row.kind,
        module_class: &row.module_class,
        base: Vec::new(),
        new: Vec::new(),
    }
}

/// Returns the rows of a run that are compared.
fn compared_rows(run: &Run, is_steady: bool) -> &[SpanRow] {
    match &run.summary.steady {
        Some(steady) if is_steady => &steady.rows,
        _ => &run.summary.rows,
    }
}

/// Returns the path that a run repeats.
fn repeated(run: &Run, is_steady: bool) -> Option<&str> {
    let steady = run.summary.steady.as_ref();
    let known = steady.map(|steady| steady.step_path.as_str());
    let path = known.or_else(|| Some(run.summary.repeated()?.0.path.as_str()))?;
    let mut rows = compared_rows(run, is_steady).iter();
    rows.any(|row| row.path == path && row.kind == RowKind::Span)
        .then_some(path)
}

/// Returns the path that all of them are; `None` where two differ.
fn common<'p>(mut all: impl Iterator<Item = Option<&'p str>>) -> Option<&'p str> {
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}
