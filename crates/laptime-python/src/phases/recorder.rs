//! The machine's spans in the recorder.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_core::{PathId, PhaseName, SpanFlags};
use laptime_phases::{Held, Laps, SpanId, Spot, Taken};
use laptime_recorder::device::HeldTime;
use laptime_recorder::{self as recorder, Extra, LazySite, Open, Site, clock};

use crate::fast::span;
use crate::rate;
use crate::steps;

/// Paths whose facts are kept: a training loop stands in three or four.
const KNOWN: usize = 8;

/// Whether it was noted that forwards were told by what is around them.
static IS_INFERRED: AtomicBool = AtomicBool::new(false);
const INFERRED: &str = "some forwards were no call of a module, as with model.forward(x): there step/forward is all of \
     the time from the batch (without a loader: from the last update or zero_grad) to the gradient, with whatever else ran then. \
     Call model(x) to time the forward alone";

/// Code of the note that says that a lap of the program's own holds a part of a step.
const TORN: &str = "phases.torn";

static SITES: [LazySite; PhaseName::ALL.len()] = {
    let mut sites = [const { LazySite::new("") }; PhaseName::ALL.len()];
    let mut index = 0;
    while index < PhaseName::ALL.len() {
        sites[index] = LazySite::new(PhaseName::ALL[index].text());
        index += 1;
    }
    sites
};

fn site(name: PhaseName) -> &'static Site {
    SITES[name as usize].get()
}

fn extra(held: &Held) -> Extra {
    Extra {
        flags: held.flags,
        memory: held.memory,
        device_memory: held.device_memory,
        device_time: held.device_time.map(HeldTime::from_raw),
        ..Extra::default()
    }
}

fn emit(held: &Held, parent: u32, extra: Extra) -> u32 {
    let (site, parent) = (site(held.name), PathId(parent));
    span::at(|| recorder::emit_under(parent, site, held.start, held.duration, extra)).0
}

fn identity(open: Open) -> SpanId {
    let (depth, start) = open.to_raw();
    SpanId { depth, start }
}

fn open(span: SpanId) -> Open {
    Open::from_raw(span.depth, span.start)
}

/// The laps of a machine whose spans are recorded.
pub struct Recorder {
    known: [Cell<Option<Spot>>; KNOWN],
    /// The first piece of a step was written that goes on: who listens is told at its end.
    has_begun: Cell<bool>,
}

impl Recorder {
    /// Knows no path yet.
    pub fn new() -> Self {
        Self {
            known: [const { Cell::new(None) }; KNOWN],
            has_begun: Cell::new(false),
        }
    }

    fn begins(&self, held: &Held) {
        let is_step = held.name == PhaseName::Step && held.flags.is_whole();
        if is_step && steps::is_on() {
            self.has_begun.set(true);
        }
    }
}

impl Laps for Recorder {
    // Where laps wait for their device, phases begin and end when it is done.
    fn now(&self) -> u64 {
        recorder::wait_for_device_here();
        clock::now()
    }

    fn nanoseconds(&self, ticks: u64) -> u64 {
        rate::nanoseconds(ticks) as u64
    }

    fn open(&self, name: PhaseName, start: u64) -> Option<SpanId> {
        span::at(|| recorder::enter_automatic(site(name), Some(start))).map(identity)
    }

    // The autograd engine runs a compiled backward in a copy of its caller's context, which is no
    // task: the stack of the phase around it is still the one in use.
    fn open_within(&self, name: PhaseName, start: u64) -> Option<SpanId> {
        recorder::enter_automatic(site(name), Some(start)).map(identity)
    }

    fn close_within(&self, span: SpanId, end: u64, flags: SpanFlags) {
        let open = open(span);
        if recorder::is_open(open) {
            recorder::exit_with(open, Some(end), flags);
        }
    }

    fn close(&self, span: SpanId, end: u64, flags: SpanFlags) {
        let open = open(span);
        // What continues a step is none, unless that was written without being told.
        let tells = !flags.has(SpanFlags::CONTINUES) || self.has_begun.get();
        let step = (steps::is_on() && tells).then(|| steps::closing(open));
        span::close_by_id(open, Some(end), flags);
        if let Some(step) = step.flatten() {
            self.has_begun.set(false);
            steps::ended(&step, true);
        }
    }

    fn suspend(&self, span: SpanId) -> Option<Taken> {
        let piece = span::at(|| recorder::suspend_piece(open(span)))?;
        Some(Taken {
            memory: piece.memory,
            device_memory: piece.device_memory,
            device_time: piece.device_time.map(HeldTime::to_raw),
        })
    }

    fn emit(&self, held: &Held, parent: u32) -> u32 {
        self.begins(held);
        emit(held, parent, extra(held))
    }

    fn emit_around(&self, held: &Held, parent: u32) -> u32 {
        self.begins(held);
        let extra = Extra {
            shares_device_time: true,
            ..extra(held)
        };
        emit(held, parent, extra)
    }

    fn rename(&self, span: SpanId, name: PhaseName) {
        span::at(|| recorder::rename(open(span), site(name)));
    }

    fn set_aside(&self, held_since: Option<u64>) {
        span::at(|| recorder::set_aside(held_since));
    }

    fn go_on_aside(&self, span: SpanId, path: u32) {
        span::at(|| recorder::go_on_aside(open(span), PathId(path)));
    }

    fn step_since(&self) -> Option<u64> {
        span::at(|| recorder::open_since(PhaseName::Step.text()))
    }

    fn last_written(&self) -> u64 {
        recorder::last_written()
    }

    fn is_open(&self, span: SpanId) -> bool {
        span::at(|| recorder::is_open(open(span)))
    }

    fn path_of(&self, span: SpanId) -> u32 {
        span::at(|| recorder::path_of(open(span))).map_or(0, |path| path.0)
    }

    fn here(&self) -> Spot {
        let path = span::at(recorder::current_path);
        let known = &self.known[path.0 as usize % KNOWN];
        match known.get() {
            Some(spot) if spot.path == path.0 => spot,
            _ => {
                let spot = Spot::new(path.0, &recorder::path_names(path));
                known.set(Some(spot));
                spot
            }
        }
    }

    fn inferred(&self) {
        if !IS_INFERRED.swap(true, Relaxed) {
            span::at(|| recorder::note("phases.inferred", INFERRED));
        }
    }

    fn torn(&self, path: u32) {
        let names = span::at(|| recorder::path_names(PathId(path)));
        let lap = names.last().map_or("", String::as_str);
        let said = format!("the program's own lap {lap} holds only a part of a step");
        span::at(|| recorder::note(TORN, &said));
    }

    fn mark(&self, name: PhaseName, at: u64) {
        span::at(|| recorder::mark_outermost(site(name), at));
    }
}
