//! Finds the moment when a metric of a recording first reaches a threshold: `laptime report --until`.
//!
//! Every value is looked at, not only those that a report's curve keeps. A process is read
//! twice: [`UntilReader::search`] finds the moment, [`UntilReader::count`] the steps and epochs
//! up to it. It ends in an [`UntilSummary`].

use std::collections::BTreeMap;

use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::{Anchors, PathId, PathTable, PhaseName, Span, Unavailable, path};

use super::question::{Until, UntilSummary};
use super::relation::Reached;

/// The name of the marks and spans that are epochs.
const EPOCH: &str = PhaseName::Epoch.text();

/// Reader that looks for the answer in one process.
#[derive(Debug, Clone)]
pub struct UntilReader {
    question: Until,
    anchors: Anchors,
    paths: PathTable,
    wanted: BTreeMap<PathId, bool>,
    values: u64,
    /// Values that reached the threshold or came nearest, by ticks and path.
    reached: Reached<(u64, PathId)>,
    steps: BTreeMap<(PathId, u32), u64>,
    epoch_marks: u64,
    epoch_spans: BTreeMap<u32, u64>,
}

impl UntilReader {
    /// Begins to read a process with its clock.
    pub fn new(anchors: Anchors, question: &Until) -> Self {
        Self {
            question: question.clone(),
            anchors,
            paths: PathTable::new(),
            wanted: BTreeMap::new(),
            values: 0,
            reached: Reached::new(),
            steps: BTreeMap::new(),
            epoch_marks: 0,
            epoch_spans: BTreeMap::new(),
        }
    }

    /// Returns the first pass, which takes in values of the metric.
    pub fn search(&mut self) -> Search<'_> {
        Search(self)
    }

    /// Returns the second pass, which counts steps and epochs up to the moment that was found; `None`
    /// where there is none. `anchors` are those of the whole process.
    pub fn count(&mut self, anchors: Anchors) -> Option<Count<'_>> {
        self.anchors = anchors;
        let ((until, _), _) = self.reached.first?;
        Some(Count {
            reader: self,
            until,
        })
    }

    fn take(&mut self, path: PathId, ticks: u64, value: f64) {
        let (paths, question) = (&self.paths, &self.question);
        let is_wanted = *self.wanted.entry(path).or_insert_with(|| {
            let names = paths.names(path);
            names.last() == Some(&question.metric.as_str())
                || path::join(names.iter().copied()) == question.metric
        });
        if is_wanted {
            self.values += 1;
            let (relation, threshold) = (question.relation, question.threshold);
            self.reached.take((ticks, path), value, relation, threshold);
        }
    }

    /// Returns the answer of all processes together; the earliest moment counts.
    pub fn answer(question: &Until, readers: &[Self], zero_ns: u64) -> UntilSummary {
        let mut reached = Reached::new();
        for (index, reader) in readers.iter().enumerate() {
            let timeline = reader.anchors.timeline();
            for ((ticks, path), value) in
                reader.reached.first.into_iter().chain(reader.reached.best)
            {
                let at_ns = timeline.monotonic_ns(ticks).saturating_sub(zero_ns);
                let (relation, threshold) = (question.relation, question.threshold);
                reached.take((at_ns, index, path), value, relation, threshold);
            }
        }
        let Reached { first, best } = reached;
        let reader = first.map(|((_, index, _), _)| &readers[index]);
        let mut why = BTreeMap::new();
        let mut absent = |field: &str, reason: &str| {
            why.insert(field.to_owned(), Unavailable(reason.to_owned()));
        };
        let steps = reader.and_then(|reader| reader.steps.values().copied().max());
        let epochs = reader.and_then(Self::epochs);
        if first.is_none() {
            for field in ["at_ns", "value", "steps", "epochs"] {
                absent(field, "the threshold was not reached");
            }
        } else {
            if steps.is_none() {
                absent("steps", "no span named \"step\" tells steps apart");
            }
            if epochs.is_none() {
                absent(
                    "epochs",
                    "no mark or span named \"epoch\" tells epochs apart",
                );
            }
        }
        if best.is_none() {
            absent("best", "no value is a finite number");
        }
        UntilSummary {
            question: question.to_string(),
            path: first
                .or(best)
                .map(|((_, index, path), _)| path::join(readers[index].paths.names(path))),
            is_reached: first.is_some(),
            at_ns: first.map(|((at_ns, ..), _)| at_ns),
            value: first.map(|(_, value)| value),
            steps,
            epochs,
            best: best.map(|(_, value)| value),
            best_at_ns: best.map(|((at_ns, ..), _)| at_ns),
            count: readers.iter().map(|reader| reader.values).sum(),
            why,
        }
    }

    /// Counts epochs by marks or, without any, by spans: the automatic phases set marks.
    fn epochs(&self) -> Option<u64> {
        let spans = self.epoch_spans.values().copied().max();
        [self.epoch_marks, spans.unwrap_or(0)]
            .into_iter()
            .find(|count| *count > 0)
    }

    fn span_name(&self, path: PathId) -> Option<&str> {
        self.paths.get(path).map(|entry| &*entry.name)
    }
}

/// Tells whether a name is that of steps, also of those whose operations were counted.
fn is_step(name: &str) -> bool {
    let phase = PhaseName::of(name).or_else(|| PhaseName::of_counted(name));
    phase == Some(PhaseName::Step)
}

/// The first pass over a process: values of the metric.
#[derive(Debug)]
pub struct Search<'r>(&'r mut UntilReader);

impl<'a> Visit<'a> for Search<'_> {
    fn plain_span(&mut self, _: PathId, _: u64, _: u64, _: u32) {}

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Metric {
                path, ticks, value, ..
            } => self.0.take(path, ticks, value),
            Record::Path { id, parent, name } => {
                self.0.paths.define(id, parent, name);
            }
            _ => {}
        }
    }
}

impl VisitProcess for Search<'_> {}
impl VisitProcess for Count<'_> {}

/// The second pass over a process: steps and epochs.
#[derive(Debug)]
pub struct Count<'r> {
    reader: &'r mut UntilReader,
    until: u64,
}

impl Count<'_> {
    fn span(&mut self, span: &Span) {
        let is_new = span.flags.is_whole();
        if !is_new {
            return;
        }
        let entry = self.reader.paths.get(span.path);
        let parent = entry.map_or(PathId::ROOT, |entry| entry.parent);
        match self.reader.span_name(span.path) {
            Some(name) if is_step(name) => {
                let is_done = span.start.saturating_add(span.duration) <= self.until;
                *self.reader.steps.entry((parent, span.track)).or_default() += u64::from(is_done);
            }
            Some(EPOCH) => {
                let began = u64::from(span.start < self.until);
                *self.reader.epoch_spans.entry(span.track).or_default() += began;
            }
            _ => {}
        }
    }
}

impl<'a> Visit<'a> for Count<'_> {
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Span(span) => self.span(&span),
            Record::Mark { path, ticks, .. }
                if ticks < self.until && self.reader.span_name(path) == Some(EPOCH) =>
            {
                self.reader.epoch_marks += 1;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "tests/search.rs"]
mod tests;
