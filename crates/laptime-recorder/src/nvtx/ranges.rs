//! The ranges of one stack's open spans.
//!
//! A thread's own stack pushes and pops: tools show such ranges nested, and ncu filters by their
//! nesting. A task's stack starts and ends: tasks of one thread interleave, and may move to another.
//! A span that was left open by one that closed around it goes on as a started range, so that what
//! is popped is always what was pushed last.

use super::attributes::Name;
use super::tool::{Tool, tool};
use crate::site::Site;

/// The ranges of a stack, outermost first.
#[derive(Debug, Default)]
pub struct Ranges {
    open: Vec<Range>,
    /// Whether the stack is a task's.
    is_of_task: bool,
}

#[derive(Debug)]
struct Range {
    /// When its span opened on the stack, in ticks.
    start: u64,
    name: Name,
    /// The span's id: when it first opened.
    id: u64,
    /// The tool's number of a range that was started; none: it was pushed.
    started: Option<u64>,
}

impl Range {
    fn begin(&mut self, tool: &Tool, is_of_task: bool) {
        if is_of_task {
            self.started = Some(tool.start(self.name, self.id));
        } else {
            self.started = None;
            tool.push(self.name, self.id);
        }
    }
}

impl Ranges {
    /// Those of a task's stack.
    pub fn of_task() -> Self {
        Self {
            open: Vec::new(),
            is_of_task: true,
        }
    }

    /// Opens the range of a span.
    pub fn open(&mut self, site: &Site, start: u64, id: u64) {
        let Some(tool) = tool() else {
            return;
        };
        let mut range = Range {
            start,
            name: tool.name(site),
            id,
            started: None,
        };
        range.begin(tool, self.is_of_task);
        self.open.push(range);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Closes the range of a span, if it has one.
    #[inline]
    pub fn close(&mut self, start: u64) {
        if !self.open.is_empty() {
            self.close_slowly(start);
        }
    }

    #[cold]
    fn close_slowly(&mut self, start: u64) {
        let (Some(tool), Some(at)) = (tool(), self.find(start)) else {
            return;
        };
        if let Some(started) = self.open[at].started {
            tool.end(started);
            self.open.remove(at);
            return;
        }
        self.pop_from(tool, at);
        self.open.remove(at);
        for left in &mut self.open[at..] {
            if left.started.is_none() {
                left.begin(tool, true);
            }
        }
    }

    /// Gives an open range another name: it ends, and goes on under that.
    pub fn rename(&mut self, start: u64, site: &Site) {
        let (Some(tool), Some(at)) = (tool(), self.find(start)) else {
            return;
        };
        self.open[at].name = tool.name(site);
        if let Some(started) = self.open[at].started {
            tool.end(started);
            self.open[at].begin(tool, true);
            return;
        }
        self.pop_from(tool, at);
        for again in &mut self.open[at..] {
            if again.started.is_none() {
                again.begin(tool, false);
            }
        }
    }

    /// Closes all: the thread or the task ends.
    pub fn clear(&mut self) {
        let Some(tool) = tool() else {
            return;
        };
        self.pop_from(tool, 0);
        for started in self.open.drain(..).filter_map(|range| range.started) {
            tool.end(started);
        }
    }

    /// In a forked child: what was open is the parent's.
    pub fn start_over(&mut self) {
        let is_of_task = self.is_of_task;
        let empty = Self {
            open: Vec::new(),
            is_of_task,
        };
        // Not freed: another thread may have been in the midst of changing it as the fork happened.
        std::mem::forget(std::mem::replace(self, empty));
    }

    fn find(&self, start: u64) -> Option<usize> {
        self.open.iter().rposition(|range| range.start == start)
    }

    /// Pops what is pushed from one on, innermost first.
    fn pop_from(&self, tool: &Tool, at: usize) {
        for _ in self.open[at..].iter().filter(|open| open.started.is_none()) {
            tool.pop();
        }
    }
}

// SAFETY: names are handles of the tool's, which any thread may use.
unsafe impl Send for Ranges {}
