//! The way from a profiler's clock to that of laps.
//!
//! A profiler may use another clock than the recording, by its version and the machine. Marks that were
//! opened and closed between two looks at our clock tie them together: the tightest one of the first
//! half and of the second half, and a straight line through both.

/// A mark of a profiler, between two looks at our clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bracket {
    /// Ticks of our clock before and after the mark.
    pub ticks: (u64, u64),
    /// Start and end of the mark, in nanoseconds of the profiler's clock.
    pub profiler_ns: (u64, u64),
}

/// A moment on both clocks.
#[derive(Debug, Clone, Copy)]
struct Tie {
    ticks: f64,
    ns: f64,
    within_ns: f64,
}

/// The line from a profiler's clock to ours.
#[derive(Debug, Clone, Copy)]
pub struct Alignment {
    /// Moments from which differences are taken: as floating-point numbers, moments are too large.
    base: (u64, u64),
    first: Tie,
    last: Tie,
    ns_per_tick: f64,
}

/// Largest drift between two marks on one machine at rest.
const MOST_DRIFT_NS: f64 = 100_000.0;

impl Alignment {
    /// Aligns two clocks by marks in the order in which they were made; `None` without one that makes sense.
    pub fn from_brackets(brackets: &[Bracket], ns_per_tick: f64) -> Option<Self> {
        let base = brackets.first()?;
        let base = (base.ticks.0, base.profiler_ns.0);
        let ties: Vec<Tie> = brackets
            .iter()
            .filter_map(|one| tie(one, base, ns_per_tick))
            .collect();
        let (early, late) = ties.split_at(ties.len() / 2);
        let last = tightest(late)?;
        Some(Self {
            base,
            first: tightest(early).unwrap_or(last),
            last,
            ns_per_tick,
        })
    }

    /// Returns a moment of the profiler's clock in ticks of ours.
    pub fn ticks(&self, profiler_ns: u64) -> u64 {
        let (first, last) = (self.first, self.last);
        let ns = profiler_ns.wrapping_sub(self.base.1) as i64 as f64;
        let is_one = last.ns - first.ns < 1.0 || self.drift_ns() > MOST_DRIFT_NS;
        let ticks_per_ns = if is_one {
            1.0 / self.ns_per_tick
        } else {
            (last.ticks - first.ticks) / (last.ns - first.ns)
        };
        let since = ((ns - first.ns) * ticks_per_ns + first.ticks).round();
        self.base.0.saturating_add_signed(since as i64)
    }

    /// Returns how far a moment may be off.
    pub fn within_ns(&self) -> u64 {
        self.first.within_ns.max(self.last.within_ns).ceil() as u64
    }

    /// Returns how far the clocks drifted apart from the first mark to the last one.
    pub fn drift_ns(&self) -> f64 {
        let ours = (self.last.ticks - self.first.ticks) * self.ns_per_tick;
        (ours - (self.last.ns - self.first.ns)).abs()
    }

    /// Tells whether the clocks drifted so far apart that operators may be in the wrong laps.
    pub fn is_doubtful(&self) -> bool {
        self.drift_ns() > MOST_DRIFT_NS
    }
}

fn tie(one: &Bracket, base: (u64, u64), ns_per_tick: f64) -> Option<Tie> {
    let ours = one.ticks.1.checked_sub(one.ticks.0)? as f64 * ns_per_tick;
    let theirs = one.profiler_ns.1.checked_sub(one.profiler_ns.0)? as f64;
    let middle = |(from, to): (u64, u64), base: u64| {
        let since = |at: u64| at.wrapping_sub(base) as i64 as f64;
        f64::midpoint(since(from), since(to))
    };
    Some(Tie {
        ticks: middle(one.ticks, base.0),
        ns: middle(one.profiler_ns, base.1),
        within_ns: ((ours - theirs) / 2.0).max(0.0),
    })
}

fn tightest(ties: &[Tie]) -> Option<Tie> {
    let by = |one: &&Tie, other: &&Tie| one.within_ns.total_cmp(&other.within_ns);
    ties.iter().min_by(by).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a mark at a moment of our clock, on a clock that is `ahead` and runs at `rate`; 3 ticks a
    /// nanosecond.
    fn bracket(at: u64, slack: u64, rate: f64) -> Bracket {
        let theirs = |ticks: u64| 1_700_000_000_000_000_000 + (ticks as f64 / 3.0 * rate) as u64;
        Bracket {
            ticks: (at, at + 300 + 2 * slack),
            profiler_ns: (theirs(at + slack), theirs(at + 300 + slack)),
        }
    }

    #[test]
    fn a_moment_is_told_within_what_the_marks_leave_open() {
        let marks = [
            (0, 900),
            (3_000, 30),
            (300_000_000, 60),
            (300_010_000, 3_000),
        ];
        let marks = marks.map(|(at, slack)| bracket(at, slack, 1.000_01));
        let clock = Alignment::from_brackets(&marks, 1.0 / 3.0).unwrap();
        assert!(!clock.is_doubtful());
        assert_eq!(clock.within_ns(), 20);
        let told = clock.ticks(1_700_000_000_000_000_000 + 50_000_500);
        assert!(told.abs_diff(150_000_000) <= 2 * 60, "{told}");
    }

    #[test]
    fn a_clock_that_was_set_meanwhile_is_doubtful() {
        let mut marks = [bracket(0, 30, 1.0), bracket(300_000_000, 30, 1.0)];
        marks[1].profiler_ns.0 += 1_000_000_000;
        marks[1].profiler_ns.1 += 1_000_000_000;
        let clock = Alignment::from_brackets(&marks, 1.0 / 3.0).unwrap();
        assert!(clock.is_doubtful());
        assert!(clock.ticks(1_700_000_000_000_000_000).abs_diff(0) < 300);
        assert!(Alignment::from_brackets(&[], 1.0).is_none());
    }
}
