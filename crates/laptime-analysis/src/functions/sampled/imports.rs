//! The import that a stack is in: the outermost one, as its script wrote it.
//!
//! An import shows as the code of a module, `<module>`, called by Python's import system.

use crate::functions::stack_records::Function;

/// Start of the file names of Python's import system: it is part of the interpreter.
const MACHINERY: &str = "<frozen importlib._bootstrap";
/// The name of a module's code.
const MODULE: &str = "<module>";

/// Returns the function that stands for all of the import system on a way of calls.
pub fn machinery() -> Function {
    Function {
        name: "import".to_owned(),
        file: "<frozen importlib>".to_owned(),
    }
}

/// Tells whether a function is the import system's.
pub fn is_machinery(function: &Function) -> bool {
    function.file.starts_with(MACHINERY)
}

/// Returns the package that a stack's outermost import loads; `None` where nothing is imported.
pub fn package<'f>(outermost_first: impl Iterator<Item = &'f Function>) -> Option<String> {
    let mut is_importing = false;
    for function in outermost_first {
        if is_machinery(function) {
            is_importing = true;
        } else if is_importing && function.name == MODULE {
            return Some(package_of_file(&function.file));
        } else if is_importing && !function.file.starts_with('<') {
            // Something else that the import system calls, such as a finder of the program's.
            is_importing = false;
        }
    }
    None
}

/// Returns the package that a file belongs to: `torch` of `…/site-packages/torch/nn/modules/linear.py`.
fn package_of_file(file: &str) -> String {
    let after = |marker: &str| file.rfind(marker).map(|at| &file[at + marker.len()..]);
    let installed = after("/site-packages/").or_else(|| after("/dist-packages/"));
    let of_python = || {
        let (_, rest) = file.split_once("/lib/python3")?;
        Some(rest.split_once('/')?.1)
    };
    if let Some(path) = installed.or_else(of_python) {
        let first = path.split('/').next().unwrap_or(path);
        return stem(first).to_owned();
    }
    if let Some(module) = frozen(file) {
        return module.to_owned();
    }
    let mut parts = file.rsplit('/');
    let (last, folder) = (parts.next().unwrap_or(file), parts.next());
    match folder {
        Some(folder) if last == "__init__.py" => folder.to_owned(),
        _ => stem(last).to_owned(),
    }
}

/// Returns the module that is part of the interpreter: `site` of `<frozen site>`.
fn frozen(file: &str) -> Option<&str> {
    file.strip_prefix("<frozen ")?.strip_suffix('>')
}

fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, file: &str) -> Function {
        Function {
            name: name.to_owned(),
            file: file.to_owned(),
        }
    }

    #[test]
    fn the_outermost_import_is_told_by_its_package() {
        let machinery = function("_call_with_frames_removed", "<frozen importlib._bootstrap>");
        let script = function("<module>", "/home/me/train.py");
        let torch = function(
            "<module>",
            "/venv/lib/python3.11/site-packages/torch/__init__.py",
        );
        let numpy = function(
            "<module>",
            "/venv/lib/python3.11/site-packages/numpy/__init__.py",
        );
        let stack = [&script, &machinery, &torch, &machinery, &numpy];
        assert_eq!(package(stack.into_iter()).as_deref(), Some("torch"));
        assert_eq!(package([&script].into_iter()), None);
        let lazy = function("build", "/home/me/model.py");
        let stack = [&script, &lazy, &machinery, &numpy];
        assert_eq!(package(stack.into_iter()).as_deref(), Some("numpy"));
    }

    #[test]
    fn files_belong_to_packages() {
        assert_eq!(
            package_of_file("/usr/lib/python3.11/json/decoder.py"),
            "json"
        );
        assert_eq!(
            package_of_file("/usr/lib/python3.11/argparse.py"),
            "argparse"
        );
        assert_eq!(package_of_file("/home/me/project/utils.py"), "utils");
        assert_eq!(
            package_of_file("/home/me/project/models/__init__.py"),
            "models"
        );
        assert_eq!(package_of_file("/v/site-packages/six.py"), "six");
        assert_eq!(package_of_file("<frozen site>"), "site");
        assert_eq!(package_of_file(""), "");
    }
}
