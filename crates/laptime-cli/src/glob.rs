//! A pattern that a shell makes the very paths of that were typed: a shell has taken the typed one away.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::messages::quoted;

/// Returns the shortest pattern for paths of one folder whose names differ in one place: `before-*.lap`, or
/// `before-[1-3].lap` where there are others. `None` where none has these paths alone.
pub fn pattern(paths: &[PathBuf]) -> Option<String> {
    let folder = paths.first()?.parent()?;
    let names: Option<BTreeSet<&str>> = (paths.iter())
        .map(|path| {
            let name = path.file_name()?.to_str()?;
            (path.parent() == Some(folder)).then_some(name)
        })
        .collect();
    let names = names?;
    let (first, last) = (*names.first()?, *names.last()?);
    let is_plain = |path: &Path| quoted(path) == path.display().to_string();
    if names.len() < 2 || names.len() != paths.len() || !paths.iter().all(|path| is_plain(path)) {
        return None;
    }
    let start = shared(first.chars().zip(last.chars()));
    let longest = first.len().min(last.len()) - start;
    let end = (names.iter())
        .map(|name| shared(first.chars().rev().zip(name.chars().rev())))
        .min()?
        .min(longest);
    let (start, end) = (&first[..start], &first[first.len() - end..]);
    let is_alike = |name: &&str| {
        name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
    };
    if !names.iter().all(is_alike) {
        return None;
    }
    let middle = |name: &str| name[start.len()..name.len() - end.len()].to_owned();
    let there = there(folder, is_alike);
    let middle = if there.iter().map(String::as_str).eq(names.iter().copied()) {
        "*".to_owned()
    } else {
        digits(names.iter().map(|name| middle(name)))?
    };
    let shown = folder.join(format!("{start}{middle}{end}"));
    Some(shown.display().to_string())
}

/// Returns the length of what two names of ASCII letters share.
fn shared(letters: impl Iterator<Item = (char, char)>) -> usize {
    let same = letters.take_while(|(one, other)| one == other && one.is_ascii());
    same.count()
}

/// Lists the names in a folder that a pattern with a star has.
fn there(folder: &Path, is_alike: impl Fn(&&str) -> bool) -> BTreeSet<String> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let shown = names.filter(|name| !name.starts_with('.'));
    shown.filter(|name| is_alike(&name.as_str())).collect()
}

/// Returns the pattern of digits that follow each other.
fn digits(middles: impl Iterator<Item = String>) -> Option<String> {
    let each: Option<Vec<u8>> = middles
        .map(|middle| match middle.as_bytes() {
            [digit] if digit.is_ascii_digit() => Some(*digit),
            _ => None,
        })
        .collect();
    let each = each?;
    let follow = each.windows(2).all(|two| two[0] + 1 == two[1]);
    let (first, last) = (char::from(*each.first()?), char::from(*each.last()?));
    follow.then(|| format!("[{first}-{last}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_the_typed_paths_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [
            "before-1.lap",
            "before-2.lap",
            "before-3.lap",
            "after-1.lap",
        ] {
            fs::write(path(name), "").unwrap();
        }
        let of = |names: &[&str]| {
            let paths: Vec<PathBuf> = names.iter().map(|name| path(name)).collect();
            let found = pattern(&paths)?;
            Some(found.strip_prefix(folder.path().to_str()?)?.to_owned())
        };
        let all = ["before-1.lap", "before-2.lap", "before-3.lap"];
        assert_eq!(of(&all), Some("/before-*.lap".to_owned()));
        assert_eq!(of(&all[..2]), Some("/before-[1-2].lap".to_owned()));
        assert_eq!(of(&["before-1.lap", "before-3.lap"]), None);
        assert_eq!(of(&["before-2.lap", "after-1.lap"]), None);
        assert_eq!(of(&all[..1]), None);
    }
}
