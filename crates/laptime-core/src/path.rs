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
    /// Where spans go that are beyond a limit of [`PathTable`].
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
    /// By path: the bytes that defining it takes, with all its ancestors.
    chains: Vec<u32>,
    /// Bytes of all names together.
    name_bytes: usize,
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
    /// Most bytes of names, those of all paths together: 64 for each of [`Self::LIMIT`] paths. Few
    /// programs come near; one that puts data into names must not fill the memory with it.
    pub const NAMES_LIMIT: usize = 64 * Self::LIMIT;
    /// Most bytes that a path's definition may take, with those of all its ancestors: a quarter of
    /// a window. Every window defines the paths that it uses, and must have room left for spans.
    pub const CHAIN_LIMIT: usize = 16_384;
    /// More than a definition takes besides the name: its type, two numbers and a length.
    const DEFINITION_BYTES: usize = 12;
    /// Deepest direct recursion that gets paths of its own.
    pub const MAX_RECURSION: usize = 64;
    /// Levels of nesting that a reader tells apart; what lies deeper is one path below the last.
    pub const MOST_LEVELS: usize = 512;
    /// Name of that path.
    pub const DEEP_NAME: &'static str = "<deep>";
    /// Name of the path that takes what no longer fits.
    pub const OVERFLOW_NAME: &'static str = "<overflow>";

    /// A table that holds the root and `<overflow>`.
    pub fn new() -> Self {
        let mut table = Self {
            entries: vec![None, None],
            ids: HashMap::new(),
            chains: vec![0, 0],
            name_bytes: 0,
            overflowed: 0,
        };
        table.define(PathId::OVERFLOW, PathId::ROOT, Self::OVERFLOW_NAME);
        table
    }

    /// Finds or makes the path of `name` under `parent`.
    ///
    /// Once a limit is reached, unknown pairs get [`PathId::OVERFLOW`] and are counted. A name that already stands [`Self::MAX_RECURSION`] times in a row above
    /// itself folds into `parent`.
    pub fn intern(&mut self, parent: PathId, name: &str) -> PathId {
        if let Some(id) = self.ids.get(&(parent, name.into())) {
            return *id;
        }
        if self.recursion(parent, name) >= Self::MAX_RECURSION {
            return parent;
        }
        let overflows = parent == PathId::OVERFLOW || name == Self::OVERFLOW_NAME;
        let fits = self.entries.len() < Self::LIMIT
            && self.name_bytes + name.len() <= Self::NAMES_LIMIT
            && self.chain_of(parent, name) <= Self::CHAIN_LIMIT;
        if overflows || !fits {
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
            self.chains.resize(id.index() + 1, 0);
        }
        if let Some(known) = &self.entries[id.index()] {
            return known.parent == parent && &*known.name == name;
        }
        self.chains[id.index()] = self.chain_of(parent, name) as u32;
        self.name_bytes += name.len();
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

    /// Bytes that defining a path and its ancestors takes.
    fn chain_of(&self, parent: PathId, name: &str) -> usize {
        let above = self.chains.get(parent.index()).copied().unwrap_or_default();
        above as usize + Self::DEFINITION_BYTES + name.len()
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

/// The printed path that a printed path lies right inside of, and its last name as it stands printed.
pub fn around(path: &str) -> (Option<&str>, &str) {
    let is_escaped = |at: usize| {
        let before = path[..at].bytes().rev();
        before.take_while(|byte| *byte == b'\\').count() % 2 == 1
    };
    let last = path.rmatch_indices('/').find(|(at, _)| !is_escaped(*at));
    last.map_or((None, path), |(at, _)| (Some(&path[..at]), &path[at + 1..]))
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
    fn a_chain_beyond_a_quarter_of_a_window_overflows_with_all_below_it() {
        let mut table = PathTable::new();
        let mut at = PathId::ROOT;
        let mut levels = 0;
        while at != PathId::OVERFLOW {
            at = table.intern(at, &format!("level {levels}"));
            levels += 1;
        }
        assert!((500..1_500).contains(&levels), "{levels}");
        assert_eq!(table.intern(at, "below"), PathId::OVERFLOW);
        let long = "x".repeat(PathTable::CHAIN_LIMIT);
        assert_eq!(table.intern(PathId::ROOT, &long), PathId::OVERFLOW);
        assert_ne!(table.intern(PathId::ROOT, "short"), PathId::OVERFLOW);
        assert_eq!(table.overflowed(), 3);
    }

    #[test]
    fn names_beyond_the_limit_of_their_bytes_overflow() {
        let mut table = PathTable::new();
        let kept = (0..10_000)
            .map(|number: u32| table.intern(PathId::ROOT, &format!("{number:-<1000}")))
            .filter(|path| *path != PathId::OVERFLOW)
            .count();
        assert_eq!(kept, PathTable::NAMES_LIMIT / 1_000);
        // Known ones stay known.
        assert_eq!(
            table.intern(PathId::ROOT, &format!("{:-<1000}", 5)),
            PathId(7)
        );
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

    proptest! {
        #[test]
        fn the_last_name_is_the_last_of_those_joined(names in prop::collection::vec("[a\\\\/]{0,4}", 1..5)) {
            let path = join(names.iter().map(String::as_str));
            let (outer, last) = around(&path);
            prop_assert_eq!(split(last), [names.last().unwrap().clone()]);
            prop_assert_eq!(outer.map_or(Vec::new(), split), &names[..names.len() - 1]);
        }
    }
}
