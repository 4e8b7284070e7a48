//! The role of a path in the summary, beside its totals: found once for a path, asked for every span.

use laptime_core::{PathId, PathTable, PhaseName};

/// The name of a step.
pub const STEP: &str = PhaseName::Step.text();

/// The role of a path: whether its spans are more than their totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRole {
    /// A path of which only totals are needed.
    Plain,
    /// A path of whose spans features look at each.
    Noted(Noted),
}

/// Reasons for which the spans of a path are worth noting; by default none, for unusual spans of plain paths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of a path that features ask for by itself"
)]
pub struct Noted {
    /// The unit of an epoch that the spans are, counted ones too.
    pub phase: Option<PhaseName>,
    /// Whether the spans are steps inside of steps, which are no further ones of an epoch.
    pub is_nested: bool,
    /// Whether the spans' name is that of a step.
    pub is_step: bool,
    /// Whether the spans are children of no span.
    pub is_outermost: bool,
    /// Whether the spans may be what a program without steps does again and again.
    pub is_work: bool,
    /// Whether the spans are waits for data within something else.
    pub is_data: bool,
}

impl PathRole {
    fn find(id: PathId, name: &str, parent: PathId, paths: &PathTable) -> Self {
        let counted_too = |name: &str| PhaseName::of(name).or_else(|| PhaseName::of_counted(name));
        let phase = counted_too(name);
        let phase = phase.filter(|phase| phase.is_unit() || *phase == PhaseName::Epoch);
        let is_outermost = parent == PathId::ROOT;
        let is_data = !is_outermost && name == PhaseName::Data.text();
        if phase.is_none() && !is_outermost && !is_data {
            return Self::Plain;
        }
        let is_step = |name: &&str| counted_too(name) == Some(PhaseName::Step);
        let is_nested = is_step(&name) && paths.names(parent).iter().any(is_step);
        Self::Noted(Noted {
            phase,
            is_nested,
            is_step: name == STEP,
            is_outermost,
            // Spans of `<overflow>` have one path and different names.
            is_work: is_outermost && name != PhaseName::Compile.text() && id != PathId::OVERFLOW,
            is_data,
        })
    }
}

/// The roles of all paths of a process.
#[derive(Debug, Default)]
pub struct PathRoles(Vec<PathRole>);

impl PathRoles {
    /// Finds the role of a path that `paths` has now.
    pub fn define(&mut self, id: PathId, parent: PathId, name: &str, paths: &PathTable) {
        if self.0.len() <= id.index() {
            self.0.resize(id.index() + 1, PathRole::Plain);
        }
        self.0[id.index()] = PathRole::find(id, name, parent, paths);
    }

    /// Returns why a path's spans are worth noting; `None` of a plain path.
    #[inline]
    pub fn noted(&self, id: PathId) -> Option<Noted> {
        match self.0.get(id.index()) {
            Some(PathRole::Noted(noted)) => Some(*noted),
            _ => None,
        }
    }
}
