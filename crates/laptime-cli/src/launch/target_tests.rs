use std::ffi::OsString;
use std::path::Path;

use super::{Request, Target};
use crate::error::CliError;

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(Into::into).collect()
}

#[test]
fn a_module_runs_under_the_interpreter_laptime_is_installed_in() {
    let typed = words(&["pkg.train", "--epochs", "3"]);
    let target = Target::resolve(Request::Module(&typed), Some(Path::new("/opt/py"))).unwrap();
    assert_eq!(target.executable, Path::new("/opt/py"));
    assert_eq!(
        target.arguments,
        words(&["-m", "pkg.train", "--epochs", "3"])
    );
    assert_eq!(
        (target.program.as_str(), target.stem.as_str()),
        ("pkg.train", "pkg.train")
    );
}

#[test]
fn a_module_after_two_dashes_is_the_same_module() {
    let typed = words(&["-m", "pkg", "x"]);
    let python = Some(Path::new("/opt/py"));
    assert_eq!(
        Target::resolve(Request::Program(&typed), python).unwrap(),
        Target::resolve(Request::Module(&typed[1..]), python).unwrap()
    );
}

#[test]
fn code_is_handed_on_and_names_nothing() {
    let typed = words(&["secret = 1", "--epochs", "3"]);
    let python = Some(Path::new("/opt/py"));
    let target = Target::resolve(Request::Code(&typed), python).unwrap();
    assert_eq!(target.executable, Path::new("/opt/py"));
    assert_eq!(
        target.arguments,
        words(&["-c", "secret = 1", "--epochs", "3"])
    );
    assert_eq!(
        (target.program.as_str(), target.stem.as_str()),
        ("python -c", "command")
    );
    let after_dashes = words(&["-c", "secret = 1", "--epochs", "3"]);
    assert_eq!(
        Target::resolve(Request::Program(&after_dashes), python).unwrap(),
        target
    );
}

#[test]
fn a_script_is_named_by_its_last_component_only() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("train.py");
    std::fs::write(&script, "").unwrap();
    let typed = [script.clone().into_os_string(), "--secret".into()];
    let target = Target::resolve(Request::Program(&typed), Some(Path::new("/opt/py"))).unwrap();
    assert_eq!(target.arguments, typed);
    assert_eq!(
        (target.program.as_str(), target.stem.as_str()),
        ("train.py", "train")
    );
}

#[test]
fn a_folder_called_like_a_script_is_not_executable_unless_it_has_a_main() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("app.py");
    std::fs::create_dir(&package).unwrap();
    let typed = [package.clone().into_os_string()];
    let error = Target::resolve(Request::Program(&typed), Some(Path::new("/opt/py"))).unwrap_err();
    assert!(matches!(error, CliError::NotExecutable { .. }), "{error}");
    std::fs::write(package.join("__main__.py"), "").unwrap();
    assert!(Target::resolve(Request::Program(&typed), Some(Path::new("/opt/py"))).is_ok());
}
