//! The policy's spans in the recorder.

use std::cell::Cell;

use laptime_core::{PathId, SpanFlags};
use laptime_recorder::{self as recorder, Extra, LazySite, Open, Site, clock};

use super::laps::{Held, Laps, Name, Spot, Taken};
use crate::fast::span;
use crate::rate;

/// Paths whose facts are kept: a training loop stands in three or four.
const KNOWN: usize = 8;

static SITES: [LazySite; Name::ALL.len()] = {
    let mut sites = [const { LazySite::new("") }; Name::ALL.len()];
    let mut index = 0;
    while index < Name::ALL.len() {
        sites[index] = LazySite::new(Name::ALL[index].text());
        index += 1;
    }
    sites
};

fn site(name: Name) -> &'static Site {
    SITES[name as usize].get()
}

/// The real thing.
pub struct Recorder {
    known: [Cell<Option<Spot>>; KNOWN],
}

impl Recorder {
    /// Knows no path yet.
    pub fn new() -> Self {
        Self {
            known: [const { Cell::new(None) }; KNOWN],
        }
    }
}

impl Laps for Recorder {
    fn now(&self) -> u64 {
        clock::now()
    }

    fn nanoseconds(&self, ticks: u64) -> u64 {
        rate::nanoseconds(ticks) as u64
    }

    fn open(&self, name: Name, start: u64) -> Option<Open> {
        span::at(|| recorder::enter_automatic(site(name), Some(start)))
    }

    // The autograd engine runs a compiled backward in a copy of its caller's context, which is no
    // task: the stack of the phase around it is still the one in use.
    fn open_within(&self, name: Name, start: u64) -> Option<Open> {
        recorder::enter_automatic(site(name), Some(start))
    }

    fn close_within(&self, open: Open, end: u64) {
        if recorder::is_open(open) {
            recorder::exit_with(open, Some(end), SpanFlags::NONE);
        }
    }

    fn close(&self, open: Open, end: u64, flags: SpanFlags) {
        span::close_by_id(open, Some(end), flags);
    }

    fn suspend(&self, open: Open) -> Option<Taken> {
        let piece = span::at(|| recorder::suspend_piece(open))?;
        Some(Taken {
            memory: piece.memory,
        })
    }

    fn emit(&self, held: &Held, parent: u32) {
        let extra = Extra {
            flags: held.flags,
            memory: held.memory,
            ..Extra::default()
        };
        let (site, parent) = (site(held.name), PathId(parent));
        span::at(|| recorder::emit_under(parent, site, held.start, held.duration, extra));
    }

    fn rename(&self, open: Open, name: Name) {
        span::at(|| recorder::rename(open, site(name)));
    }

    fn set_aside(&self) {
        span::at(recorder::set_aside);
    }

    fn last_written(&self) -> u64 {
        recorder::last_written()
    }

    fn is_open(&self, open: Open) -> bool {
        span::at(|| recorder::is_open(open))
    }

    fn path_of(&self, open: Open) -> u32 {
        span::at(|| recorder::path_of(open)).map_or(0, |path| path.0)
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

    fn mark(&self, name: Name, at: u64) {
        span::at(|| recorder::mark_outermost(site(name), at));
    }
}
