//! Time of each path in each step, by which two recordings are compared.
//!
//! Inside of steps a value is the time of a path in one step, all its spans together; outside it is
//! that of one span. Only the steady state counts, where there is one. Memory is bounded by paths:
//! of many steps a random part is kept, whole steps with all that is in them, the same part
//! whichever way the recording is read ([`Sampled`]).
//!
//! A process is read twice more: [`StepPass`] finds the steps, [`DurationPass`] what is inside.

mod on_device;
mod random_choice;

use std::collections::BTreeMap;

use laptime_core::anchor::Rate;
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, PathId, Span, SpanFlags, path};

use crate::reading::process::Process;
use on_device::DeviceStepTimes;
use random_choice::{Piece, Sampled};

/// Most paths whose durations are stored; the others have their totals.
const MOST_PATHS: usize = 2_048;

/// Durations by printed path, in time order.
///
/// **Units** nanoseconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Durations {
    /// Durations of each path.
    pub by_path: BTreeMap<String, Vec<f64>>,
    /// Times from the start of one step to that of the next, by the path of the steps.
    pub periods: BTreeMap<String, Vec<f64>>,
    /// Durations of steps and of the spans inside of them by a device, where it tells the steps'.
    pub on_device: BTreeMap<String, Vec<f64>>,
}

impl Durations {
    /// Adds the durations of another process of the run, for paths that have none yet: processes that train
    /// together wait for each other, so their values are not further ones.
    pub(crate) fn complete(&mut self, other: Self) {
        for (path, values) in other.by_path {
            self.by_path.entry(path).or_insert(values);
        }
        for (path, values) in other.periods {
            self.periods.entry(path).or_insert(values);
        }
        for (path, values) in other.on_device {
            self.on_device.entry(path).or_insert(values);
        }
    }
}

/// The role of a path in the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Outside,
    Step,
    Inside,
}

/// The durations of one process while they are collected, in ticks.
#[derive(Debug)]
pub struct ProcessDurations {
    rate: Rate,
    /// Start of the steady state, in ticks.
    from: u64,
    step: Option<PathId>,
    /// The track that takes the steps.
    track: u32,
    roles: Vec<Role>,
    names: Vec<String>,
    taken: Sampled,
    /// Times from one step to the next, and the start of the latest step.
    periods: Sampled,
    latest: Option<u64>,
    /// The steps that are stored, by their starts.
    steps: Vec<Piece>,
    /// Time in each of these steps, by path.
    inside: BTreeMap<PathId, Vec<u64>>,
    outside: BTreeMap<PathId, Sampled>,
    on_device: DeviceStepTimes,
}

impl ProcessDurations {
    /// Begins with the paths and steps of a process that was read.
    pub(crate) fn new(process: &Process) -> Self {
        let series = process.features.steps.steps();
        let series = series.or_else(|| process.features.steps.repeated(process.spans.last_end));
        let step = series.map(|series| series.path);
        let paths = process.paths.iter();
        let most = paths.map(|(id, _)| id.index() + 1).max().unwrap_or(0);
        let mut roles = vec![Role::Outside; most];
        let mut names = vec![String::new(); most];
        for (id, entry) in process.paths.iter() {
            // A child's number is above its parent's.
            let around = roles[entry.parent.index()];
            if Some(id) == step {
                roles[id.index()] = Role::Step;
            } else if around != Role::Outside {
                roles[id.index()] = Role::Inside;
            }
            names[id.index()] = path::join(process.paths.names(id));
        }
        Self {
            rate: process.facts.anchors.rate(),
            from: process
                .spans
                .steady
                .as_ref()
                .map_or(0, |steady| steady.from),
            step,
            track: series.map_or(0, |series| series.track),
            roles,
            names,
            taken: Sampled::default(),
            periods: Sampled::default(),
            latest: None,
            steps: Vec::new(),
            inside: BTreeMap::new(),
            outside: BTreeMap::new(),
            on_device: DeviceStepTimes::default(),
        }
    }

    /// Returns the pass that finds the steps.
    pub(crate) fn step_pass(&mut self) -> StepPass<'_> {
        StepPass(self)
    }

    /// Returns the pass that finds the time inside of steps, and of spans elsewhere.
    pub(crate) fn duration_pass(&mut self) -> DurationPass<'_> {
        self.steps = std::mem::take(&mut self.taken).finish();
        DurationPass { of: self, at: 0 }
    }

    /// Returns the durations of each path in each step.
    pub(crate) fn finish(self) -> Durations {
        let on_device = self.seen_by_device();
        let ns = |ticks: u64| self.rate.nanoseconds(ticks) as f64;
        let mut by_path = BTreeMap::new();
        let name = |id: PathId| self.names.get(id.index()).cloned().unwrap_or_default();
        if let Some(step) = self.step {
            let each = self.steps.iter().map(|step| ns(step.duration));
            by_path.insert(name(step), each.collect());
        }
        for (id, sums) in &self.inside {
            // Where it does not run it has no duration.
            let ran = sums.iter().filter(|ticks| **ticks > 0);
            by_path.insert(name(*id), ran.map(|ticks| ns(*ticks)).collect());
        }
        for (id, sampled) in self.outside {
            let each = sampled.finish().into_iter();
            by_path.insert(
                self.names.get(id.index()).cloned().unwrap_or_default(),
                each.map(|piece| ns(piece.duration)).collect(),
            );
        }
        let mut periods = BTreeMap::new();
        if let Some(step) = self.step {
            let each = self.periods.finish().into_iter();
            let each: Vec<f64> = each.map(|piece| ns(piece.duration)).collect();
            if !each.is_empty() {
                let name = self.names.get(step.index()).cloned();
                periods.insert(name.unwrap_or_default(), each);
            }
        }
        Durations {
            by_path,
            periods,
            on_device,
        }
    }

    /// Returns the durations on a device; none where it doesn't tell those of the steps.
    fn seen_by_device(&self) -> BTreeMap<String, Vec<f64>> {
        let Some(step) = self.step else {
            return BTreeMap::new();
        };
        let Some(each) = self.on_device.durations(step, self.steps.len()) else {
            return BTreeMap::new();
        };
        let inside = self.inside.iter().filter_map(|(id, sums)| {
            let ran_in = sums.iter().filter(|ticks| **ticks > 0).count();
            Some((*id, self.on_device.durations(*id, ran_in)?))
        });
        let named = |(id, values): (PathId, _)| Some((self.names.get(id.index())?.clone(), values));
        let all = std::iter::once((step, each)).chain(inside);
        all.filter_map(named).collect()
    }

    fn role(&self, path: PathId) -> Role {
        let known = self.roles.get(path.index());
        known.copied().unwrap_or(Role::Outside)
    }
}

/// The pass that finds the steps.
#[derive(Debug)]
pub struct StepPass<'d>(&'d mut ProcessDurations);

impl StepPass<'_> {
    fn span(&mut self, span: &Span) {
        let of = &mut *self.0;
        let is_step = Some(span.path) == of.step && span.track == of.track;
        if is_step && counts(span, of.from) {
            of.taken.push(span);
            // A piece that goes on with a step begins no other one.
            if !span.flags.has(SpanFlags::CONTINUES)
                && let Some(before) = of.latest.replace(span.start)
                && before < span.start
            {
                of.periods.push_between(before, span.start);
            }
        }
    }
}

impl<'a> Visit<'a> for StepPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        if Some(path) == self.0.step {
            self.span(&Span::plain(path, start, duration, track));
        }
    }

    fn other(&mut self, record: Record<'a>) {
        if let Record::Span(span) = record {
            self.span(&span);
        }
    }
}

impl VisitProcess for StepPass<'_> {}

/// The pass that finds the time inside of steps, and of spans elsewhere.
#[derive(Debug)]
pub struct DurationPass<'d> {
    of: &'d mut ProcessDurations,
    /// The step of the span before: the next span is mostly in the same.
    at: usize,
}

impl DurationPass<'_> {
    #[inline]
    fn span(&mut self, span: &Span) {
        if !counts(span, self.of.from) {
            return;
        }
        match self.of.role(span.path) {
            Role::Step => {}
            Role::Inside => self.inside(span),
            Role::Outside => {
                let outside = &mut self.of.outside;
                if outside.len() < MOST_PATHS || outside.contains_key(&span.path) {
                    outside.entry(span.path).or_default().push(span);
                }
            }
        }
    }

    fn inside(&mut self, span: &Span) {
        let Some(at) = self.step_at(span.start) else {
            return;
        };
        let of = &mut *self.of;
        let inside = &mut of.inside;
        if inside.len() >= MOST_PATHS && !inside.contains_key(&span.path) {
            return;
        }
        let steps = of.steps.len();
        let sums = inside.entry(span.path).or_insert_with(|| vec![0; steps]);
        sums[at] = sums[at].saturating_add(span.duration);
    }

    fn on_device(&mut self, span: &DeviceSpan) {
        let is_of_steps = match self.of.role(span.path) {
            Role::Outside => false,
            Role::Step => span.track == self.of.track,
            Role::Inside => true,
        };
        if !is_of_steps || span.start < self.of.from {
            return;
        }
        let steps = self.of.steps.len();
        if let Some(at) = self.step_at(span.start) {
            self.of.on_device.add(span, at, steps, MOST_PATHS);
        }
    }

    /// Returns the stored step that a moment lies in.
    fn step_at(&mut self, ticks: u64) -> Option<usize> {
        let steps = &self.of.steps;
        // What begins as a step ends is in the next one, if that begins there too.
        let is_in = |at: usize| {
            let is_later = steps.get(at + 1).is_some_and(|next| next.start <= ticks);
            let step = steps.get(at).filter(|_| !is_later);
            step.is_some_and(|step| (step.start..=step.end).contains(&ticks))
        };
        if !is_in(self.at) {
            self.at = steps
                .partition_point(|step| step.start <= ticks)
                .checked_sub(1)?;
        }
        is_in(self.at).then_some(self.at)
    }
}

impl<'a> Visit<'a> for DurationPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Span(span) => self.span(&span),
            Record::DeviceSpan(span) => self.on_device(&span),
            _ => {}
        }
    }
}

impl VisitProcess for DurationPass<'_> {}

/// Tells whether a span is whole, and inside of the steady state.
fn counts(span: &Span, from: u64) -> bool {
    span.start >= from && !span.flags.has(SpanFlags::UNFINISHED)
}

#[cfg(test)]
#[path = "tests/step_durations.rs"]
mod tests;
