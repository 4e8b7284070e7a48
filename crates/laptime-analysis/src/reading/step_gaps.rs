//! The time between one step and the next of a series, as it usually is.
//!
//! Gaps that come now and then, such as an evaluation between two epochs, are left out: they are no part of what one
//! iteration of the loop takes. Input are steps in the order in which they began, in ticks; where they come in another
//! order, or overlap, nothing is said.

/// One step, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Start of its first piece.
    pub start: u64,
    /// Duration of all its pieces.
    pub duration: u64,
}

/// From so many times the median on, a gap is one that comes now and then.
const FAR_FACTOR: u64 = 10;
/// The largest part of gaps that may come now and then: of more it can't be said which ones are usual.
const FAR_RATIO: f64 = 0.1;

/// Gaps between steps beyond the first ones, added up one by one.
#[derive(Debug, Clone, Default)]
pub struct LaterGaps {
    /// End of the step before.
    latest_end: u64,
    /// From so many ticks on, a gap is left out.
    far: u64,
    gaps: Gaps,
    is_unordered: bool,
}

/// Usual gaps, how many there are, and how many others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gaps {
    count: u64,
    total: u64,
    far_count: u64,
}

impl Gaps {
    fn add(&mut self, gap: u64, far: u64) {
        if gap >= far {
            self.far_count += 1;
            return;
        }
        self.count += 1;
        self.total = self.total.saturating_add(gap);
    }

    fn with(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            total: self.total.saturating_add(other.total),
            far_count: self.far_count + other.far_count,
        }
    }

    /// Returns the mean of the usual ones, in ticks; `None` where there are none, or too many others.
    fn mean(self) -> Option<f64> {
        let all = self.count + self.far_count;
        let is_usual = self.count > 0 && self.far_count as f64 <= FAR_RATIO * all as f64;
        is_usual.then(|| self.total as f64 / self.count as f64)
    }
}

impl LaterGaps {
    /// Begins behind the first steps; `None` where these say nothing.
    pub fn after(first: &[Step]) -> Option<Self> {
        let last = first.last()?;
        Some(Self {
            latest_end: last.start.saturating_add(last.duration),
            far: far(&gaps(first)?),
            gaps: Gaps::default(),
            is_unordered: false,
        })
    }

    /// Adds the next step.
    pub fn push(&mut self, start: u64, duration: u64) {
        match start.checked_sub(self.latest_end) {
            Some(gap) => self.gaps.add(gap, self.far),
            None => self.is_unordered = true,
        }
        self.latest_end = self.latest_end.max(start.saturating_add(duration));
    }
}

/// Returns what usually lies between two steps, in ticks, on average: of the first ones, which are given, and of those
/// that came later.
pub fn usual(first: &[Step], later: Option<&LaterGaps>) -> Option<f64> {
    if later.is_some_and(|later| later.is_unordered) {
        return None;
    }
    let each = gaps(first)?;
    let far = far(&each);
    let mut sum = Gaps::default();
    for gap in each {
        sum.add(gap, far);
    }
    sum.with(later.map(|later| later.gaps).unwrap_or_default())
        .mean()
}

/// Returns the gaps between steps; `None` where these overlap, or are too few.
fn gaps(steps: &[Step]) -> Option<Vec<u64>> {
    let each = steps.windows(2).map(|pair| {
        let end = pair[0].start.checked_add(pair[0].duration)?;
        pair[1].start.checked_sub(end)
    });
    let each: Vec<u64> = each.collect::<Option<_>>()?;
    (!each.is_empty()).then_some(each)
}

/// Returns the ticks from which on a gap is one that comes now and then.
fn far(gaps: &[u64]) -> u64 {
    let mut sorted = gaps.to_vec();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
    median.saturating_mul(FAR_FACTOR).saturating_add(1)
}

#[cfg(test)]
#[path = "tests/step_gaps.rs"]
mod tests;
