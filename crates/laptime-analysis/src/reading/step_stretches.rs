//! Steps of a whole run in stretches, with the time that each took and the memory that it left: input is each step as it is read, output
//! are stretches of steps for [`crate::summarize::memory_growth`] and [`crate::summarize::input_growth`].
//!
//! When too many stretches are kept, each two become one, so their number is bounded however long a run is.

/// Most stretches.
const MOST: usize = 512;

/// Steps that follow each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stretch {
    /// Start of the first step, in ticks.
    pub start: u64,
    /// Number of steps.
    pub count: u64,
    /// Time that they took, in ticks.
    pub duration: u64,
    /// End of the last one, in ticks.
    pub end: u64,
    /// Bytes left by the steps whose memory was counted.
    pub net_bytes: i64,
    /// Number of steps whose memory was counted.
    pub counted: u64,
}

/// All steps of a path, in stretches.
#[derive(Debug, Clone)]
pub struct StepStretches {
    stretches: Vec<Stretch>,
    /// Steps in each stretch.
    every: u64,
}

impl Default for StepStretches {
    fn default() -> Self {
        Self {
            stretches: Vec::new(),
            every: 1,
        }
    }
}

impl StepStretches {
    /// Adds a step by its start and duration, or a further piece of the last one.
    pub fn push(&mut self, (start, duration): (u64, u64), continues: bool, net_bytes: Option<i64>) {
        let needs_new = self
            .stretches
            .last()
            .is_none_or(|last| !continues && last.count >= self.every);
        if needs_new {
            if self.stretches.len() >= MOST {
                self.halve();
            }
            self.stretches.push(Stretch {
                start,
                ..Stretch::default()
            });
        }
        let Some(last) = self.stretches.last_mut() else {
            return;
        };
        last.count += u64::from(!continues || last.count == 0);
        last.duration = last.duration.saturating_add(duration);
        last.end = last.end.max(start.saturating_add(duration));
        last.counted += u64::from(net_bytes.is_some());
        last.net_bytes = last.net_bytes.saturating_add(net_bytes.unwrap_or(0));
    }

    fn halve(&mut self) {
        let pairs = self.stretches.chunks(2).map(|pair| {
            let sum = |one: Stretch, other: &Stretch| Stretch {
                start: one.start.min(other.start),
                count: one.count + other.count,
                duration: one.duration.saturating_add(other.duration),
                end: one.end.max(other.end),
                net_bytes: one.net_bytes.saturating_add(other.net_bytes),
                counted: one.counted + other.counted,
            };
            pair[1..].iter().fold(pair[0], sum)
        });
        self.stretches = pairs.collect();
        self.every *= 2;
    }

    /// Returns the stretches that begin at a moment or later, in order.
    pub fn since(&self, from: u64) -> Vec<Stretch> {
        let each = self.stretches.iter().copied();
        let mut since: Vec<Stretch> = each.filter(|one| one.start >= from).collect();
        since.sort_unstable_by_key(|one| one.start);
        since
    }
}

/// Returns how many steps had begun at a moment, with the part of the one that ran; the last ends at `to`.
pub fn steps_until(stretches: &[Stretch], at: u64, to: u64) -> f64 {
    let begun = stretches.partition_point(|one| one.start <= at);
    let Some(last) = begun.checked_sub(1).map(|index| stretches[index]) else {
        return 0.0;
    };
    let before: u64 = stretches[..begun - 1].iter().map(|one| one.count).sum();
    let end = stretches.get(begun).map_or(to, |next| next.start);
    let part = (at - last.start) as f64 / end.saturating_sub(last.start).max(1) as f64;
    before as f64 + part.min(1.0) * last.count as f64
}

#[cfg(test)]
#[path = "tests/step_stretches.rs"]
mod tests;
