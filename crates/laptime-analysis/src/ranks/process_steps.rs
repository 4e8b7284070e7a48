//! Steps of a process with its own work in each: made from its records, in a pass of their own.
//!
//! A step lasts until the next one starts. What it waits for others in is no work of its own: where exchanges are
//! told, the time of these; else backward and optimizer, which hold the wait for others.

use laptime_core::anchor::Rate;
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::{PathId, PhaseName, Span, SpanFlags};

use super::{OwnPart, Work};
use crate::reading::process::Process;

/// Step of a process, before anybody knows which rank it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStep {
    /// When it began. **Units**: nanoseconds of the process's clock.
    pub start_ns: u64,
    /// From its start to the next one's; the last one lasts until its end. **Units**: nanoseconds.
    pub duration_ns: i64,
    /// Time by part, without the exchanges that lie in it. **Units**: nanoseconds.
    pub part_ns: [i64; OwnPart::COUNT],
    /// Exchanges with other processes. **Units**: nanoseconds.
    pub exchanged_ns: i64,
    /// Work that was done, in its order.
    pub work: Work,
}

/// Role of the spans of a path in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Step,
    Part(OwnPart),
    /// An exchange, in a part of a step or in none.
    Exchange(Option<OwnPart>),
    Nothing,
}

/// A span, or a piece of one, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    start: u64,
    ticks: u64,
    goes_on: bool,
}

/// The pass that finds them.
#[derive(Debug)]
pub struct StepsPass {
    rate: Rate,
    /// The track that takes the steps.
    track: u32,
    roles: Vec<Role>,
    steps: Vec<Piece>,
    parts: Vec<(Piece, OwnPart)>,
    exchanges: Vec<(Piece, Option<OwnPart>)>,
}

impl StepsPass {
    /// Begins with the paths of a process that was read; `None` where it takes no steps.
    pub(crate) fn new(process: &Process) -> Option<Self> {
        let series = process.features.steps.steps()?;
        let most = process.paths.iter().map(|(id, _)| id.index() + 1).max()?;
        let mut roles = vec![Role::Nothing; most];
        for (id, entry) in process.paths.iter() {
            roles[id.index()] = match PhaseName::of(&entry.name) {
                _ if id == PathId::OVERFLOW => Role::Nothing,
                _ if id == series.path => Role::Step,
                Some(PhaseName::Communication) => exchange(&roles, entry.parent),
                Some(name) if entry.parent == series.path => {
                    part(name).map_or(Role::Nothing, Role::Part)
                }
                _ => Role::Nothing,
            };
        }
        Some(Self {
            rate: process.facts.anchors.rate(),
            track: series.track,
            roles,
            steps: Vec::new(),
            parts: Vec::new(),
            exchanges: Vec::new(),
        })
    }

    /// Returns the steps in their order.
    pub(crate) fn finish(mut self) -> Vec<ProcessStep> {
        self.steps.sort_unstable();
        self.parts.sort_unstable();
        self.exchanges.sort_unstable();
        let rate = self.rate;
        let mut steps: Vec<ProcessStep> = Vec::new();
        let mut last_end = 0;
        for piece in &self.steps {
            last_end = piece.start.saturating_add(piece.ticks);
            if piece.goes_on && !steps.is_empty() {
                continue;
            }
            steps.push(ProcessStep {
                start_ns: piece.start,
                duration_ns: 0,
                part_ns: [0; OwnPart::COUNT],
                exchanged_ns: 0,
                work: Work::NONE,
            });
        }
        let ns = |ticks: u64| i64::try_from(rate.nanoseconds(ticks)).unwrap_or(i64::MAX);
        let starts: Vec<u64> = steps.iter().map(|step| step.start_ns).collect();
        let at = |moment: u64| {
            starts
                .partition_point(|start| *start <= moment)
                .checked_sub(1)
        };
        for (index, step) in steps.iter_mut().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(last_end);
            step.duration_ns = ns(end.saturating_sub(starts[index]));
            step.start_ns = rate.nanoseconds(starts[index]);
        }
        for (piece, part) in &self.parts {
            if let Some(step) = at(piece.start).and_then(|at| steps.get_mut(at)) {
                step.part_ns[*part as usize] += ns(piece.ticks);
                if !piece.goes_on {
                    step.work = step.work.phase(*part);
                }
            }
        }
        for (piece, inside) in &self.exchanges {
            if let Some(step) = at(piece.start).and_then(|at| steps.get_mut(at)) {
                step.exchanged_ns += ns(piece.ticks);
                if let Some(part) = inside {
                    step.part_ns[*part as usize] -= ns(piece.ticks);
                }
            }
        }
        for step in &mut steps {
            let told_ns = step.part_ns.iter().sum::<i64>() + step.exchanged_ns;
            step.part_ns[OwnPart::Other as usize] = (step.duration_ns - told_ns).max(0);
        }
        steps
    }

    fn span(&mut self, span: &Span) {
        let role = self.roles.get(span.path.index());
        let piece = Piece {
            start: span.start,
            ticks: span.duration,
            goes_on: !span.flags.is_whole(),
        };
        match role {
            Some(Role::Step) if span.track == self.track => self.steps.push(piece),
            Some(Role::Part(part)) => self.parts.push((piece, *part)),
            Some(Role::Exchange(inside)) if !span.flags.has(SpanFlags::INSIDE) => {
                self.exchanges.push((piece, *inside));
            }
            _ => {}
        }
    }
}

/// Returns the role of an exchange in a step, by what it lies in. One inside another is told with that.
fn exchange(roles: &[Role], parent: PathId) -> Role {
    match roles.get(parent.index()) {
        Some(Role::Part(part)) => Role::Exchange(Some(*part)),
        Some(Role::Exchange(_)) => Role::Nothing,
        Some(Role::Step) => Role::Exchange(None),
        _ if parent == PathId::ROOT => Role::Exchange(None),
        _ => Role::Nothing,
    }
}

fn part(name: PhaseName) -> Option<OwnPart> {
    match name {
        PhaseName::Data => Some(OwnPart::Data),
        PhaseName::Forward => Some(OwnPart::Forward),
        PhaseName::Backward => Some(OwnPart::Backward),
        PhaseName::Optimizer => Some(OwnPart::Optimizer),
        _ => None,
    }
}

impl<'a> Visit<'a> for StepsPass {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        self.span(&Span::plain(path, start, duration, track));
    }

    fn other(&mut self, record: Record<'a>) {
        if let Record::Span(span) = record {
            self.span(&span);
        }
    }
}

impl VisitProcess for StepsPass {}
