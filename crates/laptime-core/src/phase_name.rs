//! The words of a training's phases: who names spans and who looks for them share these.

/// What `laptime` calls a part of a training, or of an inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PhaseName {
    /// One update of the weights, with what led to it.
    Step,
    /// Forwards that no update follows: validation, inference.
    Evaluation,
    /// Batches that went into no model.
    Loading,
    /// Waiting for a batch.
    Data,
    /// From inputs to a loss.
    Forward,
    /// From the loss to gradients.
    Backward,
    /// From gradients to new weights.
    Optimizer,
    /// A graph is being compiled.
    Compile,
    /// Data is exchanged with other processes.
    Communication,
    /// What was compiled by an earlier run is being read: a part of that.
    Cached,
    /// A pass over the training data. A mark, not a span.
    Epoch,
}

impl PhaseName {
    /// What stands before the name of what ran while its operations were counted, which made it
    /// longer: `counted step`.
    pub const COUNTED: &str = "counted ";
    /// What stands before the name of what ran while a profiler was on, which made it longer:
    /// `profiled step`.
    pub const PROFILED: &str = "profiled ";

    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Step,
        Self::Evaluation,
        Self::Loading,
        Self::Data,
        Self::Forward,
        Self::Backward,
        Self::Optimizer,
        Self::Compile,
        Self::Communication,
        Self::Cached,
        Self::Epoch,
    ];

    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Evaluation => "evaluation",
            Self::Loading => "loading",
            Self::Data => "data",
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Optimizer => "optimizer",
            Self::Compile => "compile",
            Self::Communication => "communication",
            Self::Cached => "cached",
            Self::Epoch => "epoch",
        }
    }

    /// The one that is written so.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.text() == text)
    }

    /// Whether others lie inside: a step or an evaluation.
    pub const fn is_unit(self) -> bool {
        matches!(self, Self::Step | Self::Evaluation)
    }

    /// The one that ran under this name while its operations were counted, or while it was profiled.
    pub fn of_counted(text: &str) -> Option<Self> {
        let mut prefixes = [Self::COUNTED, Self::PROFILED].into_iter();
        let name = prefixes.find_map(|prefix| text.strip_prefix(prefix))?;
        Self::of(name).filter(|name| {
            name.is_unit() || matches!(name, Self::Forward | Self::Backward | Self::Optimizer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_by_its_text() {
        for (number, name) in PhaseName::ALL.into_iter().enumerate() {
            assert_eq!(name as usize, number);
            assert_eq!(PhaseName::of(name.text()), Some(name));
            assert_eq!(PhaseName::of_counted(name.text()), None);
        }
        assert_eq!(PhaseName::of("counted step"), None);
        for text in ["counted step", "profiled step"] {
            assert_eq!(PhaseName::of_counted(text), Some(PhaseName::Step));
        }
        assert_eq!(
            PhaseName::of_counted("counted data"),
            None,
            "it is not counted"
        );
    }
}
