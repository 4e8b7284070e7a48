//! What the name of a Python file tells: whose code it is, which package and which module.
//!
//! Recordings name files relative to where they belong: `train.py` and `data/images.py` of the program,
//! `site-packages/torch/nn/modules/linear.py` of what is installed, `lib/python3.11/json/decoder.py` of Python's library,
//! `<frozen importlib._bootstrap>` of what has no file. Older ones have whole paths, which are read the same way.

/// Folders that packages are installed in.
const INSTALLED: [&str; 2] = ["site-packages/", "dist-packages/"];
/// Start of the folder of Python's own library.
const LIBRARY: &str = "lib/python3";

/// The folder that a project keeps its packages in by habit: no package itself.
const SOURCES: &str = "src/";

/// Whose code a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileOrigin {
    /// The program itself.
    Program,
    /// A package that was installed.
    Installed,
    /// Python's own library.
    Library,
    /// No file: code that is part of the interpreter, or was made while the program ran.
    Generated,
}

/// Returns whose code a file holds.
///
/// ```
/// use laptime_core::{FileOrigin, file_origin};
/// assert_eq!(file_origin("data/images.py"), FileOrigin::Program);
/// assert_eq!(file_origin("site-packages/torch/_ops.py"), FileOrigin::Installed);
/// assert_eq!(file_origin("/usr/lib/python3.11/json/decoder.py"), FileOrigin::Library);
/// assert_eq!(file_origin("<string>"), FileOrigin::Generated);
/// ```
pub fn file_origin(file: &str) -> FileOrigin {
    if file.is_empty() || file.starts_with('<') {
        FileOrigin::Generated
    } else if inside_packages(file).is_some() {
        FileOrigin::Installed
    } else if inside_library(file).is_some() {
        FileOrigin::Library
    } else {
        FileOrigin::Program
    }
}

/// Returns the package that a file belongs to: `torch` of `site-packages/torch/nn/modules/linear.py`.
pub fn package_of_file(file: &str) -> &str {
    if let Some(frozen) = frozen(file) {
        return frozen.split('.').next().unwrap_or(frozen);
    }
    if let Some(path) = inside_packages(file).or_else(|| inside_library(file)) {
        return stem(path.split('/').next().unwrap_or(path));
    }
    let (folder, name) = folder_and_name(file);
    if name == "__init__.py" && !folder.is_empty() {
        folder
    } else {
        stem(name)
    }
}

/// Returns the module that a file holds, by the name that an import has for it: `torch.nn.modules.linear`. Of a file of
/// the program these are the folders that its name has, where they can be packages; of a whole path it is the file's own
/// name, as its packages aren't known.
///
/// ```
/// use laptime_core::module_of_file;
/// assert_eq!(module_of_file("site-packages/torch/_ops.py"), "torch._ops");
/// assert_eq!(module_of_file("mkdocs/commands/build.py"), "mkdocs.commands.build");
/// assert_eq!(module_of_file("/home/me/project/utils.py"), "utils");
/// ```
pub fn module_of_file(file: &str) -> String {
    if let Some(frozen) = frozen(file) {
        return frozen.to_owned();
    }
    if let Some(path) = inside_packages(file).or_else(|| inside_library(file)) {
        return dotted(path);
    }
    let path = file.strip_prefix("./").unwrap_or(file);
    let path = path.strip_prefix(SOURCES).unwrap_or(path);
    let mut folders = path.split('/').rev().skip(1);
    if folders.all(is_package_name) {
        dotted(path)
    } else {
        package_of_file(file).to_owned()
    }
}

/// Returns the module that a file of the program holds, of which a script in `folder` was started: that is where its
/// imports begin.
pub fn module_below(folder: &str, file: &str) -> String {
    let below = file.strip_prefix(folder);
    let below = below.and_then(|path| path.strip_prefix('/'));
    module_of_file(below.filter(|_| !folder.is_empty()).unwrap_or(file))
}

/// Returns a path as an import names it.
fn dotted(path: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    if let Some(last) = parts.last_mut() {
        *last = stem(last);
    }
    if parts.len() > 1 && parts.last() == Some(&"__init__") {
        parts.pop();
    }
    parts.join(".")
}

/// Tells whether a folder can be a package: its name is one that an import can have.
fn is_package_name(name: &str) -> bool {
    let is_word = name.chars().all(|one| one == '_' || one.is_alphanumeric());
    is_word && name.chars().next().is_some_and(|one| !one.is_numeric())
}

/// Returns the end of a path that tells a Python file: from the package on, or its own name.
///
/// ```
/// use laptime_core::short_file;
/// assert_eq!(short_file("/venv/lib/python3.11/site-packages/torch/_ops.py"), "torch/_ops.py");
/// assert_eq!(short_file("lib/python3.11/threading.py"), "threading.py");
/// assert_eq!(short_file("/home/me/train.py"), "train.py");
/// assert_eq!(short_file("data/images.py"), "data/images.py");
/// ```
pub fn short_file(file: &str) -> &str {
    if let Some(path) = inside_packages(file).or_else(|| inside_library(file)) {
        return path;
    }
    if file.starts_with('<') || !file.starts_with('/') {
        return file.strip_prefix("./").unwrap_or(file);
    }
    file.rsplit('/').next().unwrap_or(file)
}

/// Returns the path of a file inside of the folder that packages are installed in.
fn inside_packages(file: &str) -> Option<&str> {
    INSTALLED.into_iter().find_map(|folder| after(file, folder))
}

/// Returns the path of a file inside of Python's own library.
fn inside_library(file: &str) -> Option<&str> {
    let (_, path) = after(file, LIBRARY)?.split_once('/')?;
    Some(path)
}

/// Returns what follows a folder in a path, the last time that it stands there.
fn after<'f>(file: &'f str, folder: &str) -> Option<&'f str> {
    let starts: Vec<usize> = file.match_indices(folder).map(|(at, _)| at).collect();
    let is_whole = |at: &&usize| **at == 0 || file.as_bytes()[**at - 1] == b'/';
    let at = starts.iter().rev().find(is_whole)?;
    // What is told relative to the program begins with a dot where it could be mistaken.
    (!file.starts_with("./")).then(|| &file[at + folder.len()..])
}

/// Returns the module that is part of the interpreter: `site` of `<frozen site>`.
fn frozen(file: &str) -> Option<&str> {
    file.strip_prefix("<frozen ")?.strip_suffix('>')
}

fn folder_and_name(file: &str) -> (&str, &str) {
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", file));
    (folders.rsplit('/').next().unwrap_or(""), name)
}

fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_packages_and_hold_modules() {
        let of = |file| (package_of_file(file), module_of_file(file));
        let is = |package, module: &str| (package, module.to_owned());
        assert_eq!(
            of("/usr/lib/python3.11/json/decoder.py"),
            is("json", "json.decoder")
        );
        assert_eq!(of("lib/python3.11/argparse.py"), is("argparse", "argparse"));
        assert_eq!(of("/v/site-packages/six.py"), is("six", "six"));
        assert_eq!(
            of("site-packages/torch/_dynamo/__init__.py"),
            is("torch", "torch._dynamo")
        );
        assert_eq!(of("/home/me/project/utils.py"), is("utils", "utils"));
        assert_eq!(of("models/__init__.py"), is("models", "models"));
        assert_eq!(
            of("mkdocs/commands/build.py"),
            is("build", "mkdocs.commands.build")
        );
        assert_eq!(of("src/fit/core.py"), is("core", "fit.core"));
        assert_eq!(of("my-project/core.py"), is("core", "core"));
        assert_eq!(of("<frozen site>"), is("site", "site"));
        assert_eq!(
            of("<frozen importlib._bootstrap>"),
            is("importlib", "importlib._bootstrap")
        );
        assert_eq!(of(""), is("", ""));
    }

    #[test]
    fn imports_of_a_script_begin_in_its_folder() {
        assert_eq!(module_below("tools", "tools/data/images.py"), "data.images");
        assert_eq!(module_below("tools", "toolset/images.py"), "toolset.images");
        assert_eq!(module_below("", "data/images.py"), "data.images");
    }

    #[test]
    fn a_file_of_the_program_is_the_programs_whatever_its_folders_are_called() {
        assert_eq!(file_origin("./site-packages/mine.py"), FileOrigin::Program);
        assert_eq!(
            short_file("./site-packages/mine.py"),
            "site-packages/mine.py"
        );
        assert_eq!(file_origin("my-site-packages/mine.py"), FileOrigin::Program);
        assert_eq!(
            file_origin("/opt/glib/python3/mine.py"),
            FileOrigin::Program
        );
    }
}
