//! A span in nanoseconds, as every format takes it.

use laptime_core::{PathId, Span, SpanFlags, SpanMemory, SpanWork};

/// One span. Moments are since the recording's time zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanAt {
    /// Where it stands in the tree.
    pub path: PathId,
    /// Thread or task.
    pub track: u32,
    /// What is unusual about it.
    pub flags: SpanFlags,
    /// When it began: the `start_ns` of `Recording.spans()`.
    pub start_ns: u64,
    /// How long it ran: the `duration_ns` of `Recording.spans()`.
    pub duration_ns: u64,
    /// From its start to its end; longer than it ran where it was suspended meanwhile.
    pub reach_ns: u64,
    /// Start and end in ticks, which tell what is inside of what without a rounding.
    pub ticks: (u64, u64),
    /// CPU time of the process meanwhile.
    pub process_ns: Option<u64>,
    /// CPU time of the thread meanwhile.
    pub thread_ns: Option<u64>,
    /// From its start to its end, where it was suspended meanwhile.
    pub wall_ns: Option<u64>,
    /// Host memory.
    pub memory: Option<SpanMemory>,
    /// What the program says it did.
    pub work: SpanWork,
    /// Whether it was still open when its process ended: its end is that of the process.
    pub is_open: bool,
}

impl SpanAt {
    /// Of a span in ticks.
    #[inline]
    pub fn new(span: &Span, since: impl Fn(u64) -> u64, ns: impl Fn(u64) -> u64) -> Self {
        let duration_ns = ns(span.duration);
        let wall_ns = span.wall.map(&ns);
        Self {
            path: span.path,
            track: span.track,
            flags: span.flags,
            start_ns: since(span.start),
            duration_ns,
            reach_ns: wall_ns.unwrap_or(duration_ns),
            ticks: (span.start, span.end()),
            process_ns: span.process_ns,
            thread_ns: span.thread_ns,
            wall_ns,
            memory: span.memory,
            work: span.work,
            is_open: false,
        }
    }

    /// What is unusual about it, in words that join; what it carries aside.
    pub fn flag_names(&self) -> impl Iterator<Item = &'static str> {
        let flags = self.flags;
        let named = FLAGS.iter().filter(move |(flag, _)| flags.has(*flag));
        let open = self.is_open.then_some("open");
        named.map(|(_, name)| *name).chain(open)
    }

    /// The numbers that it carries, by the names of the columns.
    pub fn carried(&self) -> impl Iterator<Item = (&'static str, i128)> {
        let memory = self.memory;
        let unsigned = |number: Option<u64>| number.map(i128::from);
        [
            ("process_ns", unsigned(self.process_ns)),
            ("thread_ns", unsigned(self.thread_ns)),
            ("wall_ns", unsigned(self.wall_ns)),
            (
                "memory_net_bytes",
                memory.map(|memory| i128::from(memory.net_bytes)),
            ),
            (
                "memory_peak_bytes",
                unsigned(memory.map(|memory| memory.peak_bytes)),
            ),
            ("flop", self.work.flop.map(clamped)),
            ("bytes", self.work.bytes.map(clamped)),
        ]
        .into_iter()
        .filter_map(|(name, number)| Some((name, number?)))
    }
}

/// The largest half of what 128 bits hold is more than any program does.
fn clamped(number: u128) -> i128 {
    i128::try_from(number).unwrap_or(i128::MAX)
}

/// Flags that say something by themselves.
const FLAGS: [(SpanFlags, &str); 12] = [
    (SpanFlags::UNBALANCED, "unbalanced"),
    (SpanFlags::CONTINUES, "continues"),
    (SpanFlags::DETACHED, "detached"),
    (SpanFlags::ASIDE, "aside"),
    (SpanFlags::SUSPENDED, "suspended"),
    (SpanFlags::CLOSED_BY_PARENT, "closed by parent"),
    (SpanFlags::UNFINISHED, "unfinished"),
    (SpanFlags::IN_FLIGHT, "in flight"),
    (SpanFlags::WAITED, "waited"),
    (SpanFlags::HELD, "held"),
    (SpanFlags::REST, "rest"),
    (SpanFlags::WITHIN, "within"),
];
