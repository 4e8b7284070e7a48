//! Paths: a span's name under its parent's path, interned to a small number.
//!
//! A path is defined once per process as the pair (parent path, name). Children of
//! the root have [`PathId::ROOT`] as parent. Printed, names are joined by `/`; a `/`
//! or `\` inside a name is written `\/` or `\\`.

use std::collections::HashMap;

/// A path's number within its process. `0` is the root, which is nobody's span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PathId(pub u32);

impl PathId {
    /// The parent of outermost spans.
    pub const ROOT: Self = Self(0);
    /// Where spans go once [`PathTable::LIMIT`] paths exist.
    pub const OVERFLOW: Self = Self(1);

    /// As an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One path: its parent and its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEntry {
    /// The enclosing path.
    pub parent: PathId,
    /// The name given by the user, unescaped.
    pub name: Box<str>,
}

/// All paths of one process. Grows only.
#[derive(Debug, Clone)]
pub struct PathTable {
    entries: Vec<Option<PathEntry>>,
    ids: HashMap<(PathId, Box<str>), PathId>,
    overflowed: u64,
}

impl Default for PathTable {
    fn default() -> Self {
        Self::new()
    }
}

impl PathTable {
    /// Most paths that one process may have, `<overflow>` included: a bound on memory.
    pub const LIMIT: usize = 65_536;
    /// Deepest direct recursion that gets paths of its own.
    pub const MAX_RECURSION: usize = 64;
    /// Name of the path that takes what no longer fits.
    pub const OVERFLOW_NAME: &'static str = "<overflow>";

    /// A table that holds the root and `<overflow>`.
    pub fn new() -> Self {
        let mut table = Self {
            entries: vec![None, None],
            ids: HashMap::new(),
            overflowed: 0,
        };
        table.define(PathId::OVERFLOW, PathId::ROOT, Self::OVERFLOW_NAME);
        table
    }

    /// Finds or makes the path of `name` under `parent`.
    ///
    /// Once [`Self::LIMIT`] is reached, unknown pairs get [`PathId::OVERFLOW`] and are
    /// counted. A name that already stands [`Self::MAX_RECURSION`] times in a row above
    /// itself folds into `parent`.
    pub fn intern(&mut self, parent: PathId, name: &str) -> PathId {
        if let Some(id) = self.ids.get(&(parent, name.into())) {
            return *id;
        }
        if self.recursion(parent, name) >= Self::MAX_RECURSION {
            return parent;
        }
        let overflows = parent == PathId::OVERFLOW || name == Self::OVERFLOW_NAME;
        if overflows || self.entries.len() >= Self::LIMIT {
            self.overflowed += 1;
            return PathId::OVERFLOW;
        }
        let id = PathId(self.entries.len() as u32);
        self.define(id, parent, name);
        id
    }

    /// Records a definition read from a file. A second, different one for the same number is refused.
    ///
    /// Returns whether the table now holds exactly this definition.
    pub fn define(&mut self, id: PathId, parent: PathId, name: &str) -> bool {
        if id == PathId::ROOT || id.index() >= Self::LIMIT || parent == id {
            return false;
        }
        if id.index() >= self.entries.len() {
            self.entries.resize(id.index() + 1, None);
        }
        if let Some(known) = &self.entries[id.index()] {
            return known.parent == parent && &*known.name == name;
        }
        self.ids.insert((parent, name.into()), id);
        self.entries[id.index()] = Some(PathEntry {
            parent,
            name: name.into(),
        });
        true
    }

    /// The definition of a path; `None` for the root and for numbers never defined.
    pub fn get(&self, id: PathId) -> Option<&PathEntry> {
        self.entries.get(id.index())?.as_ref()
    }

    /// Numbers in use, the root and gaps included: valid indexes are below it.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no path but the root and `<overflow>` is defined.
    pub fn is_empty(&self) -> bool {
        self.entries.len() <= 2
    }

    /// All defined paths, parents before children when interned here.
    pub fn iter(&self) -> impl Iterator<Item = (PathId, &PathEntry)> {
        (0_u32..)
            .zip(&self.entries)
            .filter_map(|(id, entry)| Some((PathId(id), entry.as_ref()?)))
    }

    /// How many spans' paths did not fit any more.
    pub fn overflowed(&self) -> u64 {
        self.overflowed
    }

    /// The names from the outermost to `id`. Empty for the root; stops at an undefined
    /// ancestor and at a cycle, which only a damaged file can hold.
    pub fn names(&self, id: PathId) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = id;
        while let Some(entry) = self.get(at) {
            names.push(&*entry.name);
            at = entry.parent;
            if names.len() > self.entries.len() {
                break;
            }
        }
        names.reverse();
        names
    }

    fn recursion(&self, parent: PathId, name: &str) -> usize {
        let mut count = 0;
        let mut at = parent;
        while let Some(entry) = self.get(at) {
            if &*entry.name != name || count > Self::MAX_RECURSION {
                break;
            }
            count += 1;
            at = entry.parent;
        }
        count
    }
}

/// Writes one name as it stands in a printed path.
pub fn escape(name: &str) -> String {
    name.replace('\\', "\\\\").replace('/', "\\/")
}

/// Joins names into a printed path.
pub fn join<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let escaped: Vec<String> = names.into_iter().map(escape).collect();
    escaped.join("/")
}

/// Splits a printed path into names: the inverse of [`join`].
pub fn split(path: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut characters = path.chars();
    while let Some(character) = characters.next() {
        let last = names.len() - 1;
        match character {
            '\\' => names[last].extend(characters.next()),
            '/' => names.push(String::new()),
            other => names[last].push(other),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_same_pair_is_the_same_path() {
        let mut table = PathTable::new();
        let step = table.intern(PathId::ROOT, "step");
        let forward = table.intern(step, "forward");
        assert_eq!(table.intern(step, "forward"), forward);
        assert_ne!(table.intern(PathId::ROOT, "forward"), forward);
        assert_eq!(table.names(forward), ["step", "forward"]);
    }

    #[test]
    fn paths_beyond_the_limit_overflow_and_are_counted() {
        let mut table = PathTable::new();
        for number in 0..PathTable::LIMIT + 10 {
            table.intern(PathId::ROOT, &number.to_string());
        }
        assert_eq!(table.len(), PathTable::LIMIT);
        assert_eq!(table.overflowed(), 12);
        assert_eq!(table.intern(PathId::ROOT, "new"), PathId::OVERFLOW);
        assert_eq!(table.names(PathId::OVERFLOW), ["<overflow>"]);
    }

    #[test]
    fn direct_recursion_folds_into_its_ancestor() {
        let mut table = PathTable::new();
        let mut at = PathId::ROOT;
        for _ in 0..1_000 {
            at = table.intern(at, "f");
        }
        assert_eq!(table.names(at).len(), PathTable::MAX_RECURSION);
    }

    #[test]
    fn a_second_definition_of_a_number_is_refused() {
        let mut table = PathTable::new();
        assert!(table.define(PathId(7), PathId::ROOT, "a"));
        assert!(table.define(PathId(7), PathId::ROOT, "a"));
        assert!(!table.define(PathId(7), PathId::ROOT, "b"));
        assert!(!table.define(PathId::ROOT, PathId::ROOT, "a"));
        assert!(!table.define(PathId(u32::MAX), PathId::ROOT, "a"));
    }

    proptest! {
        #[test]
        fn what_is_joined_is_split(names in proptest::collection::vec(".*", 1..5)) {
            let joined = join(names.iter().map(String::as_str));
            prop_assert_eq!(split(&joined), names);
        }
    }
}
