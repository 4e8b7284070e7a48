//! Learning speed: when a metric first reaches a threshold.
//!
//! Recordings are asked by `laptime report --until` ([`crate::Until`]). Values that are not finite reach
//! nothing.

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

/// What values did with regard to a threshold. `At` is where one stands: an index, a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached<At> {
    /// The first value on the good side.
    pub first: Option<(At, f64)>,
    /// The best finite value and where it first stood.
    pub best: Option<(At, f64)>,
}

impl<At: Copy + Ord> Reached<At> {
    /// No value yet.
    pub fn new() -> Self {
        Self {
            first: None,
            best: None,
        }
    }

    /// Takes in a value, in any order.
    pub fn take(&mut self, at: At, value: f64, relation: Relation, threshold: f64) {
        let is_earlier = |known: Option<(At, f64)>| known.is_none_or(|(known, _)| at < known);
        if relation.holds(value, threshold) && is_earlier(self.first) {
            self.first = Some((at, value));
        }
        let is_best = self.best.is_none_or(|(known, best)| {
            relation.is_better(value, best) || (!relation.is_better(best, value) && at < known)
        });
        if value.is_finite() && is_best {
            self.best = Some((at, value));
        }
    }
}

impl<At: Copy + Ord> Default for Reached<At> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
#[path = "tests/relation.rs"]
mod tests;
