//! What people mistype on the command line of `laptime run` costs them nothing and is answered with what works.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::place::{Left, Place};

fn executable(place: &Place, name: &str, content: &[u8]) {
    let path = place.path().join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_page_is_never_written_over_a_script() {
    let place = Place::new();
    place.file("train.py", "print('started')");
    let left = place.laptime(&["run", "--html", "train.py", "sh", "-c", "echo started"]);
    assert_eq!((left.code, left.out.as_str()), (125, ""));
    insta::assert_snapshot!(left.err, @r"
    laptime: error: cannot write the page to train.py: a page's name ends in .html or .htm
    hint: did you mean --html train.html?
    ");
    let kept = fs::read_to_string(place.path().join("train.py")).unwrap();
    assert_eq!(kept, "print('started')");
    for name in ["x.pdf", "x", "x.html.gz"] {
        let left = place.laptime(&["run", "--html", name, "true"]);
        assert_eq!(left.code, 125, "{name}: {}", left.err);
    }
    assert!(place.recordings().is_empty());
    for name in ["x.html", "x.htm"] {
        let left = place.laptime(&["run", "--html", name, "true"]);
        assert_eq!(left.code, 0, "{name}: {}", left.err);
        assert!(place.path().join(name).is_file());
    }
}

#[test]
fn a_page_that_cannot_be_written_is_said_before_the_start() {
    let place = Place::new();
    fs::create_dir(place.path().join("folder.html")).unwrap();
    place.file("file", "");
    for page in ["nope/x.html", "file/x.html", "folder.html"] {
        let left = place.laptime(&["run", "--html", page, "sh", "-c", "echo started"]);
        assert_eq!((left.code, left.out.as_str()), (125, ""), "{}", left.err);
        let begins = format!("laptime: error: cannot write {page}: ");
        assert!(left.err.starts_with(&begins), "{}", left.err);
    }
    assert!(place.recordings().is_empty());
}

#[test]
fn every_wrong_usage_of_run_ends_with_125() {
    let place = Place::new();
    for arguments in [
        &["run"][..],
        &["run", "--memory=kib", "true"],
        &["run", "--modules", "--no-auto", "true"],
        &["run", "--html"],
        &["run", "--typo", "true"],
        &["--memory", "run", "true"],
    ] {
        let left = place.laptime(arguments);
        assert_eq!(
            (left.code, left.out.as_str()),
            (125, ""),
            "{arguments:?}: {}",
            left.err
        );
    }
    assert_eq!(place.laptime(&["run", "--help"]).code, 0);
    assert_eq!(place.laptime(&["run", "sh", "-c", "exit 2"]).code, 2);
    assert_eq!(place.laptime(&["export"]).code, 2);
}

#[test]
fn an_option_of_ours_after_the_program_is_the_programs_and_is_told() {
    let place = Place::new();
    place.file("s.py", "import sys; print(sys.argv[1:])");
    let run = |arguments: &[&str]| {
        let left = place.laptime(&[&["run"], arguments].concat());
        assert_eq!(left.code, 0, "{}", left.err);
        let told = left
            .err
            .lines()
            .find(|line| line.contains(" meant for Laptime"));
        (left.out.clone(), told.map(str::to_owned))
    };
    let (out, told) = run(&["s.py", "20", "--memory"]);
    assert_eq!(out, "['20', '--memory']\n");
    let told_one = "laptime: --memory after s.py goes to s.py; if it is meant for Laptime, put it before: laptime run --memory s.py";
    assert_eq!(told.as_deref(), Some(told_one));
    let (_, told) = run(&["-m", "s", "--ops", "--html=x.html"]);
    let told_two = "laptime: --ops and --html after s go to s; if they are meant for Laptime, put them before: laptime run --ops --html=… -m s";
    assert_eq!(told.as_deref(), Some(told_two));
    for arguments in [
        &["s.py", "--memorable", "-o", "x"][..],
        &["s.py", "--", "--memory"],
        &["--", "s.py", "--memory"],
        &["--memory", "s.py"],
    ] {
        assert_eq!(run(arguments).1, None, "{arguments:?}");
    }
}

#[test]
fn a_command_that_lacks_something_is_answered_with_the_line_that_works() {
    let place = Place::new();
    place.file("s.py", "print()");
    let hint = |arguments: &[&str]| {
        let left = place.laptime(arguments);
        assert_eq!(left.code, 2, "{}", left.err);
        let hints = left
            .err
            .lines()
            .filter_map(|line| line.strip_prefix("hint: "));
        hints.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(hint(&["export"]), "", "no recording is here");
    place.laptime(&["run", "-o", "a.lap", "true"]);
    assert_eq!(hint(&["export"]), "recordings here: a.lap");
    place.laptime(&["run", "true"]);
    assert_eq!(hint(&["export"]), "recordings here: a.lap, true-1.lap");
    let page = "the name says that it is a page: laptime report a.lap -o x.html";
    assert_eq!(hint(&["report", "a.lap", "--html", "x.html"]), page);
    assert_eq!(hint(&["report", "a.lap", "--html=x.html"]), page);
    assert_eq!(hint(&["memory", "s.py"]), "laptime run --memory s.py");
    assert_eq!(hint(&["memory", "nothing.py"]), "");
}

#[test]
fn a_recording_without_a_command_gets_the_one_that_shows_it() {
    let place = Place::new();
    place.laptime(&["run", "-o", "a.lap", "true"]);
    let left = place.laptime(&["a.lap"]);
    assert_eq!(left.code, 2);
    assert!(
        left.err.ends_with("hint: laptime report a.lap\n"),
        "{}",
        left.err
    );
}

#[test]
fn an_option_before_its_command_is_told_where_it_goes() {
    let place = Place::new();
    let said = |arguments: &[&str]| place.laptime(arguments).err;
    let err = said(&["--memory", "run", "my x.py"]);
    let hint = "hint: options of run go after run: laptime run --memory 'my x.py'\n";
    assert!(err.ends_with(hint), "{err}");
    let err = said(&["--output=a.lap", "run", "x.py"]);
    assert!(err.ends_with("laptime run --output=a.lap x.py\n"), "{err}");
    let err = said(&["-o", "a.lap", "run", "x.py"]);
    assert!(err.ends_with("laptime run -o a.lap x.py\n"), "{err}");
    let err = said(&["--json", "report", "a.lap"]);
    assert!(err.ends_with("laptime report --json a.lap\n"), "{err}");
    assert!(!said(&["--nothing", "run", "x.py"]).contains("hint:"));
}

#[test]
fn a_notebook_is_sent_to_the_page_about_notebooks() {
    let place = Place::new();
    place.file("nb.ipynb", "{}");
    let left = place.laptime(&["run", "nb.ipynb"]);
    assert_eq!((left.code, left.out.as_str()), (126, ""));
    insta::assert_snapshot!(left.err, @r#"
    laptime: error: cannot run nb.ipynb: it is a notebook, which is measured from inside
    hint: in a cell: `with lt.record("nb.lap") as rec:` around the work; docs/tasks/notebook.md shows how
    "#);
    assert_eq!(place.laptime(&["run", "none.ipynb"]).code, 127);
}

#[test]
fn a_recording_is_called_like_one_or_not_made() {
    let place = Place::new();
    fs::create_dir(place.path().join("runs")).unwrap();
    for (typed, near) in [
        ("a.txt", "a.lap"),
        ("a", "a.lap"),
        ("lr-0.1", "lr-0.1.lap"),
        ("s.py", "s.lap"),
        ("runs", "runs/sh.lap"),
        ("runs/b", "runs/b.lap"),
    ] {
        let left = place.laptime(&["run", "-o", typed, "sh", "-c", "echo started"]);
        assert_eq!((left.code, left.out.as_str()), (125, ""));
        let said = format!(
            "laptime: error: cannot record in {typed}: a recording's name ends in .lap\n\
             hint: did you mean {near}?\n"
        );
        assert_eq!(left.err, said);
    }
    assert!(!place.path().join("a.txt").exists());
}

#[test]
fn force_is_not_proposed_for_what_it_does_not_replace() {
    let place = Place::new();
    place.file("thesis.lap", "my thesis");
    place.laptime(&["run", "-o", "a.lap", "true"]);
    for arguments in [
        &["run", "-o", "thesis.lap", "true"][..],
        &["run", "--force", "-o", "thesis.lap", "true"],
        &["pack", "a.lap", "-o", "thesis.lap"],
    ] {
        let said = "laptime: error: thesis.lap is there and not a recording, so it is never replaced\n\
                    hint: pass another --output\n";
        assert_eq!(place.laptime(arguments).err, said);
    }
}

#[test]
fn memory_is_asked_for_by_what_is_meant() {
    let place = Place::new();
    let said = |arguments: &[&str]| {
        let left = place.laptime(&[&["report", "a.lap"], arguments].concat());
        assert_eq!(left.code, 2);
        assert!(!left.err.contains("tip:"), "{}", left.err);
        left.err
    };
    let is = "hint: for memory there are the columns kept, what all spans left behind, and peak, the most that one span held: ";
    for word in ["mem", "memory"] {
        let err = said(&["--columns", word]);
        assert!(
            err.ends_with(&format!("{is}--columns kept,peak\n")),
            "{err}"
        );
        let err = said(&["--sort", word]);
        assert!(
            err.ends_with(&format!("{is}--sort kept, --sort peak\n")),
            "{err}"
        );
    }
    assert!(
        !place
            .laptime(&["report", "a.lap", "--sort", "colour"])
            .err
            .contains("hint:")
    );
}

fn hint(left: &Left) -> &str {
    left.err
        .lines()
        .find(|line| line.starts_with("hint: "))
        .unwrap_or_default()
}

#[test]
fn a_program_that_is_not_there_is_answered_with_the_scripts_that_are() {
    let place = Place::new();
    for name in ["s.py", "digits_slow.py", "digits_fast.py", "mynet.py"] {
        place.file(name, "");
    }
    place.file("notes.txt", "");
    let run = |program: &str| place.laptime(&["run", program]);
    for (typed, near) in [
        ("s", "did you mean s.py?"),
        (
            "digits_slow.pyy",
            "did you mean digits_slow.py or digits_fast.py?",
        ),
        ("mynet.txt", "did you mean mynet.py?"),
        ("./mynte.py", "did you mean ./mynet.py?"),
        (
            "qqq.py",
            "scripts here: digits_fast.py, digits_slow.py, mynet.py, s.py",
        ),
    ] {
        let left = run(typed);
        assert_eq!(
            (left.code, hint(&left)),
            (127, format!("hint: {near}").as_str()),
            "{typed}"
        );
    }
    let elsewhere = Place::new().laptime(&["run", "nosuch.py"]);
    assert_eq!(hint(&elsewhere), "");
    place.file("mynet.txt", "notes");
    assert_eq!(hint(&run("./mynet.txt")), "hint: did you mean ./mynet.py?");
    assert_eq!(
        hint(&run("./notes.txt")),
        "hint: make it executable with `chmod +x ./notes.txt`, or name its interpreter"
    );
}

#[test]
fn what_a_program_lacks_is_what_is_named() {
    let place = Place::new();
    executable(&place, "noise", b"echo no interpreter");
    executable(&place, "binary", b"\x7fELF of another machine");
    executable(&place, "lost", b"#!/nope/python3 -u\nprint()");
    place.file("train.py", "");
    let noise = place.laptime(&["run", "./noise"]);
    insta::assert_snapshot!(noise.err, @r"
    laptime: error: cannot run ./noise: Exec format error (os error 8)
    hint: its first line names no interpreter (`#!/bin/sh`): name it, such as `laptime run sh ./noise`
    ");
    let binary = place.laptime(&["run", "./binary"]);
    assert_eq!(
        hint(&binary),
        "hint: it was built for another kind of machine"
    );
    let lost = place.laptime(&["run", "./lost"]);
    assert_eq!(lost.code, 126);
    insta::assert_snapshot!(lost.err, @r"
    laptime: error: cannot run ./lost: /nope/python3 is not there, which it is run by
    hint: correct its first line, or name another: `laptime run INTERPRETER ./lost`
    ");
    let mut command = place.command();
    command
        .args(["run", "train.py"])
        .env("LAPTIME_PYTHON", "/nope/python");
    let gone = Left::from(command.output().unwrap());
    insta::assert_snapshot!(gone.err, @r"
    laptime: error: cannot run train.py: /nope/python is not there, which it is run by
    hint: name another: `laptime run /path/to/python train.py`
    ");
    assert!(place.recordings().is_empty());
}

#[test]
fn a_folder_with_a_main_is_run_as_python_runs_it() {
    let place = Place::new();
    for name in ["sh", "empty", "sh/inner"] {
        fs::create_dir(place.path().join(name)).unwrap();
    }
    place.file(
        "sh/__main__.py",
        "import sys; print('the folder', sys.argv)",
    );
    for typed in ["sh", "./sh", "sh/"] {
        let left = place.laptime(&["run", typed, "-c", "1"]);
        let said = format!("the folder ['{typed}', '-c', '1']\n");
        assert_eq!((left.code, left.out), (0, said), "{}", left.err);
    }
    assert_eq!(place.recordings().len(), 3);
    let inside = |typed: &str| {
        let mut command = place.command();
        command.current_dir(place.path().join("sh"));
        Left::from(command.args(["run", typed]).output().unwrap())
    };
    let here = inside(".");
    assert_eq!(here.out, "the folder ['.']\n", "{}", here.err);
    assert!(
        here.err.contains("recording: .laptime/runs/sh-"),
        "{}",
        here.err
    );
    insta::assert_snapshot!(place.laptime(&["run", "."]).err, @r"
    laptime: error: cannot run .: it is a folder without a __main__.py
    hint: name a script or a program inside it
    ");
    insta::assert_snapshot!(place.laptime(&["run", "empty"]).err, @r"
    laptime: error: cannot run empty: it is a folder without a __main__.py
    hint: name a script or a program inside it
    ");
    insta::assert_snapshot!(place.laptime(&["run", "-"]).err, @r"
    laptime: error: cannot run -: not found on PATH
    hint: for a program on standard input: laptime run python -
    ");
}

#[test]
fn a_program_on_path_runs_beside_a_folder_of_its_name_without_a_main() {
    let place = Place::new();
    fs::create_dir(place.path().join("true")).unwrap();
    let left = place.laptime(&["run", "true"]);
    assert_eq!(left.code, 0, "{}", left.err);
}

#[test]
fn steps_that_cannot_be_profiled_are_told_with_what_is_wrong() {
    let place = Place::new();
    let said = |steps: &str| {
        let left = place.laptime(&["run", "--kernels", steps, "true"]);
        assert_eq!(left.code, 125, "{}", left.err);
        let first = left.err.lines().next().unwrap_or_default();
        first
            .split("'--kernels <FIRST:END>': ")
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        said("5:2"),
        "5:2 holds no step, as the end isn't profiled: it must be larger than the first, such as 5:6"
    );
    assert_eq!(said("3:"), "the end is missing: 3:6 are three steps");
    assert_eq!(said(":3"), "the first step is missing: 0:3 begins at once");
    assert_eq!(
        said("0:10:2"),
        "every step from the first to the end is profiled, so there is no third number: 0:10"
    );
    let general = "steps are written FIRST:END, counted from 0 and without the last, such as 10:13";
    for steps in ["5", "a:b", "1:2:3:4", "0:99999999999"] {
        assert_eq!(said(steps), general);
    }
}

#[test]
fn what_is_counted_of_memory_is_told_by_what_can_be_typed() {
    let place = Place::new();
    let left = place.laptime(&["run", "--memory=foo", "true"]);
    let first = left.err.lines().next().unwrap_or_default();
    assert!(
        first.ends_with(": it is --memory, or --memory=objects"),
        "{first}"
    );
    assert_eq!(place.laptime(&["run", "--memory=1", "true"]).code, 0);
}

#[test]
fn a_page_to_show_has_to_be_written_first() {
    let place = Place::new();
    place.laptime(&["run", "-o", "a.lap", "true"]);
    let left = place.laptime(&["compare", "a.lap", "a.lap", "--open"]);
    assert_eq!(left.code, 2);
    assert_eq!(
        hint(&left),
        "hint: --open shows what --output writes: add -o page.html"
    );
}

#[test]
fn a_recording_inside_of_a_file_is_told_to_have_no_folder() {
    let place = Place::new();
    place.file("notes", "");
    for (path, told) in [
        ("notes/x.lap", "notes is not a folder"),
        ("notes/a/x.lap", "notes is not a folder"),
        ("/dev/full/x.lap", "/dev/full is not a folder"),
    ] {
        let left = place.laptime(&["run", "-o", path, "true"]);
        assert_eq!(left.code, 0, "{}", left.err);
        let said = format!("laptime: warning: cannot record in {path}: {told}; running unrecorded");
        assert_eq!(left.err.lines().next(), Some(said.as_str()));
    }
}

#[test]
fn two_dashes_end_the_options() {
    let place = Place::new();
    place.file("-m.py", "print('mine')");
    let left = place.laptime(&["run", "--", "-m.py"]);
    assert_eq!(
        (left.code, left.out.as_str()),
        (0, "mine\n"),
        "{}",
        left.err
    );
    let left = place.laptime(&["run", "--", "--memory"]);
    assert_eq!(left.code, 127, "{}", left.err);
    let left = place.laptime(&["run", "--no-auto", "--memory", "--", "-m.py"]);
    assert_eq!(left.out, "mine\n");
}

/// Opening it would wait for somebody to come.
#[test]
fn a_pipe_that_nobody_reads_is_refused() {
    let place = Place::new();
    place.laptime(&["run", "-o", "a.lap", "true"]);
    let made = std::process::Command::new("mkfifo")
        .args(["p.json", "p.lap"])
        .current_dir(place.path())
        .status();
    assert!(made.unwrap().success());
    for arguments in [
        &["report", "a.lap", "-o", "p.json", "-f", "text"][..],
        &["export", "a.lap", "-o", "p.json"],
    ] {
        let left = place.laptime(arguments);
        assert_eq!(left.code, 1, "{arguments:?}: {}", left.err);
        assert!(
            left.err.contains("it is a pipe that nobody reads"),
            "{}",
            left.err
        );
    }
    for arguments in [
        &["pack", "a.lap", "-o", "p.lap"][..],
        &["run", "-o", "p.lap", "true"],
    ] {
        let left = place.laptime(arguments);
        assert_ne!(left.code, 0, "{arguments:?}");
        assert!(left.err.contains("p.lap"), "{}", left.err);
    }
}

#[test]
fn swapped_letters_of_a_command_and_of_a_recording_find_the_one_that_was_meant() {
    let place = Place::new();
    for name in ["train-1", "short-2"] {
        place.laptime(&["run", "-o", &format!("{name}.lap"), "true"]);
    }
    let hint = |arguments: &[&str]| {
        let left = place.laptime(arguments);
        let mut lines = left.err.lines();
        let hint = lines.find_map(|line| line.strip_prefix("hint: "));
        hint.map(str::to_owned)
    };
    let run = Some("did you mean laptime run x.py --lr 1?".to_owned());
    assert_eq!(hint(&["rnu", "x.py", "--lr", "1"]), run);
    assert_eq!(hint(&["frobnicate"]), None);
    let meant = Some("did you mean train-1.lap?".to_owned());
    assert_eq!(hint(&["report", "trxin-1"]), meant);
    let far = hint(&["report", "evaluation"]).unwrap();
    assert!(far.starts_with("recordings here: "), "{far}");
}
