//! How often stacks are looked at: a hundred times a second, or as seldom as limits ask for.
//!
//! Policy without a clock: it is told what a look cost and found, and answers how long to wait. Four
//! limits make the waits longer: processor time, bytes in the recording, a program that stands still,
//! and a machine without an idle processor.

/// Between two looks, on average, where nothing forbids it.
const PERIOD_NS: u64 = 10_000_000;
/// The same where no processor is idle: the sampler's thread then takes the place of one of the program's, whose
/// caches are colder afterwards, and others may wait for that one. It is the waking that costs, not the look.
const BUSY_PERIOD_NS: u64 = 50_000_000;
/// Looks that come as fast as elsewhere all the same, one second of them: of a run that is short, twenty a second see too
/// little, and a long one doesn't notice.
const FAST_LOOKS: u32 = 100;
/// Looking may take one part in so many of a processor: 1 %, with a fifth left for the recorder's other threads.
const PARTS: u64 = 125;
/// Processor time that may be spent fast at the start: first looks are dear, as code and memory are touched for the first
/// time, and so are those while modules are imported. A process of half a second is to be seen all the same.
const FIRST_CPU_NS: f64 = 2e7;
/// Processor time that may be saved later on.
const MOST_SAVED_CPU_NS: f64 = 5e6;
/// While nothing runs, the wait is this part of the time since something did.
const STILL_PART: u64 = 8;
/// The longest wait because nothing runs, on average.
const STILL_PERIOD_NS: u64 = 200_000_000;
/// Bytes that may be written fast: a run of some minutes is looked at as often as possible.
const MOST_SAVED_BYTES: f64 = 400_000.0;
/// Bytes that may be written in an hour beyond these. With both, and with the 1.1 MB of memory, waits and clocks that a
/// process writes without samples, it is 2 MB in the first hour. One thread that always runs takes 20 to 30 bytes a look.
const BYTES_AN_HOUR: f64 = 470_000.0;
/// Bytes that are saved may be spent in this time, at the fastest.
const SPEND_NS: f64 = 6e10;
const HOUR_NS: f64 = 3.6e12;
/// Bytes that may be written at once: they are told ten times a second, of many looks, and names are written where they
/// are met first.
const MOST_BYTES_AT_ONCE: f64 = 40_000.0;

/// What a look cost, and what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The time since the look before.
    pub since_ns: u64,
    /// Processor time that was spent since then, on looking and on writing what was seen.
    pub cpu_ns: u64,
    /// Bytes that were written since then.
    pub bytes: u64,
    /// How long no thread has run; 0 where one ran.
    pub still_ns: u64,
    /// Whether no processor is idle.
    pub is_busy: bool,
    /// Processes of the recording that run, and processors that they may use.
    pub processes: u64,
    /// See `processes`.
    pub processors: u64,
}

/// Says when the next look is due.
#[derive(Debug)]
pub struct Pace {
    /// Processor time that may be spent; below zero, what was spent too early.
    saved_cpu_ns: f64,
    /// Bytes that may be written now; below zero, what was written too early.
    bytes_now: f64,
    /// Bytes that may be written still, besides those that come by the hour.
    saved_bytes: f64,
    still_ns: u64,
    is_busy: bool,
    /// How many looks may still come fast though no processor is idle.
    fast_looks: u32,
    /// How many processes share a processor at least.
    sharing: u64,
    /// State of the generator that spreads the looks.
    random: u64,
}

impl Pace {
    /// Begins with the mean period. The seed tells processes apart.
    pub fn new(seed: u64) -> Self {
        Self {
            saved_cpu_ns: FIRST_CPU_NS,
            bytes_now: MOST_BYTES_AT_ONCE,
            saved_bytes: MOST_SAVED_BYTES,
            still_ns: 0,
            is_busy: false,
            fast_looks: FAST_LOOKS,
            sharing: 1,
            // Zero is the one state that xorshift doesn't leave.
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// Takes in a look.
    pub fn take(&mut self, look: &Look) {
        self.sharing = (look.processes.div_ceil(look.processors.max(1))).max(1);
        let new_ns = look.since_ns as f64 / self.parts() - look.cpu_ns as f64;
        let most_ns = self.saved_cpu_ns.max(MOST_SAVED_CPU_NS);
        self.saved_cpu_ns = (self.saved_cpu_ns + new_ns).min(most_ns);
        let now = look.since_ns as f64 * self.bytes_per_ns() - look.bytes as f64;
        self.bytes_now = (self.bytes_now + now).min(MOST_BYTES_AT_ONCE);
        let new = look.since_ns as f64 / HOUR_NS * BYTES_AN_HOUR - look.bytes as f64;
        self.saved_bytes = (self.saved_bytes + new).min(MOST_SAVED_BYTES);
        self.still_ns = look.still_ns;
        self.is_busy = look.is_busy;
        self.fast_looks = self.fast_looks.saturating_sub(u32::from(look.is_busy));
    }

    /// How long to wait for the next look: half to one and a half times the period, evenly.
    ///
    /// An even rhythm would meet a program that has one of its own always at the same point.
    pub fn wait_ns(&mut self) -> u64 {
        let period = self.period_ns();
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (period / 2).saturating_add(self.random % period)
    }

    fn period_ns(&self) -> u64 {
        let usual = if self.is_busy && self.fast_looks == 0 {
            BUSY_PERIOD_NS
        } else {
            PERIOD_NS
        };
        // A wait of a fixed part of the time so far: what begins to run is seen before it is long, compared with
        // how long nothing ran.
        let still = (self.still_ns / STILL_PART).min(STILL_PERIOD_NS);
        let by_cost = (-self.saved_cpu_ns * self.parts()).max(0.0) as u64;
        usual.max(still).max(by_cost).max(self.by_bytes_ns())
    }

    /// The part of a processor that looking may take is one in so many.
    fn parts(&self) -> f64 {
        PARTS.saturating_mul(self.sharing) as f64
    }

    /// The period at which the looks write no more than they may.
    fn by_bytes_ns(&self) -> u64 {
        ((-self.bytes_now).max(0.0) / self.bytes_per_ns()) as u64
    }

    /// How fast bytes may be written: as what is saved allows.
    fn bytes_per_ns(&self) -> f64 {
        let by_the_hour = BYTES_AN_HOUR / HOUR_NS;
        if self.saved_bytes > 0.0 {
            by_the_hour + self.saved_bytes / SPEND_NS
        } else {
            by_the_hour / 2.0
        }
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
