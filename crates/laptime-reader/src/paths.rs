//! Paths of a file, checked: parents have smaller numbers than their children, and none lies too deep.
//!
//! A file may nest its paths deeper than any program does. Whoever reads must stay fast and small
//! all the same, so what lies deeper than [`PathTable::MOST_LEVELS`] folds
//! into one path called [`PathTable::DEEP_NAME`] below the last level that is kept: its spans are those of
//! the first level beyond; what runs inside of them is part of their time and only counted.

use std::collections::HashMap;

use laptime_core::{PathId, PathTable};

/// Bytes of all paths as they are printed, every name with all names above it. A program's stay
/// below a tenth of it; only a file made to fill the memory needs more.
const MOST_TEXT: usize = 64 << 20;

/// Marks a number of a path inside of another one of `<deep>`.
const INSIDE: u32 = 1 << 31;

/// What the reader makes of a path of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// A path with spans of its own: itself, or the `<deep>` that it was folded into.
    Own(PathId),
    /// The path lies inside of one that was folded into this one.
    Inside(PathId),
}

impl Told {
    /// The path that takes what is told of it.
    pub fn path(self) -> PathId {
        let (Self::Own(path) | Self::Inside(path)) = self;
        path
    }
}

/// The paths of one process.
#[derive(Debug, Clone)]
pub struct CheckedPaths {
    /// By the file's number: the path that it is told as, with [`INSIDE`]; 0 for one that isn't defined.
    by_file: Vec<u32>,
    /// Paths that are told.
    table: PathTable,
    /// By path that is told: its depth, and the bytes of its printed path.
    extent: Vec<(u16, u32)>,
    text: usize,
    /// The `<deep>` below a path.
    deep: HashMap<PathId, PathId>,
}

impl CheckedPaths {
    /// The root and `<overflow>`.
    pub fn new() -> Self {
        Self {
            by_file: vec![0, PathId::OVERFLOW.0],
            table: PathTable::new(),
            extent: vec![(0, 0), (1, PathTable::OVERFLOW_NAME.len() as u32)],
            text: 0,
            deep: HashMap::new(),
        }
    }

    /// All paths that are told.
    pub fn table(&self) -> &PathTable {
        &self.table
    }

    /// The path that spans of a path are told with, where all of them are: nearly always itself.
    #[inline]
    pub fn own(&self, path: PathId) -> Option<PathId> {
        let number = self.by_file.get(path.index()).copied().unwrap_or(0);
        (number.wrapping_sub(1) < INSIDE - 1).then_some(PathId(number))
    }

    /// What became of a path; `None` for one that isn't defined.
    pub fn of(&self, path: PathId) -> Option<Told> {
        if path == PathId::ROOT {
            return Some(Told::Own(path));
        }
        match self.by_file.get(path.index()).copied().unwrap_or(0) {
            0 => None,
            number if number & INSIDE == 0 => Some(Told::Own(PathId(number))),
            number => Some(Told::Inside(PathId(number & !INSIDE))),
        }
    }

    /// Takes in a definition. Returns the path that is to be told because of it, if it is a new one.
    ///
    /// **Errors** with the path in question and what the definition does.
    pub fn define(
        &mut self,
        id: PathId,
        parent: PathId,
        name: &str,
    ) -> Result<Option<PathId>, (PathId, &'static str)> {
        const DIFFERENT: &str = "defines differently the";
        if id == PathId::ROOT || id == parent || id.index() >= PathTable::LIMIT {
            return Err((id, DIFFERENT));
        }
        let above = self.of(parent).ok_or((parent, "uses the undefined"))?;
        if parent > id {
            return Err((id, "defines below a later one the"));
        }
        if let Some(known) = self.of(id) {
            return if self.is_same(known, above, name) {
                Ok(None)
            } else {
                Err((id, DIFFERENT))
            };
        }
        let (number, is_new) = match above {
            Told::Inside(deep) => (deep.0 | INSIDE, false),
            Told::Own(path) if self.is_deep(path) => (path.0 | INSIDE, false),
            Told::Own(path) if self.fits(path, name) => {
                self.push(id, path, name);
                (id.0, true)
            }
            Told::Own(path) => {
                let known = self.deep.get(&path).copied();
                if known.is_none() {
                    self.push(id, path, PathTable::DEEP_NAME);
                    self.deep.insert(path, id);
                }
                (known.unwrap_or(id).0, known.is_none())
            }
        };
        if self.by_file.len() <= id.index() {
            self.by_file.resize(id.index() + 1, 0);
        }
        self.by_file[id.index()] = number;
        Ok(is_new.then_some(PathId(number)))
    }

    /// Whether a second definition says the same as the first; of what was folded only the place is known.
    fn is_same(&self, known: Told, above: Told, name: &str) -> bool {
        match known {
            Told::Inside(deep) => above.path() == deep,
            Told::Own(path) => self.table.get(path).is_some_and(|entry| {
                let has_name = &*entry.name == name || self.is_deep(path);
                above == Told::Own(entry.parent) && has_name
            }),
        }
    }

    /// Whether a path of ours is one that others were folded into.
    fn is_deep(&self, path: PathId) -> bool {
        let parent = self.table.get(path).map(|entry| entry.parent);
        parent.is_some_and(|parent| self.deep.get(&parent) == Some(&path))
    }

    fn fits(&self, parent: PathId, name: &str) -> bool {
        let (levels, bytes) = self.extent[parent.index()];
        let bytes = bytes as usize + name.len() + 1;
        usize::from(levels) < PathTable::MOST_LEVELS
            && bytes <= PathTable::CHAIN_LIMIT
            && self.text + bytes <= MOST_TEXT
    }

    fn push(&mut self, id: PathId, parent: PathId, name: &str) {
        self.table.define(id, parent, name);
        let (levels, bytes) = self.extent[parent.index()];
        let bytes = bytes + name.len() as u32 + 1;
        if self.extent.len() <= id.index() {
            self.extent.resize(id.index() + 1, (0, 0));
        }
        self.extent[id.index()] = (levels + 1, bytes);
        self.text += bytes as usize;
    }
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
