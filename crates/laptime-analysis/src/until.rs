//! When a metric of a recording first reaches a threshold: `laptime report --until`.
//!
//! Every value is looked at, not only those that a report's curve keeps. A process is read
//! twice: [`UntilReader::search`] finds the moment, [`UntilReader::count`] the steps and epochs
//! up to it. What comes of it is an [`UntilSummary`].

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::{Anchors, PathId, PathTable, PhaseName, Span, Unavailable, path};
use serde::{Deserialize, Serialize};

use crate::convergence::Relation;

/// The name of the marks and spans that are epochs.
const EPOCH: &str = PhaseName::Epoch.text();

/// A question such as `test_acc >= 0.95`.
#[derive(Debug, Clone, PartialEq)]
pub struct Until {
    /// A metric's name or path.
    pub metric: String,
    /// On which side of the threshold it is to be.
    pub relation: Relation,
    /// The threshold, in the metric's unit.
    pub threshold: f64,
}

impl FromStr for Until {
    type Err = String;

    /// The name may hold anything: the last relation counts.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no question like 'test_acc >= 0.95' (<, <=, >, >=)");
        let at = text.rfind(['<', '>']).ok_or_else(wrong)?;
        let (metric, rest) = text.split_at(at);
        let (name, relation) = *Relation::NAMES
            .iter()
            .find(|(name, _)| rest.starts_with(name))
            .ok_or_else(wrong)?;
        let threshold: f64 = rest[name.len()..].trim().parse().map_err(|_| wrong())?;
        let metric = metric.trim().to_owned();
        if metric.is_empty() || !threshold.is_finite() {
            return Err(wrong());
        }
        Ok(Self {
            metric,
            relation,
            threshold,
        })
    }
}

impl fmt::Display for Until {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relation = self.relation.name();
        write!(to, "{} {relation} {}", self.metric, self.threshold)
    }
}

/// The answer to one question. Moments are nanoseconds since the start of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UntilSummary {
    /// The question, as `test_acc >= 0.95`.
    pub question: String,
    /// Path of the metric that reached the threshold, or else came nearest.
    pub path: Option<String>,
    /// Whether the threshold was reached.
    pub is_reached: bool,
    /// When it was reached first.
    pub at_ns: Option<u64>,
    /// The value that reached it.
    pub value: Option<f64>,
    /// Steps finished by then in the process that reached it, on the track that took most of them.
    pub steps: Option<u64>,
    /// Epochs begun by then in that process.
    pub epochs: Option<u64>,
    /// The best finite value of the whole run.
    pub best: Option<f64>,
    /// When that stood first.
    pub best_at_ns: Option<u64>,
    /// Values looked at.
    pub count: u64,
    /// Why numbers are absent: by field name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub why: BTreeMap<String, Unavailable>,
}

/// A value of a metric and its moment in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    path: PathId,
    ticks: u64,
    value: f64,
}

/// Looks for the answer in one process.
#[derive(Debug, Clone)]
pub struct UntilReader {
    question: Until,
    anchors: Anchors,
    paths: PathTable,
    wanted: BTreeMap<PathId, bool>,
    values: u64,
    first: Option<Point>,
    best: Option<Point>,
    steps: BTreeMap<(PathId, u32), u64>,
    epoch_marks: u64,
    epoch_spans: BTreeMap<u32, u64>,
}

impl UntilReader {
    /// Begins with a process's clock.
    pub fn new(anchors: Anchors, question: &Until) -> Self {
        Self {
            question: question.clone(),
            anchors,
            paths: PathTable::new(),
            wanted: BTreeMap::new(),
            values: 0,
            first: None,
            best: None,
            steps: BTreeMap::new(),
            epoch_marks: 0,
            epoch_spans: BTreeMap::new(),
        }
    }

    /// Takes in the records of the first pass: values of the metric.
    pub fn search(&mut self) -> Search<'_> {
        Search(self)
    }

    /// Takes in the records of the second pass, steps and epochs up to the moment found; `None`
    /// where there is none. `anchors` are those of the whole process.
    pub fn count(&mut self, anchors: Anchors) -> Option<Count<'_>> {
        self.anchors = anchors;
        let until = self.first?.ticks;
        Some(Count {
            reader: self,
            until,
        })
    }

    fn take(&mut self, point: Point) {
        let (paths, question) = (&self.paths, &self.question);
        let is_wanted = *self.wanted.entry(point.path).or_insert_with(|| {
            let names = paths.names(point.path);
            names.last() == Some(&question.metric.as_str())
                || path::join(names.iter().copied()) == question.metric
        });
        if !is_wanted {
            return;
        }
        self.values += 1;
        let Until {
            relation,
            threshold,
            ..
        } = *question;
        let is_earlier = |than: Option<Point>| than.is_none_or(|than| point.ticks < than.ticks);
        if relation.holds(point.value, threshold) && is_earlier(self.first) {
            self.first = Some(point);
        }
        let is_better = self.best.is_none_or(|best| {
            relation.is_better(point.value, best.value)
                || (!relation.is_better(best.value, point.value) && point.ticks < best.ticks)
        });
        if point.value.is_finite() && is_better {
            self.best = Some(point);
        }
    }

    /// The answer of all processes together; the earliest moment counts.
    pub fn answer(question: &Until, readers: &[Self], zero_ns: u64) -> UntilSummary {
        let since = |reader: &Self, point: Point| {
            let at_ns = reader.anchors.timeline().monotonic_ns(point.ticks);
            at_ns.saturating_sub(zero_ns)
        };
        let first = readers
            .iter()
            .filter_map(|reader| Some((since(reader, reader.first?), reader, reader.first?)))
            .min_by_key(|(at_ns, ..)| *at_ns);
        let best = readers
            .iter()
            .filter_map(|reader| Some((since(reader, reader.best?), reader, reader.best?)))
            .reduce(|one, other| {
                let is_better = question.relation.is_better(other.2.value, one.2.value);
                let is_as_good = !question.relation.is_better(one.2.value, other.2.value);
                if is_better || (is_as_good && other.0 < one.0) {
                    other
                } else {
                    one
                }
            });
        let mut why = BTreeMap::new();
        let mut absent = |field: &str, reason: &str| {
            why.insert(field.to_owned(), Unavailable(reason.to_owned()));
        };
        let steps = first.and_then(|(_, reader, _)| reader.steps.values().copied().max());
        let epochs = first.and_then(|(_, reader, _)| reader.epochs());
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
                .map(|(_, reader, point)| path::join(reader.paths.names(point.path))),
            is_reached: first.is_some(),
            at_ns: first.map(|(at_ns, ..)| at_ns),
            value: first.map(|(.., point)| point.value),
            steps,
            epochs,
            best: best.map(|(.., point)| point.value),
            best_at_ns: best.map(|(at_ns, ..)| at_ns),
            count: readers.iter().map(|reader| reader.values).sum(),
            why,
        }
    }

    /// Marks count before spans: the automatic phases set them.
    fn epochs(&self) -> Option<u64> {
        let spans = self.epoch_spans.values().copied().max();
        [self.epoch_marks, spans.unwrap_or(0)]
            .into_iter()
            .find(|count| *count > 0)
    }

    fn own_name(&self, path: PathId) -> Option<&str> {
        self.paths.get(path).map(|entry| &*entry.name)
    }
}

/// Whether it is a step, also one whose operations were counted.
fn is_step(name: &str) -> bool {
    let phase = PhaseName::of(name).or_else(|| PhaseName::of_counted(name));
    phase == Some(PhaseName::Step)
}

/// The first pass.
#[derive(Debug)]
pub struct Search<'r>(&'r mut UntilReader);

impl<'a> Visit<'a> for Search<'_> {
    fn plain_span(&mut self, _: PathId, _: u64, _: u64, _: u32) {}

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Metric {
                path, ticks, value, ..
            } => self.0.take(Point { path, ticks, value }),
            Record::Path { id, parent, name } => {
                self.0.paths.define(id, parent, name);
            }
            _ => {}
        }
    }
}

impl VisitProcess for Search<'_> {}
impl VisitProcess for Count<'_> {}

/// The second pass.
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
        match self.reader.own_name(span.path) {
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
                if ticks < self.until && self.reader.own_name(path) == Some(EPOCH) =>
            {
                self.reader.epoch_marks += 1;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "until_tests.rs"]
mod tests;
