//! The relation of a metric's values to a threshold, and the first that reaches it.
//!
//! `laptime report --until` asks recordings ([`crate::Until`]). Values that are not finite reach nothing.

/// The side of a threshold that is the good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Below it, `<`.
    Below,
    /// Below or at it, `<=`, for a loss.
    AtMost,
    /// Above it, `>`.
    Above,
    /// Above or at it, `>=`, for an accuracy.
    AtLeast,
}

impl Relation {
    /// All relations, by the way they are typed; the longer ones first.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Below),
        (">", Self::Above),
    ];

    /// Returns the relation as it is typed.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, relation)| *relation == self);
        found.map_or("", |(name, _)| name)
    }

    /// Tells whether a value is on the good side.
    pub fn holds(self, value: f64, threshold: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Below => value < threshold,
                Self::AtMost => value <= threshold,
                Self::Above => value > threshold,
                Self::AtLeast => value >= threshold,
            }
    }

    /// Tells whether a value is nearer to the good side than another.
    pub fn is_better(self, value: f64, than: f64) -> bool {
        match self {
            Self::Below | Self::AtMost => value < than,
            Self::Above | Self::AtLeast => value > than,
        }
    }
}

/// The first value that reached a threshold, and the best one. `At` is the place of a value: an index, or a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached<At> {
    /// The first value on the good side.
    pub first: Option<(At, f64)>,
    /// The best finite value, and its first place.
    pub best: Option<(At, f64)>,
}

impl<At: Copy + Ord> Reached<At> {
    /// Returns one that has no value yet.
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
