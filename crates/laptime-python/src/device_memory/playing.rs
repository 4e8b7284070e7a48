//! Looks at allocators whose history is recorded: what counters alone don't tell, the history does.
//!
//! All devices are looked at together, as the history is emptied of all at once. It is read between two
//! readings of the counters that are the same, so that nothing in it is older or newer than they are.

use std::sync::Arc;

use laptime_recorder::device_memory::history::{Entry, History, Look, Missing};
use laptime_recorder::device_memory::{self, Most, Reading};
use pyo3::prelude::*;

use super::history::{self, Owner, Recorded, State};
use super::reading::MOST_DEVICES;
use super::turn::Turn;
use super::{Allocators, held, numbers, trace};

/// How often it is tried while other threads allocate.
const TRIES: u32 = 4;
/// An emptier history is not read before it is needed. It holds some sixteen times that.
const MOST_ENTRIES: u64 = 1 << 14;
/// After so many failures in a row it is left alone: each costs a list of all blocks.
const MOST_FAILURES: u32 = 16;

/// Why peaks are within bounds.
const PROGRAMS: &str = "the program recorded the allocator's history for itself";
const BUSY: &str = "other threads allocated while the history was read";
const GAVE_UP: &str = "the history was of no use too often";

type Looks = Vec<(u32, Look)>;

impl Allocators {
    fn recorded(&self) -> Option<Arc<Recorded>> {
        held(&self.history).clone()
    }

    /// Whether the history is to tell peaks.
    pub(super) fn plays(&self) -> bool {
        held(&self.history).is_some()
    }

    /// Looks at all known devices and tells the recorder. It is the calling thread's turn.
    pub(super) fn look_with_history(&self, python: Python<'_>) -> PyResult<()> {
        let Some(recorded) = self.recorded() else {
            return Ok(());
        };
        let mut state = held(&recorded.state);
        if state.owner == Owner::Nobody {
            recorded.begin(python, &mut state);
        }
        let mut looks = self.looks(python)?;
        let mut is_needed = false;
        for (index, look) in &looks {
            let history = state.devices.entry(*index).or_default();
            is_needed |= history.is_needed(look) || history.length(look) > MOST_ENTRIES;
        }
        if state.owner == Owner::Laps && is_needed {
            match self.play(python, &recorded, &mut state, looks) {
                Ok(()) => return Ok(()),
                Err(error) => recorded.give_up(python, &mut state, history::failed(python, &error)),
            }
            looks = self.looks(python)?;
        }
        let why = match state.owner {
            Owner::Program => PROGRAMS.to_owned(),
            _ => state.why_never.clone(),
        };
        for (index, look) in looks {
            tell_by_counters(&mut state, index, look, &why);
        }
        Ok(())
    }

    fn looks(&self, python: Python<'_>) -> PyResult<Looks> {
        let known = (0..MOST_DEVICES).filter(|index| self.is_known(*index));
        let looks = known.map(|index| Ok((index, numbers::look(&self.read(python, index)?)?)));
        looks.collect()
    }

    fn play(
        &self,
        python: Python<'_>,
        recorded: &Recorded,
        state: &mut State,
        mut looks: Looks,
    ) -> PyResult<()> {
        for _ in 0..TRIES {
            let lacks_blocks = state.devices.values().any(History::lacks_blocks);
            let whole = state.comes_whole || lacks_blocks;
            let taken = recorded.take(python, whole)?;
            let after = self.looks(python)?;
            if !are_still(&looks, &after) {
                looks = after;
                continue;
            }
            let mut entries = Vec::new();
            for (index, look) in &looks {
                let each = trace::entries(&taken, *index)?;
                let is_all = state.devices[index].has_all(look, &each);
                entries.push((is_all, each));
            }
            if entries.iter().any(|(is_all, _)| !is_all) {
                // Perhaps this torch hands out the entries of the pool only. If they are not in the
                // whole either, they are gone.
                state.comes_whole = !whole;
                if !whole {
                    continue;
                }
            }
            for ((index, look), (_, entries)) in looks.iter().zip(&entries) {
                tell_by_history(state, *index, *look, entries);
                if whole && state.devices[index].lacks_blocks() {
                    let segments = trace::segments(&taken, *index)?;
                    state
                        .devices
                        .entry(*index)
                        .or_default()
                        .begin(*look, &segments);
                }
            }
            if state.failures > MOST_FAILURES {
                recorded.give_up(python, state, GAVE_UP.to_owned());
                return Ok(());
            }
            recorded.clear(python)?;
            let after = self.looks(python)?;
            for ((index, before), (_, after)) in looks.iter().zip(&after) {
                if !before.is_still(after) {
                    state.devices.entry(*index).or_default().lose();
                }
            }
            return Ok(());
        }
        for (index, look) in looks {
            tell_by_counters(state, index, look, BUSY);
        }
        Ok(())
    }

    /// Does something to what is known of a device's history.
    pub(super) fn in_history(
        &self,
        python: Python<'_>,
        index: u32,
        change: impl FnOnce(&mut History),
    ) {
        if let Some(recorded) = self.recorded()
            && let Some(_turn) = Turn::take(python)
            && let Some(history) = held(&recorded.state).devices.get_mut(&index)
        {
            change(history);
        }
    }

    /// The program switches the history itself next. What it has so far is told, and ours ends.
    pub(super) fn give_history_way(&self, python: Python<'_>) {
        let Some(recorded) = self.recorded() else {
            return;
        };
        if let Some(_turn) = Turn::take(python)
            && recorded.is_ours()
        {
            let _ = self.look_with_history(python);
            recorded.end(python, &mut held(&recorded.state));
        }
    }

    /// The program has switched it.
    pub(super) fn history_is_theirs(&self, python: Python<'_>, on: bool) {
        let Some(recorded) = self.recorded() else {
            return;
        };
        if let Some(_turn) = Turn::take(python) {
            recorded.is_switched(&mut held(&recorded.state), on);
        }
    }

    /// Why the history told not all peaks, the most frequent reason first.
    pub(super) fn gaps_of_history(&self, python: Python<'_>) -> Option<String> {
        let recorded = self.recorded()?;
        let _turn = Turn::take(python)?;
        held(&recorded.state).gaps()
    }

    /// Laps are told nothing more.
    pub(super) fn end_history(&self, python: Python<'_>) {
        if let Some(recorded) = self.recorded()
            && let Some(_turn) = Turn::take(python)
        {
            recorded.leave(python, &mut held(&recorded.state));
        }
    }
}

fn are_still(before: &Looks, after: &Looks) -> bool {
    before.len() == after.len()
        && before
            .iter()
            .zip(after)
            .all(|(one, other)| one.1.is_still(&other.1))
}

fn tell_by_history(state: &mut State, index: u32, look: Look, entries: &[Entry]) {
    let known = state.devices.entry(index).or_default();
    // What it began with has nothing to tell.
    if known.lacks_blocks() {
        tell_by_counters(state, index, look, history::reason(Missing::Entries));
        return;
    }
    match known.play(look, entries) {
        Ok(most) => {
            state.failures = 0;
            device_memory::read_knowing(index, reading(&look), most);
        }
        Err(missing) => {
            state.failures += 1;
            tell_by_counters(state, index, look, history::reason(missing));
        }
    }
}

/// What counters alone tell is told; where that isn't exact, it is known why.
fn tell_by_counters(state: &mut State, index: u32, look: Look, why: &str) {
    let known = state.devices.entry(index).or_default();
    let most: Option<Most> = known.look(look);
    match most {
        Some(most) => {
            if most.allocated.known().is_none() {
                state.missed(why);
            }
            device_memory::read_knowing(index, reading(&look), most);
        }
        None => device_memory::read(index, reading(&look)),
    }
}

fn reading(look: &Look) -> Reading {
    Reading {
        allocated: look.allocated.counter,
        reserved: look.reserved.counter,
    }
}
