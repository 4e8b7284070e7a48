//! The files of the workspace, and of each crate those that are compiled into the product.
//!
//! A crate's product is what `mod` reaches from its `lib.rs` or `main.rs` without passing a `#[cfg(test)]`, so that a
//! test's file is known by how it is compiled, not by its name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::syntax::{Child, Syntax};

/// A file by its place in the module tree; empty for the root.
pub type Module = Vec<String>;

/// A file of the product.
#[derive(Debug)]
pub struct Source {
    /// From the repository's root, with `/`.
    pub path: String,
    /// What it says.
    pub syntax: Syntax,
}

/// A library or program, with the files that it is compiled from.
#[derive(Debug)]
pub struct Crate {
    /// Its folder below `crates`, and `main` behind it for a program beside a library.
    pub name: String,
    /// Its files.
    pub modules: BTreeMap<Module, Source>,
}

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// A path from the repository's root, with `/`.
pub fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.to_string_lossy().into_owned()
}

/// All files below a folder of the repository whose extension is one of `extensions`.
pub fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join(folder)];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_output = name == "target" || name == "__pycache__" || name.starts_with('.');
            if path.is_dir() && !is_output {
                waiting.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
            {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no source below {folder}");
    found
}

/// The product: every crate below `crates`, parsed once.
pub fn crates() -> &'static [Crate] {
    static CRATES: OnceLock<Vec<Crate>> = OnceLock::new();
    CRATES.get_or_init(|| {
        let mut found = Vec::new();
        for entry in fs::read_dir(root().join("crates")).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let folder = entry.path().join("src");
            let library = folder.join("lib.rs");
            let program = folder.join("main.rs");
            let has_library = library.exists();
            if has_library {
                found.push(read_crate(name.clone(), library));
            }
            if program.exists() {
                let name = if has_library { name + "/main" } else { name };
                found.push(read_crate(name, program));
            }
        }
        found
    })
}

/// Every file of the product.
pub fn product() -> impl Iterator<Item = &'static Source> {
    crates().iter().flat_map(|one| one.modules.values())
}

fn read_crate(name: String, start: PathBuf) -> Crate {
    let mut modules = BTreeMap::new();
    let mut waiting = vec![(start, Module::new())];
    while let Some((file, module)) = waiting.pop() {
        let path = relative(&file);
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
        let syntax = Syntax::parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        for child in &syntax.children {
            let mut place = module.clone();
            place.extend(child.within.iter().cloned());
            place.push(child.name.clone());
            waiting.push((child_file(&file, child), place));
        }
        let other = modules.insert(module, Source { path, syntax });
        assert!(other.is_none(), "{other:?} is declared twice");
    }
    Crate { name, modules }
}

/// Where the module lies that `mod name;` declares in a file.
fn child_file(file: &Path, child: &Child) -> PathBuf {
    let folder = file.parent().unwrap_or(file);
    let stem = file.file_stem().unwrap_or_default();
    let opens_a_folder = ["lib", "main", "mod"].iter().any(|name| stem == *name);
    let mut below = if opens_a_folder {
        folder.to_owned()
    } else {
        folder.join(stem)
    };
    if let (Some(path), true) = (&child.path, child.within.is_empty()) {
        return folder.join(path);
    }
    below.extend(&child.within);
    let flat = below.join(format!("{}.rs", child.name));
    if flat.exists() {
        flat
    } else {
        below.join(&child.name).join("mod.rs")
    }
}
