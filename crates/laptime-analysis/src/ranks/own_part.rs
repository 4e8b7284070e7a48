//! Parts of a step that a rank's own work is made of.

/// A part of a step in which a rank does work of its own, and waits for no other rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OwnPart {
    /// Waiting for a batch.
    Data,
    /// From inputs to a loss.
    Forward,
    /// From the loss to gradients, without their exchange.
    Backward,
    /// From gradients to new weights.
    Optimizer,
    /// Everything else from a step's start to the next one's: logging, saving, evaluation.
    Other,
}

impl OwnPart {
    /// All parts, in the order of a step.
    pub const ALL: [Self; 5] = [
        Self::Data,
        Self::Forward,
        Self::Backward,
        Self::Optimizer,
        Self::Other,
    ];
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Optimizer => "optimizer",
            Self::Other => "other",
        }
    }

    /// Whether a rank that is longer in it is slow. In the rest a rank does what its peers don't do.
    pub fn is_shared_work(self) -> bool {
        self != Self::Other
    }
}
