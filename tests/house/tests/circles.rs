//! No circle of imports is wide: whoever reads a file can stop somewhere.
//!
//! A file imports those that its paths (`use crate::…`, `super::…`) lead to, re-exports followed to
//! where a name is made, and those that it declares with `mod`. Files that import each other in a
//! ring are read and changed as one; three of them are the most that anybody keeps in mind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Most files in a circle.
const WIDEST: usize = 3;

/// A file by its place in the module tree.
type Module = Vec<String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The source without comments, strings and what is compiled for tests only.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut parts = code.split('"');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    while let (Some(_), Some(after)) = (parts.next(), parts.next()) {
        plain.push_str(after);
    }
    plain
}

/// The sources of a crate by their modules.
fn modules(folder: &Path) -> BTreeMap<Module, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(folder.to_owned(), Module::new())];
    while let Some((folder, module)) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let mut module = module.clone();
            if path.is_dir() {
                module.push(stem);
                waiting.push((path, module));
            } else if path.extension().is_some_and(|is| is == "rs") && !stem.ends_with("tests") {
                if !["lib", "mod", "main"].contains(&stem.as_str()) {
                    module.push(stem);
                }
                found.insert(module, code(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// A path as it is written, and the name that it goes by where it was imported.
struct Import {
    path: Vec<String>,
    name: String,
}

/// Takes `a::{b, c as d}` apart.
fn expand(tree: &str, before: &[String], found: &mut Vec<Import>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut path: Vec<String> = before
            .iter()
            .cloned()
            .chain(path.split("::").map(|part| part.trim().to_owned()))
            .filter(|part| !part.is_empty())
            .collect();
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        let last = path.last().cloned().unwrap_or_default();
        let name = if name.is_empty() {
            last
        } else {
            name.trim().to_owned()
        };
        return found.push(Import { path, name });
    };
    let head = tree[..open].split("::").map(|part| part.trim().to_owned());
    let before: Vec<String> = before
        .iter()
        .cloned()
        .chain(head.filter(|part| !part.is_empty()))
        .collect();
    let inside = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in inside.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&inside[start..at], &before, found);
                start = at + 1;
            }
            _ => {}
        }
    }
    expand(&inside[start..], &before, found);
}

/// What stands behind each `use`.
fn imports(code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let is_word =
            code[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        if let (false, Some(end)) = (is_word, code[at..].find(';')) {
            expand(&code[at + 4..at + end], &[], &mut found);
        }
    }
    found.retain(|import| !import.path.is_empty());
    found
}

/// Paths that are written out where they are used.
fn written_out(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let is_inside = code[..at]
                .ends_with(|letter: char| letter.is_alphanumeric() || "_:".contains(letter));
            let is_path = |letter: &char| letter.is_alphanumeric() || "_:".contains(*letter);
            let path: String = code[at..].chars().take_while(is_path).collect();
            // What a `use` with braces writes out in part is taken apart by `imports`.
            if !is_inside && !code[at + path.len()..].starts_with('{') {
                let parts = path.split("::").filter(|part| !part.is_empty());
                found.push(parts.map(str::to_owned).collect());
            }
        }
    }
    found
}

/// The module that `path`, written in `from`, leads to; `None` for another crate's.
fn target(
    modules: &BTreeMap<Module, String>,
    from: &Module,
    path: &[String],
    steps: usize,
) -> Option<Module> {
    let mut at = from.clone();
    let mut rest = path;
    match path[0].as_str() {
        "crate" => at = Module::new(),
        "self" => {}
        "super" => drop(at.pop()),
        first => {
            at.push(first.to_owned());
            if !modules.contains_key(&at) {
                return None;
            }
        }
    }
    rest = &rest[1..];
    while let Some(part) = rest.first() {
        if part == "super" {
            at.pop();
            rest = &rest[1..];
            continue;
        }
        let mut child = at.clone();
        child.push(part.clone());
        if modules.contains_key(&child) {
            at = child;
            rest = &rest[1..];
            continue;
        }
        let named = imports(&modules[&at]);
        let named = named.into_iter().find(|import| import.name == *part);
        return match named {
            Some(import) if steps > 0 => {
                let path = [&import.path[..], &rest[1..]].concat();
                Some(target(modules, &at, &path, steps - 1).unwrap_or(at))
            }
            _ => Some(at),
        };
    }
    Some(at)
}

/// Which files each file imports.
fn graph(modules: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut graph = BTreeMap::new();
    for (module, code) in modules {
        let mut to = BTreeSet::new();
        let used = imports(code).into_iter().map(|import| import.path);
        for path in used.chain(written_out(code)) {
            to.extend(target(modules, module, &path, 4));
        }
        for line in code.lines() {
            let mut words = line
                .split_whitespace()
                .skip_while(|word| word.starts_with("pub"));
            if words.next() == Some("mod") {
                let mut child = module.clone();
                child.extend(
                    words
                        .next()
                        .map(|name| name.trim_end_matches(';').to_owned()),
                );
                to.extend(modules.contains_key(&child).then_some(child));
            }
        }
        to.remove(module);
        graph.insert(module.clone(), to);
    }
    graph
}

/// Everything that can be reached from a file.
fn reached<'a>(
    graph: &'a BTreeMap<Module, BTreeSet<Module>>,
    from: &'a Module,
) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&Module> = graph[from].iter().collect();
    while let Some(module) = waiting.pop() {
        if reached.insert(module) {
            waiting.extend(&graph[module]);
        }
    }
    reached
}

/// Files that reach each other, the widest circle first.
fn circles(modules: &BTreeMap<Module, String>) -> Vec<Vec<String>> {
    let graph = graph(modules);
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = graph
        .keys()
        .map(|from| (from, reached(&graph, from)))
        .collect();
    let mut seen = BTreeSet::new();
    let mut circles = Vec::new();
    for (from, to) in &reached {
        if to.contains(*from) && !seen.contains(from) {
            let circle = to.iter().filter(|other| reached[*other].contains(*from));
            let circle: Vec<&Module> = circle.copied().collect();
            seen.extend(circle.iter().copied());
            circles.push(circle.iter().map(|module| module.join("/")).collect());
        }
    }
    circles.sort_by_key(|circle: &Vec<String>| std::cmp::Reverse(circle.len()));
    circles
}

#[test]
fn no_more_than_three_files_import_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let circles = circles(&modules(&entry.path().join("src")));
        let widest = circles.first().map_or(0, Vec::len);
        if widest > WIDEST {
            wrong.push(format!("{name}: {widest} files: {:?}", circles[0]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_circle_is_found_through_re_exports_and_braces() {
    let source = |name: &str, text: &str| {
        let module = name.split('/').filter(|part| !part.is_empty());
        (module.map(str::to_owned).collect(), code(text))
    };
    let modules = BTreeMap::from([
        source("", "mod a; mod b;\npub use b::{self, B};"),
        source("a", "use crate::{B, b::c::{C as D}};"),
        source(
            "b",
            "pub mod c;\npub mod d;\npub use self::c::C as B; // use crate::a;",
        ),
        source("b/d", "use crate::b::{c, c::C};"),
        source(
            "b/c",
            "use super::super::a::A; const TEXT: &str = \"use crate::b;\";",
        ),
    ]);
    assert_eq!(circles(&modules), [["a", "b/c"]]);
}
