//! Leftovers of the wall time: before the first lap, between laps, and after the last.

/// Name of the wall time that no span covers.
pub const OTHER: &str = "other";
/// Name of the leftover before the first lap.
pub const STARTUP: &str = "startup";
/// Name of the leftover from the last lap until the interpreter begins to exit.
pub const AFTER: &str = "after";
/// Name of the leftover in which the interpreter exits; where that moment isn't known, of all after
/// the last lap.
pub const EXIT: &str = "exit";

/// Name of the leftover behind the last lap that was recorded, where later ones are missing.
pub const LOST: &str = "lost";

/// Wall time outside of spans; `None` where it makes no sense.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_field_names,
    reason = "a number's name ends in its unit"
)]
pub struct Leftovers {
    /// Time before the first outermost span, and before the process started one that is measured with it.
    pub startup_ns: Option<u64>,
    /// Time between outermost spans, or everything where the process's own start and end are not part of the
    /// wall time.
    pub other_ns: Option<u64>,
    /// Time from the last outermost span, and the end of the processes started in it, until the interpreter
    /// begins to exit, where that is much.
    pub after_ns: Option<u64>,
    /// The rest after the last outermost span.
    pub exit_ns: Option<u64>,
    /// Time in the place of both where the recording ends before the process does: what ran then isn't known.
    pub lost_ns: Option<u64>,
}

impl Leftovers {
    /// Adds the leftovers of another process.
    pub fn add(&mut self, other: Self) {
        for (sum, part) in [
            (&mut self.startup_ns, other.startup_ns),
            (&mut self.other_ns, other.other_ns),
            (&mut self.after_ns, other.after_ns),
            (&mut self.exit_ns, other.exit_ns),
            (&mut self.lost_ns, other.lost_ns),
        ] {
            *sum = match (*sum, part) {
                (Some(sum), Some(part)) => Some(sum.saturating_add(part)),
                (sum, part) => sum.or(part),
            };
        }
    }

    /// Returns the leftovers that there are, with their names.
    pub fn with_names(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            (STARTUP, self.startup_ns),
            (OTHER, self.other_ns),
            (AFTER, self.after_ns),
            (EXIT, self.exit_ns),
            (LOST, self.lost_ns),
        ];
        all.into_iter().filter_map(|(name, ns)| Some((name, ns?)))
    }
}
