//! A finished span, as the recorder wrote it and the analysis reads it.
//!
//! Times are in ticks of the process's clock; [`crate::ClockMap`] turns them into
//! nanoseconds. The flags say in what way a span is unusual.

use crate::memory::SpanMemory;
use crate::path::PathId;
use crate::work::SpanWork;

/// What is unusual about a span. A bit set, written as one varint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpanFlags(pub u64);

impl SpanFlags {
    /// Nothing unusual.
    pub const NONE: Self = Self(0);
    /// Closed out of order: another span that was opened inside was still open.
    pub const UNBALANCED: Self = Self(1);
    /// Goes on with the previous span of the same path: its duration adds to that one and counts no span.
    pub const CONTINUES: Self = Self(2);
    /// Ran on another track than its parent, so its time is not part of the parent's own.
    pub const DETACHED: Self = Self(4);
    /// A timer's segment: it may overlap its siblings, so it is not taken from the parent's own time.
    pub const ASIDE: Self = Self(8);
    /// Carries process CPU time.
    pub const PROCESS_TIME: Self = Self(16);
    /// Carries thread CPU time.
    pub const THREAD_TIME: Self = Self(32);
    /// The duration is the time it ran; the record carries the wall time from first start to end too.
    pub const SUSPENDED: Self = Self(64);
    /// Closed by the recorder because its parent closed.
    pub const CLOSED_BY_PARENT: Self = Self(128);
    /// Carries host memory.
    pub const MEMORY: Self = Self(256);
    /// Cut short by an exception: a part of a span, which is time of its path and counts no span.
    pub const UNFINISHED: Self = Self(512);
    /// Carries the FLOP that the program says it did.
    pub const FLOP: Self = Self(1024);
    /// Carries the bytes that the program says it moved.
    pub const BYTES: Self = Self(2048);
    /// What JAX launched in it was still being computed when it ended.
    pub const IN_FLIGHT: Self = Self(4096);
    /// What JAX launched in it was ready when it ended.
    pub const WAITED: Self = Self(8192);
    /// Its time is in that of the span around it: of the same path, which stands for all of a deep recursion, or of
    /// any where it has no path of its own.
    pub const INSIDE: Self = Self(16384);
    /// Held its thread: the task that ran it gave no other one a turn meanwhile. Told of spans of 20 ms or more.
    pub const HELD: Self = Self(32768);

    /// Aside, and in another one that is: what it takes is no more the own time of that one.
    pub const WITHIN: Self = Self(131_072 | 8);

    /// Unfinished, and the rest of what began in a row of another name: the two are one span, and neither counts one.
    pub const REST: Self = Self(65536 | 512);

    /// [`Self::REST`], if it is so.
    #[inline]
    pub const fn rest_if(is_rest: bool) -> Self {
        if is_rest { Self::REST } else { Self::NONE }
    }

    /// [`Self::INSIDE`], if it is so.
    #[inline]
    pub const fn inside_if(is_inside: bool) -> Self {
        if is_inside { Self::INSIDE } else { Self::NONE }
    }

    /// Whether all bits of `other` are set.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether such a span is one of its own: no piece of an earlier one, and not cut short.
    #[inline]
    pub const fn is_whole(self) -> bool {
        !self.has(Self::CONTINUES) && !self.has(Self::UNFINISHED)
    }

    /// Whether the time of such a span is in no other's: its parent ran elsewhere, or it stands beside.
    #[inline]
    pub const fn is_apart(self) -> bool {
        self.has(Self::DETACHED) || self.has(Self::ASIDE)
    }

    /// Whether its parent's own time loses nothing to such a span.
    #[inline]
    pub const fn takes_nothing(self) -> bool {
        self.is_apart() && !self.has(Self::WITHIN)
    }

    /// Both sets of bits.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One finished span.
///
/// **Units** ticks for start, duration and wall; nanoseconds for CPU times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where it stands in the tree.
    pub path: PathId,
    /// When it opened.
    pub start: u64,
    /// How long it ran.
    pub duration: u64,
    /// The thread or task it ran on.
    pub track: u32,
    /// What is unusual about it.
    pub flags: SpanFlags,
    /// CPU time of the process meanwhile, with [`SpanFlags::PROCESS_TIME`].
    pub process_ns: Option<u64>,
    /// CPU time of the thread meanwhile, with [`SpanFlags::THREAD_TIME`].
    pub thread_ns: Option<u64>,
    /// Ticks from first start to end, with [`SpanFlags::SUSPENDED`].
    pub wall: Option<u64>,
    /// Host memory, with [`SpanFlags::MEMORY`].
    pub memory: Option<SpanMemory>,
    /// What it did, with [`SpanFlags::FLOP`] and [`SpanFlags::BYTES`].
    pub work: SpanWork,
}

impl Span {
    /// An ordinary span: no flags, no CPU times.
    #[inline]
    pub const fn plain(path: PathId, start: u64, duration: u64, track: u32) -> Self {
        Self {
            path,
            start,
            duration,
            track,
            flags: SpanFlags::NONE,
            process_ns: None,
            thread_ns: None,
            wall: None,
            memory: None,
            work: SpanWork {
                flop: None,
                bytes: None,
            },
        }
    }

    /// Adds memory to a span, when that was counted.
    #[must_use]
    pub const fn with_memory(mut self, memory: Option<SpanMemory>) -> Self {
        if memory.is_some() {
            self.flags = self.flags.with(SpanFlags::MEMORY);
        }
        self.memory = memory;
        self
    }

    /// Adds work to a span, as far as that was given.
    #[must_use]
    pub const fn with_work(mut self, work: SpanWork) -> Self {
        if work.flop.is_some() {
            self.flags = self.flags.with(SpanFlags::FLOP);
        }
        if work.bytes.is_some() {
            self.flags = self.flags.with(SpanFlags::BYTES);
        }
        self.work = work;
        self
    }

    /// When it closed, in ticks.
    #[inline]
    pub const fn end(&self) -> u64 {
        match self.wall {
            Some(wall) => self.start.saturating_add(wall),
            None => self.start.saturating_add(self.duration),
        }
    }
}
