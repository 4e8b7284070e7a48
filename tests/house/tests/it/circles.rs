//! No circle of imports is wide: whoever reads a file can stop somewhere.
//!
//! A file imports those that its paths (`use crate::…`, `super::…`) lead to, re-exports followed to
//! where a name is made, and those that it declares with `mod`. Files that import each other in a
//! ring are read and changed as one; three of them are the most that anybody keeps in mind.

use std::collections::{BTreeMap, BTreeSet};

use laptime_house::sources::{self, Module};
use laptime_house::syntax::Syntax;

/// Most files in a circle.
const WIDEST: usize = 3;

/// Crates without any circle: there a `mod.rs` only names what is in its folder.
const WITHOUT: &[&str] = &["laptime-analysis", "laptime-report"];

/// Circles that are wider, by their crate and how many files they have, with the reason. One that grows fails; one that
/// shrinks must be entered as it is now.
const WIDER: &[(&str, usize, &str)] = &[];

/// Re-exports that are followed one after another.
const STEPS: usize = 4;

type Modules<'s> = BTreeMap<Module, &'s Syntax>;

/// The file that a module is written in, and the modules in braces inside it.
fn file_of<'m>(modules: &Modules<'_>, module: &'m [String]) -> (&'m [String], &'m [String]) {
    let length = (0..=module.len())
        .rev()
        .find(|length| modules.contains_key(&module[..*length]));
    module.split_at(length.unwrap_or(0))
}

/// The file that `path`, written in the module `from`, leads to; `None` for another crate's.
fn target(modules: &Modules<'_>, from: &[String], path: &[String], steps: usize) -> Option<Module> {
    let mut at = from.to_vec();
    let mut rest = &path[1..];
    match path[0].as_str() {
        "crate" => at.clear(),
        "self" => {}
        "super" => drop(at.pop()),
        first => {
            at.push(first.to_owned());
            if !modules.contains_key(&at) {
                return None;
            }
        }
    }
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
        let (file, within) = file_of(modules, &at);
        let mut named = modules[file].imports.iter();
        let named = named.find(|import| import.name == *part && import.within == within);
        return match named {
            Some(import) if steps > 0 => {
                let path = [&import.path[..], &rest[1..]].concat();
                target(modules, &at, &path, steps - 1).or(Some(file.to_vec()))
            }
            _ => Some(file.to_vec()),
        };
    }
    Some(file_of(modules, &at).0.to_vec())
}

/// Which files each file imports.
fn graph(modules: &Modules<'_>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut graph = BTreeMap::new();
    for (module, syntax) in modules {
        let imports = syntax
            .imports
            .iter()
            .map(|import| (&import.within, &import.path));
        let paths = syntax
            .paths
            .iter()
            .map(|written| (&written.within, &written.path));
        let used = imports.chain(paths).filter_map(|(within, path)| {
            target(modules, &[&module[..], within].concat(), path, STEPS)
        });
        let declared = syntax.children.iter().map(|child| {
            [
                &module[..],
                &child.within,
                std::slice::from_ref(&child.name),
            ]
            .concat()
        });
        let mut to: BTreeSet<Module> = used.chain(declared).collect();
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
fn circles(modules: &Modules<'_>) -> Vec<Vec<String>> {
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
    let mut listed: Vec<(&str, usize)> = WIDER
        .iter()
        .map(|(name, width, _)| (*name, *width))
        .collect();
    for one in sources::crates() {
        let modules = one.modules.iter();
        let modules = modules
            .map(|(module, source)| (module.clone(), &source.syntax))
            .collect();
        for circle in circles(&modules) {
            let entry = listed
                .iter()
                .position(|known| *known == (&one.name, circle.len()));
            if let Some(entry) = entry {
                listed.swap_remove(entry);
            } else if circle.len() > WIDEST || WITHOUT.contains(&&*one.name) {
                wrong.push(format!("{}: {} files: {circle:?}", one.name, circle.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(listed.is_empty(), "no longer so: {listed:?}");
}

/// The circles of files, each by its module with `/` and its text.
fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let read = |(name, text): &(&str, &str)| {
        let module = name.split('/').filter(|part| !part.is_empty());
        (
            module.map(str::to_owned).collect(),
            Syntax::parse(text).unwrap(),
        )
    };
    let read: BTreeMap<Module, Syntax> = files.iter().map(read).collect();
    circles(
        &read
            .iter()
            .map(|(module, syntax)| (module.clone(), syntax))
            .collect(),
    )
}

#[test]
fn a_circle_is_found_through_re_exports_and_braces() {
    let found = circles_of(&[
        ("", "mod a; mod b;\npub use b::{self, B};"),
        ("a", "use crate::{B, b::c::{C as D}};"),
        (
            "b",
            "pub mod c;\npub mod d;\npub use self::c::C as B; // use crate::a;",
        ),
        ("b/d", "use crate::b::{c, c::C};"),
        (
            "b/c",
            "use super::super::a::A; const TEXT: &str = \"use crate::b;\";",
        ),
    ]);
    assert_eq!(found, [["a", "b/c"]]);
}

#[test]
fn a_circle_is_found_through_what_stands_behind_an_item_for_tests() {
    let found = circles_of(&[
        ("", "mod a; mod b; mod c; mod d;"),
        ("a", "#[cfg(test)]\nuse crate::none;\nuse crate::b::B;"),
        (
            "b",
            "#[cfg(test)] mod tests { use crate::a::A; }\nfn f() { crate::c::g(); }",
        ),
        (
            "c",
            "impl C { #[cfg(test)] fn t() {} fn f() { vec!['\"', crate::d::g()] } }",
        ),
        (
            "d",
            "#[cfg(test)] #[path = \"d_tests.rs\"] mod tests;\nuse super::a;",
        ),
    ]);
    assert_eq!(found, [["a", "b", "c", "d"]]);
}

#[test]
fn what_only_tests_import_makes_no_circle() {
    let found = circles_of(&[
        ("", "mod a; mod b;"),
        ("a", "use crate::b::B;"),
        (
            "b",
            "#[cfg(test)] use crate::a::A;\n#[cfg(all(test, unix))] fn f() { crate::a::g(); }",
        ),
    ]);
    assert_eq!(found, [] as [Vec<String>; 0]);
}

#[test]
fn paths_of_modules_in_braces_start_there() {
    let found = circles_of(&[
        ("", "mod a; mod b;"),
        ("a", "mod inner { use super::super::b::B; }"),
        ("b", "use crate::a::inner::A;"),
    ]);
    assert_eq!(found, [["a", "b"]]);
}
