//! A recorder for tests: a clock that is set, a stack of open spans, and a list of finished ones, with
//! the real one's rules. Spans close by identity, automatic ones together with their parent.

use std::cell::RefCell;
use std::rc::Rc;

use laptime_core::{PhaseName, SpanFlags, SpanMemory};
use laptime_phases::{Held, Laps, SpanId, Spot, Taken};

/// A finished span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub path: String,
    pub start: u64,
    pub duration: u64,
    pub flags: SpanFlags,
    pub memory: Option<(i64, u64)>,
}

impl Span {
    pub fn end(&self) -> u64 {
        self.start + self.duration
    }

    /// Whether it is one more of its path: no further piece, and not cut short.
    pub fn counts(&self) -> bool {
        !self.flags.has(SpanFlags::CONTINUES) && !self.flags.has(SpanFlags::UNFINISHED)
    }
}

#[derive(Debug, Clone)]
struct Open {
    serial: u64,
    path: Vec<String>,
    start: u64,
    is_automatic: bool,
}

/// What was recorded, and what is open. A clone is the same one.
#[derive(Debug, Clone, Default)]
pub struct Script(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    clock: u64,
    /// The clock goes on each time that the machine reads it.
    is_restless: bool,
    serial: u64,
    stack: Vec<Open>,
    strays: Vec<Open>,
    spans: Vec<Span>,
    marks: Vec<(String, u64)>,
    inferred: u32,
    /// Paths of laps that held only a part of a step.
    torn: Vec<String>,
    memory: Option<(i64, u64)>,
    paths: Vec<Vec<String>>,
}

impl State {
    fn open(&mut self, name: &str, start: u64, is_automatic: bool) -> u64 {
        self.serial += 1;
        let mut path = self
            .stack
            .last()
            .map_or(Vec::new(), |open| open.path.clone());
        path.push(name.to_owned());
        let serial = self.serial;
        self.stack.push(Open {
            serial,
            path,
            start,
            is_automatic,
        });
        serial
    }

    fn write(&mut self, open: &Open, end: u64, flags: SpanFlags) {
        self.spans.push(Span {
            path: open.path.join("/"),
            start: open.start,
            duration: end - open.start,
            flags,
            memory: self.memory,
        });
    }

    /// What lies above an index leaves the stack: automatic spans are told, others go on as strays.
    fn cut(&mut self, index: usize) -> Vec<Open> {
        let above = self.stack.split_off(index);
        let (automatic, strays): (Vec<_>, Vec<_>) =
            above.into_iter().partition(|open| open.is_automatic);
        self.strays.extend(strays);
        automatic
    }

    fn close(&mut self, serial: u64, end: u64, flags: SpanFlags) {
        if let Some(index) = self.stack.iter().position(|open| open.serial == serial) {
            for above in self.cut(index + 1).iter().rev() {
                self.write(above, end, SpanFlags::CLOSED_BY_PARENT);
            }
            let open = self.stack.pop().expect("it was found");
            self.write(&open, end, flags);
        } else if let Some(index) = self.strays.iter().position(|open| open.serial == serial) {
            let open = self.strays.remove(index);
            self.write(&open, end, SpanFlags::UNBALANCED);
        }
    }

    fn number(&mut self, path: &[String]) -> u32 {
        let known = self.paths.iter().position(|one| one == path);
        let index = known.unwrap_or_else(|| {
            self.paths.push(path.to_vec());
            self.paths.len() - 1
        });
        index as u32 + 1
    }

    fn find(&self, span: SpanId) -> Option<usize> {
        let index = span.depth as usize - 1;
        let open = self.stack.get(index)?;
        (open.is_automatic && open.start == span.start).then_some(index)
    }
}

impl Script {
    pub fn clock(&self) -> u64 {
        self.0.borrow().clock
    }

    pub fn pass(&self, ticks: u64) {
        self.0.borrow_mut().clock += ticks;
    }

    /// From now on the clock goes on each time that the machine reads it.
    pub fn never_stands_still(&self) {
        self.0.borrow_mut().is_restless = true;
    }

    /// Net and peak of every span that ends from now on.
    pub fn set_memory(&self, memory: Option<(i64, u64)>) {
        self.0.borrow_mut().memory = memory;
    }

    /// Opens a span of the user's; what closes it.
    pub fn open_lap(&self, name: &str) -> u64 {
        let mut state = self.0.borrow_mut();
        let clock = state.clock;
        state.open(name, clock, false)
    }

    pub fn close_lap(&self, serial: u64) {
        let mut state = self.0.borrow_mut();
        let clock = state.clock;
        state.close(serial, clock, SpanFlags::NONE);
    }

    pub fn spans(&self) -> Vec<Span> {
        self.0.borrow().spans.clone()
    }

    /// Forwards that were told by what is around them.
    pub fn inferred(&self) -> u32 {
        self.0.borrow().inferred
    }

    /// Laps that held only a part of a step, each time.
    pub fn torn(&self) -> Vec<String> {
        self.0.borrow().torn.clone()
    }

    pub fn marks(&self) -> Vec<(String, u64)> {
        self.0.borrow().marks.clone()
    }

    /// The paths of what is open, outermost first.
    pub fn open_paths(&self) -> Vec<String> {
        let state = self.0.borrow();
        state.stack.iter().map(|open| open.path.join("/")).collect()
    }
}

impl Laps for Script {
    fn now(&self) -> u64 {
        if self.0.borrow().is_restless {
            self.pass(1);
        }
        self.clock()
    }

    fn nanoseconds(&self, ticks: u64) -> u64 {
        ticks * 1_000
    }

    fn open(&self, name: PhaseName, start: u64) -> Option<SpanId> {
        let mut state = self.0.borrow_mut();
        state.open(name.text(), start, true);
        let depth = state.stack.len() as u32;
        Some(SpanId { depth, start })
    }

    fn close(&self, span: SpanId, end: u64, flags: SpanFlags) {
        let mut state = self.0.borrow_mut();
        if let Some(index) = state.find(span) {
            let serial = state.stack[index].serial;
            state.close(serial, end, flags);
        }
    }

    fn suspend(&self, span: SpanId) -> Option<Taken> {
        let mut state = self.0.borrow_mut();
        let index = state.find(span)?;
        state.cut(index);
        let memory = state.memory.map(|(net_bytes, peak_bytes)| SpanMemory {
            net_bytes,
            peak_bytes,
        });
        Some(Taken {
            memory,
            device_memory: None,
            device_time: None,
        })
    }

    fn emit(&self, held: &Held, parent: u32) -> u32 {
        let mut state = self.0.borrow_mut();
        let parent = (parent as usize).checked_sub(1);
        let mut path = parent.map_or(Vec::new(), |parent| state.paths[parent].clone());
        path.push(held.name.text().to_owned());
        state.spans.push(Span {
            path: path.join("/"),
            start: held.start,
            duration: held.duration,
            flags: held.flags,
            memory: held.memory.map(|one| (one.net_bytes, one.peak_bytes)),
        });
        state.number(&path)
    }

    fn rename(&self, span: SpanId, name: PhaseName) {
        let mut state = self.0.borrow_mut();
        let Some(index) = state.find(span) else {
            return;
        };
        for open in &mut state.stack[index..] {
            name.text().clone_into(&mut open.path[index]);
        }
    }

    fn set_aside(&self, _held_since: Option<u64>) {
        let mut state = self.0.borrow_mut();
        let is_aside =
            |open: &Open| PhaseName::of_counted(&open.path[open.path.len() - 1]).is_some();
        if state.stack.iter().any(is_aside) {
            return;
        }
        let of = |open: &Open| PhaseName::of(&open.path[open.path.len() - 1]);
        let unit = state
            .stack
            .iter()
            .rposition(|open| of(open).is_some_and(PhaseName::is_unit));
        let Some(index) = unit.or_else(|| state.stack.len().checked_sub(1)) else {
            return;
        };
        for open in &mut state.stack[index..] {
            open.path[index].insert_str(0, PhaseName::COUNTED);
        }
    }

    fn go_on_aside(&self, span: SpanId, path: u32) {
        let mut state = self.0.borrow_mut();
        let Some(index) = state.find(span) else {
            return;
        };
        let path = state.paths[path as usize - 1].clone();
        state.stack[index].path = path;
    }

    fn step_since(&self) -> Option<u64> {
        let state = self.0.borrow();
        let mut open = state.stack.iter().rev();
        let step = open.find(|open| open.path.last().is_some_and(|name| name == "step"));
        step.map(|open| open.start)
    }

    fn last_written(&self) -> u64 {
        self.0.borrow().spans.len() as u64
    }

    fn is_open(&self, span: SpanId) -> bool {
        self.0.borrow().find(span).is_some()
    }

    fn path_of(&self, span: SpanId) -> u32 {
        let mut state = self.0.borrow_mut();
        let Some(index) = state.find(span) else {
            return 0;
        };
        let path = state.stack[index].path.clone();
        state.number(&path)
    }

    fn here(&self) -> Spot {
        let mut state = self.0.borrow_mut();
        let path = state
            .stack
            .last()
            .map_or(Vec::new(), |open| open.path.clone());
        Spot::new(state.number(&path), &path)
    }

    fn inferred(&self) {
        self.0.borrow_mut().inferred += 1;
    }

    fn torn(&self, path: u32) {
        let mut state = self.0.borrow_mut();
        let path = state.paths[path as usize - 1].join("/");
        state.torn.push(path);
    }

    fn mark(&self, name: PhaseName, at: u64) {
        self.0.borrow_mut().marks.push((name.text().to_owned(), at));
    }
}
