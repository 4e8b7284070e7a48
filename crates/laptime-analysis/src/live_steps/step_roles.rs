//! The role of each path for the steps: a step, a phase of one, or nothing to do with them.

use laptime_core::{PathId, PhaseName};

/// The role of a path for the steps of a name.
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
    /// Deeper inside a step.
    Inside,
}

/// The roles of all paths, found when they are defined.
#[derive(Debug)]
pub struct Roles {
    name: String,
    /// Names of steps that something made longer.
    aside: [String; 2],
    by_path: Vec<Role>,
    phases: Vec<String>,
}

impl Roles {
    /// Returns the roles for steps of this name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            aside: [PhaseName::COUNTED, PhaseName::PROFILED].map(|prefix| [prefix, name].concat()),
            by_path: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// Returns the name of steps.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes in the definition of a path, after that of its parent.
    pub fn define(&mut self, id: PathId, parent: PathId, name: &str) {
        let role = match self.role_of(parent) {
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

    /// Returns the role of a path.
    pub fn role_of(&self, id: PathId) -> Role {
        let known = self.by_path.get(id.index());
        known.copied().unwrap_or(Role::Outside)
    }

    /// Returns the name of a phase.
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
