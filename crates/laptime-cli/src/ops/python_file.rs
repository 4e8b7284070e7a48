//! A file of Python that was named where a module should be: the command that names the module.

use std::path::{Component, Path};

use laptime_reader::named_file;

use crate::messages::quoted;

/// Most names that a hint has.
const MOST: usize = 8;

/// The command for a model in a file, with the names that may make one.
pub fn hint(file: &Path) -> String {
    let names = names(file);
    let Some(best) = names.iter().find(|name| name.is_likely).or(names.first()) else {
        return command(file, "factory");
    };
    let others: Vec<&str> = names
        .iter()
        .map(|name| name.text.as_str())
        .filter(|name| *name != best.text)
        .collect();
    let command = command(file, &best.text);
    if others.is_empty() {
        return command;
    }
    let more = if others.len() > MOST { ", …" } else { "" };
    let others = others[..others.len().min(MOST)].join(", ");
    format!("{command}; or in its place {others}{more}")
}

/// The command for one name of a file, from the folder that it is imported from.
pub fn command(file: &Path, name: &str) -> String {
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let (folder, file) = if file.components().all(is_name) {
        (None, file)
    } else {
        let name = file.file_name().map_or(file, Path::new);
        (file.parent().filter(|folder| !is_here(folder)), name)
    };
    let module = file.with_extension("");
    let parts = module
        .components()
        .filter(|part| *part != Component::CurDir);
    let parts: Vec<_> = parts
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    let target = format!("{}:{name}", parts.join("."));
    let command = format!("laptime ops {}", quoted(Path::new(&target)));
    match folder {
        Some(folder) => format!("cd {} && {command}", quoted(folder)),
        None => command,
    }
}

fn is_here(folder: &Path) -> bool {
    let here = Path::new(".").canonicalize();
    here.is_ok_and(|here| folder.canonicalize().is_ok_and(|folder| folder == here))
}

/// A function or class of a file.
struct Name {
    text: String,
    /// Whether it looks like a model or what makes one: it is called with nothing.
    is_likely: bool,
}

/// Longest file that is looked through for names.
const MOST_BYTES: u64 = 16 << 20;

/// Functions and classes that a file defines, in its order; it is read, not run.
fn names(file: &Path) -> Vec<Name> {
    let text = named_file::read(file, MOST_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().filter_map(name).collect()
}

fn name(line: &str) -> Option<Name> {
    let (is_function, rest) = match line.strip_prefix("def ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("class ")?),
    };
    let end = rest.find(|character: char| !(character.is_alphanumeric() || character == '_'))?;
    let (text, rest) = rest.split_at(end);
    if text.is_empty() || text.starts_with('_') {
        return None;
    }
    Some(Name {
        text: text.to_owned(),
        is_likely: is_function && rest.starts_with("()"),
    })
}
