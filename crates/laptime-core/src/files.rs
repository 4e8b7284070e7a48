//! One name for one file: a script is run by a relative path and imported by an absolute one, such as in the
//! processes that it spawns, and its functions are the same.

use std::collections::{BTreeSet, HashMap};

/// Functions by line and name, with the absolute files that they stand in.
#[derive(Debug, Default)]
pub struct Files {
    known: HashMap<(u32, String), BTreeSet<String>>,
}

impl Files {
    /// Learns where a function stands.
    pub fn learn(&mut self, file: &str, line: u32, name: &str) {
        if file.starts_with('/') {
            let known = self.known.entry((line, name.to_owned())).or_default();
            known.insert(plain(file));
        }
    }

    /// The file of a function, once all are known. A relative one is the only absolute one that ends in it and has
    /// a function of that name in that line.
    ///
    /// ```
    /// let mut files = laptime_core::Files::default();
    /// files.learn("/home/me/train.py", 3, "work");
    /// assert_eq!(files.of("./train.py", 3, "work"), "/home/me/train.py");
    /// assert_eq!(files.of("train.py", 4, "work"), "train.py");
    /// assert_eq!(files.of("/home/me/./train.py", 3, "work"), "/home/me/train.py");
    /// assert_eq!(files.of("<string>", 3, "work"), "<string>");
    /// ```
    pub fn of(&self, file: &str, line: u32, name: &str) -> String {
        if file.starts_with(['<', '~']) || file.is_empty() {
            return file.to_owned();
        }
        let file = plain(file);
        if file.starts_with('/') {
            return file;
        }
        let ending = format!("/{file}");
        let known = self.known.get(&(line, name.to_owned()));
        let known = known.into_iter().flatten();
        let mut whole = known.filter(|whole| whole.ends_with(&ending));
        match (whole.next(), whole.next()) {
            (Some(only), None) => only.clone(),
            _ => file,
        }
    }
}

/// A path without `.` and what `..` takes back, as Python's `normpath` has it.
fn plain(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        let is_back = name == ".." && names.last().is_some_and(|last| *last != "..");
        if is_back {
            names.pop();
        } else if !matches!(name, "" | ".") {
            names.push(name);
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_file_that_may_be_two_stays_as_it_is() {
        let mut files = Files::default();
        files.learn("/a/train.py", 3, "work");
        files.learn("/b/train.py", 3, "work");
        assert_eq!(files.of("train.py", 3, "work"), "train.py");
        assert_eq!(files.of("b/train.py", 3, "work"), "/b/train.py");
        // The end of a name is no name.
        assert_eq!(files.of("rain.py", 3, "work"), "rain.py");
    }

    #[test]
    fn paths_are_told_without_detours() {
        assert_eq!(plain("/a/./b/../c//d.py"), "/a/c/d.py");
        assert_eq!(plain("../../d.py"), "../../d.py");
    }
}
