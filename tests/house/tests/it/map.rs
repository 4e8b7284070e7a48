//! What the documents name is there: files, folders, links, and the items of the walk.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use laptime_house::sources::root;

/// Folders at the root whose paths are written out in full.
const FOLDERS: &[&str] = &[
    "crates/", "python/", "docs/", "tests/", "viewer/", "fuzz/", "benches/", "tools/",
];

fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found == ending)
}

/// Every file and folder of the repository, relative to its root.
fn all_paths() -> BTreeSet<String> {
    let root = root();
    let mut found = BTreeSet::new();
    let mut waiting = vec![root.clone()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if ["target", "node_modules", "__pycache__"].contains(&&*name) || name.starts_with('.')
            {
                continue;
            }
            let relative = path.strip_prefix(&root).unwrap();
            found.insert(relative.to_string_lossy().into_owned());
            if path.is_dir() {
                waiting.push(path);
            }
        }
    }
    found
}

/// The documents that name files, by their paths.
fn documents() -> Vec<(String, String)> {
    let paths = all_paths().into_iter();
    let documents = paths.filter(|path| {
        let is_text = has_ending(path, "md");
        is_text
            && (path.starts_with("docs/") || ["CONTRIBUTING.md", "README.md"].contains(&&**path))
    });
    documents
        .map(|path| {
            let text = fs::read_to_string(root().join(&path)).unwrap();
            (path, text)
        })
        .collect()
}

/// What stands between backticks, outside of blocks of code.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|prose| prose.split('`').skip(1).step_by(2))
}

/// The files that a quoted word means; `None` for a word that is no path.
fn meant(word: &str, all: &BTreeSet<String>) -> Option<usize> {
    let is_written_out = FOLDERS.iter().any(|folder| word.starts_with(folder));
    let is_source = has_ending(word, "rs");
    let is_path = |letter: char| letter.is_alphanumeric() || "_./<>-".contains(letter);
    if !(is_written_out || is_source) || !word.chars().all(is_path) {
        return None;
    }
    let word = word.trim_end_matches('/');
    let fits = |path: &&String| match word.split_once('<') {
        // A placeholder stands for a name that somebody gives: others are there already.
        Some((before, after)) => {
            let after = after.split_once('>').map_or("", |(_, after)| after);
            let begins = path.starts_with(before) || path.contains(&format!("/{before}"));
            begins && path.ends_with(after.rsplit('>').next().unwrap_or_default())
        }
        None if is_written_out => *path == word,
        None => *path == word || path.ends_with(&format!("/{word}")),
    };
    Some(all.iter().filter(fits).count())
}

#[test]
fn every_path_that_a_document_names_is_there() {
    let all = all_paths();
    let mut missing = Vec::new();
    let mut followed = 0;
    for (document, text) in documents() {
        for word in quoted(&text) {
            match meant(word, &all) {
                Some(0) => missing.push(format!("{document}: {word}")),
                Some(_) => followed += 1,
                None => {}
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(
        followed > 40,
        "{followed} paths were found in all documents"
    );
}

/// A heading as the anchor of a link to it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let prose = text.split("```").step_by(2);
    let lines = prose
        .flat_map(str::lines)
        .filter(|line| line.starts_with('#'));
    lines.map(anchor).collect()
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut broken = Vec::new();
    let mut followed = 0;
    for (document, text) in documents() {
        let folder = Path::new(&document).parent().unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if link.contains("://") || link.starts_with("mailto:") || link.contains(' ') {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                root().join(&document)
            } else {
                root().join(folder).join(file)
            };
            let is_there = match fs::read_to_string(&target) {
                Ok(text) => heading.is_empty() || anchors(&text).contains(heading),
                Err(_) => target.exists() && heading.is_empty(),
            };
            followed += 1;
            if !is_there {
                broken.push(format!("{document}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(followed > 100, "{followed} links were followed");
}

#[test]
fn every_item_of_the_walk_is_defined_in_the_file_beside_it() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let walk = text
        .split("### One number, from timestamp to cell")
        .nth(1)
        .unwrap();
    let walk = walk.split("\nRules that review").next().unwrap();
    let all = all_paths();
    let mut waiting: Vec<&str> = Vec::new();
    let mut followed = 0;
    for word in quoted(walk) {
        if !has_ending(word, "rs") {
            waiting.push(word);
            continue;
        }
        let named = all.iter().find(|path| path.ends_with(word)).unwrap();
        let source = fs::read_to_string(root().join(named)).unwrap();
        for item in waiting.drain(..) {
            let item = item.rsplit("::").next().unwrap();
            let kinds = ["fn", "struct", "enum", "trait"];
            let is_variant = source.contains(&format!("    {item} {{"))
                || source.contains(&format!("    {item}("));
            let is_defined = kinds.iter().any(|kind| {
                let defined = format!("{kind} {item}");
                source.match_indices(&defined).any(|(at, _)| {
                    let next = source[at + defined.len()..].chars().next();
                    next.is_some_and(|letter| !letter.is_alphanumeric() && letter != '_')
                })
            });
            assert!(is_defined || is_variant, "{item} is not defined in {named}");
            followed += 1;
        }
    }
    assert!(followed >= 10, "{followed} items were followed");
}

/// The rows of the table of crates: name, and what it may use.
fn crates_of_the_table() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `laptime"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (cells[1].trim_matches('`').to_owned(), cells[3].to_owned())
    })
    .collect()
}

#[test]
fn the_table_of_crates_has_each_of_them() {
    let told: BTreeSet<String> = crates_of_the_table()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let folders = fs::read_dir(root().join("crates")).unwrap().flatten();
    let there: BTreeSet<String> = folders
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(told, there);
}
