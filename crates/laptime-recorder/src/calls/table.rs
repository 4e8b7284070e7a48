//! The calls of one thread: which functions are on its stack, and what those that returned came to.
//!
//! Without a clock and without an interpreter: it is told what is entered and left, and when. Counts
//! and times follow `cProfile`: a call counts when it ends, the time of a function that calls itself
//! is that of its outermost call, and each resumption of a generator is a call.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use laptime_core::{CallSums, FunctionCalls, PathId};

/// Ways of calling that are told apart in a thread: by lap, caller and function.
const MOST_EDGES: usize = 1 << 18;

/// What an interpreter knows a function by: two addresses that are the function's as long as it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FunctionKey(pub usize, pub usize);

/// Where a call is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Way {
    path: u32,
    caller: u32,
    function: u32,
}

impl std::hash::Hash for Way {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.path) << 32 | u64::from(self.caller));
        state.write_u32(self.function);
    }
}

/// Addresses and small numbers need no defence against a clever program, and must be quick.
#[derive(Debug, Default, Clone, Copy)]
pub struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(26) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

type Quick = BuildHasherDefault<QuickHasher>;

/// One function called by another one in a lap.
#[derive(Debug)]
struct Edge {
    path: u32,
    caller: u32,
    function: u32,
    /// The place of (caller, function) in `pairs`.
    pair: u32,
    sums: CallSums,
}

/// A call that has not ended.
#[derive(Debug, Clone, Copy)]
struct Open {
    key: FunctionKey,
    edge: u32,
    start: u64,
    /// Ticks in what it called.
    inner: u64,
}

/// What is counted in one thread.
#[derive(Debug, Default)]
pub struct Table {
    ways: HashMap<Way, u32, Quick>,
    edges: Vec<Edge>,
    pair_of: HashMap<(u32, u32), u32, Quick>,
    /// By pair, how often it is on the stack.
    pairs: Vec<u32>,
    /// By function, how often it is on the stack.
    levels: Vec<u32>,
    open: Vec<Open>,
    /// When the last function was entered or left.
    latest: u64,
    /// Functions that were left although another one was innermost.
    disorder: u64,
}

impl Table {
    /// Whether a call can be entered without any memory being asked for.
    pub fn has_room(&self) -> bool {
        self.open.len() < self.open.capacity()
    }

    /// How many calls are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Functions that were left out of order: the numbers are doubtful then.
    pub fn disorder(&self) -> u64 {
        self.disorder
    }

    /// When the last function was entered or left, in ticks.
    pub fn latest(&self) -> u64 {
        self.latest
    }

    fn caller(&self) -> u32 {
        let caller = self.open.last();
        caller.map_or(0, |open| self.edges[open.edge as usize].function)
    }

    /// Where calls of a function count in a lap from here; `None` when it was never called so.
    #[inline]
    pub fn find(&self, function: u32, path: PathId) -> Option<u32> {
        let way = Way {
            path: path.0,
            caller: self.caller(),
            function,
        };
        self.ways.get(&way).copied()
    }

    /// The same for the first call. `other` takes what no longer fits.
    pub fn add(&mut self, function: u32, path: PathId, other: u32) -> u32 {
        let caller = self.caller();
        if self.edges.len() >= MOST_EDGES {
            let rest = self.edges.iter().rposition(|edge| edge.function == other);
            let place = rest.unwrap_or_else(|| self.push(PathId::OVERFLOW.0, 0, other) as usize);
            return place as u32;
        }
        let place = self.push(path.0, caller, function);
        let path = path.0;
        let way = Way {
            path,
            caller,
            function,
        };
        self.ways.insert(way, place);
        place
    }

    fn push(&mut self, path: u32, caller: u32, function: u32) -> u32 {
        let pairs = &mut self.pairs;
        let pair = *self.pair_of.entry((caller, function)).or_insert_with(|| {
            pairs.push(0);
            (pairs.len() - 1) as u32
        });
        if self.levels.len() <= function as usize {
            self.levels.resize(function as usize + 1, 0);
        }
        self.edges.push(Edge {
            path,
            caller,
            function,
            pair,
            sums: CallSums::default(),
        });
        (self.edges.len() - 1) as u32
    }

    /// A function begins.
    #[inline]
    pub fn enter(&mut self, key: FunctionKey, edge: u32, ticks: u64) {
        let Edge { function, pair, .. } = self.edges[edge as usize];
        self.levels[function as usize] += 1;
        self.pairs[pair as usize] += 1;
        self.latest = ticks;
        self.open.push(Open {
            key,
            edge,
            start: ticks,
            inner: 0,
        });
    }

    /// A function ends, by whatever way. One that began before the counting did is not known here.
    #[inline]
    pub fn leave(&mut self, key: FunctionKey, ticks: u64) {
        match self.open.last() {
            None => return,
            Some(innermost) if innermost.key == key => {}
            Some(_) => {
                self.disorder += 1;
                let Some(place) = self.open.iter().rposition(|open| open.key == key) else {
                    return;
                };
                while self.open.len() > place + 1 {
                    self.pop(ticks);
                }
            }
        }
        self.pop(ticks);
        self.latest = ticks;
    }

    #[inline]
    fn pop(&mut self, ticks: u64) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let total = ticks.saturating_sub(open.start);
        if let Some(caller) = self.open.last_mut() {
            caller.inner += total;
        }
        let edge = &mut self.edges[open.edge as usize];
        let sums = &mut edge.sums;
        let level = &mut self.levels[edge.function as usize];
        *level -= 1;
        if *level == 0 {
            sums.primitive += 1;
            sums.total += total;
        }
        let level = &mut self.pairs[edge.pair as usize];
        *level -= 1;
        if *level == 0 {
            sums.primitive_from += 1;
            sums.total_from += total;
        }
        sums.calls += 1;
        sums.own += total.saturating_sub(open.inner);
    }

    /// Ends all calls that are open.
    pub fn close(&mut self, ticks: u64) {
        while !self.open.is_empty() {
            self.pop(ticks);
        }
    }

    /// Forgets innermost calls of a function, as if they had never begun.
    pub fn forget_innermost(&mut self, wanted: u32) {
        while let Some(open) = self.open.last() {
            let Edge { function, pair, .. } = self.edges[open.edge as usize];
            if function != wanted {
                return;
            }
            self.levels[function as usize] -= 1;
            self.pairs[pair as usize] -= 1;
            self.open.pop();
        }
    }

    /// Takes what calls came to since it was taken last.
    pub fn take(&mut self, thread: u64, taken: &mut Vec<FunctionCalls>) {
        for edge in self.edges.iter_mut().filter(|edge| edge.sums.calls > 0) {
            taken.push(FunctionCalls {
                path: PathId(edge.path),
                thread,
                caller: edge.caller,
                function: edge.function,
                sums: std::mem::take(&mut edge.sums),
            });
        }
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
