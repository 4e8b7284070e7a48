//! What each path is to the steps: one, a phase of one, or nothing to do with them.

use laptime_core::{PathId, PhaseName};

/// What a path is to the steps of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Neither a step nor in one.
    Outside,
    /// A step.
    Step,
    /// A step whose operations were being counted, which made it longer: only its number counts.
    Counted,
    /// A phase: directly inside a step.
    Phase(usize),
    /// Deeper inside.
    Inside,
}

/// The roles of all paths, found when they are defined.
#[derive(Debug)]
pub struct Roles {
    name: String,
    /// What they are called where something made them longer.
    aside: [String; 2],
    by_path: Vec<Role>,
    phases: Vec<String>,
}

impl Roles {
    /// Of steps of this name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            aside: [PhaseName::COUNTED, PhaseName::PROFILED]
                .map(|prefix| format!("{prefix}{name}")),
            by_path: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// The name of steps.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A path is defined; its parent was before.
    pub fn define(&mut self, id: PathId, parent: PathId, name: &str) {
        let role = match self.of(parent) {
            Role::Outside if name == self.name => Role::Step,
            Role::Outside if self.aside.iter().any(|aside| name == aside) => Role::Counted,
            Role::Outside => Role::Outside,
            Role::Step => Role::Phase(self.number(name)),
            Role::Counted | Role::Phase(_) | Role::Inside => Role::Inside,
        };
        if self.by_path.len() <= id.index() {
            self.by_path.resize(id.index() + 1, Role::Outside);
        }
        self.by_path[id.index()] = role;
    }

    /// What a path is.
    pub fn of(&self, id: PathId) -> Role {
        let known = self.by_path.get(id.index());
        known.copied().unwrap_or(Role::Outside)
    }

    /// The name of a phase.
    pub fn phase(&self, number: usize) -> &str {
        self.phases.get(number).map_or("", String::as_str)
    }

    fn number(&mut self, name: &str) -> usize {
        let known = self.phases.iter().position(|phase| phase == name);
        known.unwrap_or_else(|| {
            self.phases.push(name.to_owned());
            self.phases.len() - 1
        })
    }
}
