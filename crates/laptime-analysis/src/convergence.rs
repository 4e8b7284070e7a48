//! Learning speed: when a metric first reaches a threshold.
//!
//! [`first_reached`] looks at a plain series and serves `laptime.timing`; recordings are
//! asked by the command line. Values that are not finite reach nothing.

/// Which side of the threshold is the good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`, as for a loss.
    AtMost,
    /// `>`
    Above,
    /// `>=`, as for an accuracy.
    AtLeast,
}

impl Relation {
    /// All, by how they are typed; the longer ones first.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Below),
        (">", Self::Above),
    ];

    /// How it is typed.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, relation)| *relation == self);
        found.map_or("", |(name, _)| name)
    }

    /// Whether a value is on the good side.
    pub fn holds(self, value: f64, threshold: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Below => value < threshold,
                Self::AtMost => value <= threshold,
                Self::Above => value > threshold,
                Self::AtLeast => value >= threshold,
            }
    }

    /// Whether a value is nearer to the good side than another.
    pub fn is_better(self, value: f64, than: f64) -> bool {
        match self {
            Self::Below | Self::AtMost => value < than,
            Self::Above | Self::AtLeast => value > than,
        }
    }
}

/// What a series did with regard to a threshold. Indices count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reached {
    /// The first value on the good side.
    pub first: Option<usize>,
    /// The best finite value and where it first stood.
    pub best: Option<(usize, f64)>,
}

/// Finds the first value that reaches the threshold, and the best one of all.
pub fn first_reached(values: &[f64], relation: Relation, threshold: f64) -> Reached {
    let mut reached = Reached::default();
    for (index, value) in values.iter().copied().enumerate() {
        if reached.first.is_none() && relation.holds(value, threshold) {
            reached.first = Some(index);
        }
        let is_best = reached
            .best
            .is_none_or(|(_, best)| relation.is_better(value, best));
        if value.is_finite() && is_best {
            reached.best = Some((index, value));
        }
    }
    reached
}

#[cfg(test)]
#[path = "convergence_tests.rs"]
mod tests;
