//! The paths of a process, and what their names say.

use laptime_core::{PathId, PathTable, PhaseName};

/// Every path that was opened so far.
#[derive(Debug)]
pub struct Paths(pub PathTable);

impl Paths {
    pub fn new() -> Self {
        Self(PathTable::new())
    }

    pub fn intern(&mut self, parent: PathId, name: &str) -> PathId {
        self.0.intern(parent, name)
    }

    /// The names of a path, outermost first.
    pub fn names(&self, path: PathId) -> Vec<String> {
        let names = self.0.names(path);
        names.into_iter().map(str::to_owned).collect()
    }

    /// Whether a path is another one or lies inside of it.
    pub fn is_within(&self, path: PathId, outer: PathId) -> bool {
        let mut at = path;
        while at != outer {
            let Some(entry) = self.0.get(at) else {
                return false;
            };
            at = entry.parent;
        }
        true
    }

    /// The last name of a path; empty for one that is not known.
    pub fn name(&self, path: PathId) -> String {
        let entry = self.0.get(path);
        entry.map_or_else(String::new, |entry| entry.name.to_string())
    }

    /// The path that a path has when nothing of it is set aside; `None` when nothing is.
    pub fn plain(&mut self, path: PathId) -> Option<PathId> {
        let names = self.names(path);
        if !names
            .iter()
            .any(|name| PhaseName::of_counted(name).is_some())
        {
            return None;
        }
        Some(names.iter().fold(PathId::ROOT, |parent, name| {
            let name = PhaseName::of_counted(name).map_or(name.as_str(), |phase| phase.text());
            self.intern(parent, name)
        }))
    }
}
