use std::fs;
use std::path::Path;

use laptime_recorder::environment::{Automatic, DeviceTime, Streams};
use laptime_report::{Format, Sort};

use super::{Files, Origin, Settings};

const PHASES: Automatic = Automatic {
    phases: true,
    modules: false,
    ops: false,
    stacks: false,
    calls: false,
    nvtx: false,
    kernels: None,
};

fn load(folder: &Path, auto: Option<Automatic>) -> Settings {
    Settings::from(&Files::nearest(folder).unwrap(), auto, (None, None)).unwrap()
}

#[test]
fn each_layer_beats_the_one_below_it_and_is_named() {
    let place = tempfile::tempdir().unwrap();
    let inner = place.path().join("deep/er");
    fs::create_dir_all(&inner).unwrap();
    assert_eq!(load(&inner, None).format.origin, Origin::Default);

    let project = place.path().join("pyproject.toml");
    fs::write(
        &project,
        "[tool.laptime.report]\nformat = 'csv'\nsort = 'name'\n[tool.laptime.run]\nmodules = true\n",
    )
    .unwrap();
    let own = place.path().join("deep/laptime.toml");
    fs::write(&own, "[report]\nformat = 'markdown'\n").unwrap();

    let settings = load(&inner, None);
    assert_eq!(settings.format.value, Format::Markdown);
    assert_eq!(settings.format.origin, Origin::File(own));
    assert_eq!(settings.sort.value, Sort::Name);
    assert_eq!(settings.sort.origin, Origin::File(project));
    assert!(settings.modules.value);

    let settings = load(&inner, Some(Automatic::default()));
    assert!(!settings.phases.value && !settings.modules.value);
    let settings = load(&inner, Some(PHASES));
    assert!(settings.phases.value && !settings.modules.value);
    let flag = settings.phases.or_flag(Some(false), "--no-auto");
    assert_eq!(flag.origin, Origin::Flag("--no-auto"));
}

#[test]
fn devices_are_timed_as_the_file_says_unless_the_environment_says_otherwise() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("laptime.toml");
    fs::write(&path, "[run]\ndevice = 'sync'\nstreams = 'all'\n").unwrap();
    let files = Files::nearest(place.path()).unwrap();
    let settings = Settings::from(&files, None, (None, None)).unwrap();
    assert_eq!(settings.device.value, DeviceTime::Sync);
    assert_eq!(settings.streams.value, Streams::All);
    let said = (Some(DeviceTime::Off), None);
    let settings = Settings::from(&files, None, said).unwrap();
    assert_eq!(settings.device.value, DeviceTime::Off);
    assert_eq!(
        settings.device.origin,
        Origin::Environment("LAPTIME_DEVICE")
    );
    assert_eq!(settings.streams.origin, Origin::File(path));
}

#[test]
fn a_project_without_our_table_is_passed_over() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("deep")).unwrap();
    fs::write(
        place.path().join("deep/pyproject.toml"),
        "[tool.other]\nx = 1\n",
    )
    .unwrap();
    let project = place.path().join("pyproject.toml");
    fs::write(&project, "[tool.laptime]\nreport.sort = 'count'\n").unwrap();
    let settings = load(&place.path().join("deep"), None);
    assert_eq!(settings.sort.value, Sort::Count);
}

#[test]
fn a_broken_project_file_that_is_not_about_us_is_none_of_our_business() {
    let place = tempfile::tempdir().unwrap();
    let project = place.path().join("pyproject.toml");
    fs::write(&project, "[tool.other\nx = ").unwrap();
    assert_eq!(load(place.path(), None).sort.origin, Origin::Default);
    fs::write(&project, "[tool.laptime\nx = ").unwrap();
    assert!(Files::nearest(place.path()).is_err());
}

#[test]
fn mistakes_name_the_file_and_what_was_expected() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("laptime.toml");
    let mut messages = String::new();
    for text in [
        "[run]\nspeed = true\n",
        "[run]\nmodules = 'yes'\n",
        "[run]\ndevice = 'gpu'\n",
        "[report]\nformat = 'html5'\n",
        "modules = true\n",
        "[report]\nformat =\n",
    ] {
        fs::write(&path, text).unwrap();
        let error = Files::nearest(place.path())
            .and_then(|files| Settings::from(&files, None, (None, None)))
            .unwrap_err();
        messages += &error
            .to_string()
            .replace(&place.path().display().to_string(), "");
        messages.push('\n');
    }
    insta::assert_snapshot!(messages, @r#"
    /laptime.toml: unknown key `run.speed`; known are run.phases, run.modules, run.device, run.streams, report.format, report.sort
    /laptime.toml: `run.modules` is "yes", expected true or false
    /laptime.toml: `run.device` is "gpu", expected events, sync, off
    /laptime.toml: `report.format` is "html5", expected text, tree, markdown, json, csv, html
    /laptime.toml: unknown key `modules`; known are run.phases, run.modules, run.device, run.streams, report.format, report.sort
    /laptime.toml: line 2: string values must be quoted, expected literal string
    "#);
}
