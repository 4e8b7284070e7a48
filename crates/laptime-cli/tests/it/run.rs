//! `laptime run` leaves a program's result as it is and describes the run.

use std::os::unix::fs::PermissionsExt;

use crate::place::{Left, Place};

#[test]
fn a_program_keeps_its_output_and_exit_code() {
    let place = Place::new();
    let left = place.laptime(&["run", "sh", "-c", "echo out; echo err >&2; exit 3"]);
    assert_eq!((left.code, left.out.as_str()), (3, "out\n"));
    assert!(left.err.starts_with("err\n"), "{}", left.err);
    let info = place.run_info(".laptime/runs/sh-1.lap");
    let end = info.end.unwrap();
    assert_eq!((end.code, end.signal), (Some(3), None));
    assert!(end.monotonic_ns > info.started_monotonic_ns);
    assert_eq!(info.program, "sh");
}

#[test]
fn each_way_a_script_ends_gives_its_own_code() {
    let place = Place::new();
    for (name, body, code) in [
        ("plain.py", "", 0),
        ("raise.py", "raise ValueError('mine')", 1),
        ("exit.py", "import sys; sys.exit(3)", 3),
        ("hard.py", "import os; os._exit(3)", 3),
        (
            "killed.py",
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            -9,
        ),
        (
            "fork.py",
            "import os\nif os.fork() == 0: os._exit(9)\nos.wait()\nraise SystemExit(4)",
            4,
        ),
        (
            "chdir.py",
            "import os; os.chdir('/'); print(os.getcwd())",
            0,
        ),
    ] {
        place.file(name, body);
        let left = place.laptime(&["run", name]);
        assert_eq!(left.code, code, "{name}: {}", left.err);
        let recording = format!(".laptime/runs/{}-1.lap", name.trim_end_matches(".py"));
        assert!(place.run_info(&recording).end.is_some(), "{name}");
    }
}

#[test]
fn an_option_that_is_none_is_told_with_the_one_that_is_most_like_it() {
    let place = Place::new();
    place.file("train.py", "");
    let said = |option: &str| {
        let left = place.laptime(&["run", option, "train.py"]);
        assert_eq!((left.code, left.out.as_str()), (125, ""), "{}", left.err);
        left.err
    };
    insta::assert_snapshot!(said("--module"), @r"
    laptime: error: --module is not an option of laptime run
    hint: did you mean --modules? Options of your own script go after its name
    ");
    assert!(said("--outputs=x.lap").contains("did you mean --output?"));
    insta::assert_snapshot!(said("--typo"), @r"
    laptime: error: --typo is not an option of laptime run
    hint: options of your own script go after its name; `laptime run --help` has those of laptime run
    ");
    assert!(said("-x").contains("-x is not an option of laptime run"));
    let left = place.laptime(&["run", "train.py", "--typo"]);
    assert_eq!(left.code, 0, "{}", left.err);
}

#[test]
fn a_program_killed_by_a_signal_is_described_as_such() {
    let place = Place::new();
    let left = place.laptime(&["run", "sh", "-c", "kill -TERM $$"]);
    assert_eq!(left.code, -15);
    let end = place.run_info(".laptime/runs/sh-1.lap").end.unwrap();
    assert_eq!((end.code, end.signal), (None, Some(15)));
}

#[test]
fn the_program_is_told_where_to_record_and_what() {
    let place = Place::new();
    let show = "echo $LAPTIME_RUN; echo $LAPTIME_AUTO; echo ${LAPTIME_PYTHON-unset}";
    for (flags, auto) in [
        (&[][..], "phases,stacks"),
        (&["--modules"][..], "phases,modules,stacks"),
        (&["--ops"][..], "phases,ops,stacks"),
        (&["--ops", "--modules"][..], "phases,modules,ops,stacks"),
        (&["--no-auto"][..], "stacks"),
        (&["--no-auto", "--no-stacks"][..], ""),
        (&["--stacks"][..], "phases,stacks"),
        (&["--calls"][..], "phases,calls"),
        (&["--calls", "--stacks"][..], "phases,stacks,calls"),
    ] {
        let mut arguments = vec!["run", "-o", "here.lap", "--force"];
        arguments.extend(flags);
        arguments.extend(["sh", "-c", show]);
        let left = place.laptime(&arguments);
        let folder = place.path().canonicalize().unwrap().join("here.lap");
        assert_eq!(left.out, format!("{}\n{auto}\nunset\n", folder.display()));
    }
}

#[test]
fn neither_arguments_nor_environment_are_kept() {
    let place = Place::new();
    let canary = "canary-f3b1";
    let left = place
        .command()
        .args(["run", "sh", "-c", "true", canary])
        .env("SECRET", canary)
        .output()
        .unwrap();
    assert!(left.status.success());
    for entry in std::fs::read_dir(place.path().join(".laptime/runs/sh-1.lap")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(canary));
    }
}

#[test]
fn recordings_are_numbered_and_never_overwritten() {
    let place = Place::new();
    place.laptime(&["run", "true"]);
    place.laptime(&["run", "true"]);
    std::fs::remove_dir_all(place.path().join(".laptime/runs/true-1.lap")).unwrap();
    place.laptime(&["run", "true"]);
    let names: Vec<_> = place.recordings();
    assert_eq!(
        names,
        [
            place_name(".laptime/runs/true-2.lap"),
            place_name(".laptime/runs/true-3.lap")
        ]
    );
}

fn place_name(name: &str) -> std::path::PathBuf {
    name.into()
}

#[test]
fn an_existing_output_is_refused_before_the_start() {
    let place = Place::new();
    place.laptime(&["run", "-o", "a.lap", "true"]);
    let left = place.laptime(&["run", "-o", "a.lap", "sh", "-c", "echo started"]);
    assert_eq!((left.code, left.out.as_str()), (125, ""));
    insta::assert_snapshot!(left.err, @r"
    laptime: error: a.lap already exists; recordings are not overwritten
    hint: pass --force to replace it, or another --output
    ");
}

#[test]
fn force_does_not_delete_what_is_no_recording() {
    let place = Place::new();
    place.file("thesis.lap", "");
    let left = place.laptime(&["run", "--force", "-o", "thesis.lap", "true"]);
    assert_eq!(left.code, 125);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: thesis.lap is there and not a recording, so it is never replaced
    hint: pass another --output
    ");
}

#[test]
fn a_folder_that_cannot_be_written_costs_one_warning_and_nothing_else() {
    let place = Place::new();
    place.file("occupied", "");
    let output = "occupied/under/a.lap";
    let script = "echo out; echo ${LAPTIME_RUN-unset}; exit 5";
    let left = place.laptime(&["run", "-o", output, "sh", "-c", script]);
    assert_eq!((left.code, left.out.as_str()), (5, "out\nunset\n"));
    insta::assert_snapshot!(left.err, @r"
    laptime: warning: cannot record in occupied/under/a.lap: occupied is not a folder; running unrecorded
    hint: name a file with --output in a folder that can be written to
    ");
}

#[test]
fn what_cannot_be_started_is_told_apart_by_its_code() {
    let place = Place::new();
    place.file("plain.txt", "");
    place.file("noise", "not a program");
    let noise = place.path().join("noise");
    std::fs::set_permissions(&noise, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (program, code) in [
        ("missing.py", 127),
        ("./missing", 127),
        ("missing-program", 127),
        ("./plain.txt", 126),
        ("./noise", 126),
        ("/", 126),
    ] {
        let left = place.laptime(&["run", program]);
        assert_eq!(left.code, code, "{program}: {}", left.err);
        assert!(left.err.starts_with("laptime: error: cannot run "));
        assert!(place.recordings().is_empty(), "{program} left a recording");
    }
}

#[test]
fn a_missing_script_is_named() {
    let left = Place::new().laptime(&["run", "train.py", "--epochs", "3"]);
    insta::assert_snapshot!(left.err, @"laptime: error: cannot run train.py: no such file");
}

#[test]
fn a_module_gets_everything_after_its_name() {
    let place = Place::new();
    place.file("tell.py", "import sys; print(sys.argv[1:])");
    let left = place.laptime(&["run", "-m", "tell", "--epochs", "3", "-o", "x", "--"]);
    assert_eq!(left.out, "['--epochs', '3', '-o', 'x', '--']\n");
    assert_eq!(place.recordings(), [place_name(".laptime/runs/tell-1.lap")]);
}

#[test]
fn code_runs_as_python_runs_it() {
    let place = Place::new();
    place.file("beside.py", "");
    let code = "import sys, beside; print(sys.argv)";
    let words = ["-c", code, "--epochs", "3", "-o", "x", "--"];
    for words in [&words[..], &[&["--"], &words[..]].concat()] {
        let left = place.laptime(&[&["run"], words].concat());
        assert_eq!(left.code, 0, "{}", left.err);
        assert_eq!(left.out, "['-c', '--epochs', '3', '-o', 'x', '--']\n");
    }
    let names = [1, 2].map(|n| place_name(&format!(".laptime/runs/command-{n}.lap")));
    assert_eq!(place.recordings(), names);
    let run = std::fs::read_to_string(place.path().join(&names[0]).join("run.json")).unwrap();
    assert!(
        run.contains("\"python -c\"") && !run.contains("beside"),
        "{run}"
    );
    let left = place.laptime(&["run", "-c", "raise SystemExit(7)"]);
    assert_eq!(left.code, 7);
    let left = place.laptime(&["run", "-c", "pass", "--memory"]);
    let told = "--memory after CODE goes to CODE; if it is meant for Laptime, put it before: laptime run --memory -c CODE";
    assert!(left.err.contains(told), "{}", left.err);
}

#[test]
fn code_that_is_missing_or_doubled_is_a_usage_error() {
    let place = Place::new();
    let left = place.laptime(&["run", "-c"]);
    assert_eq!((left.code, left.out.as_str()), (125, ""));
    insta::assert_snapshot!(left.err, @r"
    error: a value is required for '-c <CODE> [ARGS]...' but none was supplied

    For more information, try '--help'.
    hint: as for python: laptime run -c 'import train; train.main()'
    ");
    // What follows code is its own.
    assert_eq!(place.laptime(&["run", "-c", "pass", "-m", "x"]).code, 0);
    place.file("quiet.py", "");
    let left = place.laptime(&["run", "--ops", "--no-auto", "-c", "pass"]);
    assert_eq!(left.code, 125, "{}", left.err);
    assert_eq!(place.recordings().len(), 1);
}

#[test]
fn a_script_gets_everything_after_its_name() {
    let place = Place::new();
    place.file("tell.py", "import sys; print(sys.argv[1:])");
    for arguments in [
        &["run", "tell.py", "--modules", "-o", "x"][..],
        &["run", "--", "tell.py", "--modules", "-o", "x"][..],
    ] {
        let left = place.laptime(arguments);
        assert_eq!(left.out, "['--modules', '-o', 'x']\n");
    }
}

#[test]
fn a_script_runs_under_the_interpreter_laptime_is_installed_in() {
    let place = Place::new();
    place.file("interpreter", "#!/bin/sh\necho \"mine $1\"\n");
    let path = place.path().join("interpreter");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    place.file("train.py", "");
    let left: Left = place
        .command()
        .args(["run", "train.py"])
        .env("LAPTIME_PYTHON", &path)
        .output()
        .unwrap()
        .into();
    assert_eq!(left.out, "mine train.py\n");
}

#[test]
fn an_interpreter_without_laptime_is_named_in_the_run() {
    let place = Place::new();
    let python = python();
    place.file("nothing.py", "");
    place.laptime(&["run", "-o", "a.lap", &python, "-I", "-S", "nothing.py"]);
    assert_eq!(place.run_info("a.lap").unrecorded, [python]);
}

/// The real interpreter behind whatever `python3` is on `PATH`.
fn python() -> String {
    let tell = "import os, sys; print(os.path.realpath(sys.executable))";
    let output = std::process::Command::new("python3")
        .args(["-c", tell])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_run_inside_a_run_records_into_the_outer_one_and_leaves_a_reference() {
    let place = Place::new();
    let laptime = env!("CARGO_BIN_EXE_laptime");
    let inner = format!("{laptime} run -o inner.lap sh -c 'echo $LAPTIME_RUN'");
    let left = place.laptime(&["run", "-o", "outer.lap", "sh", "-c", &inner]);
    let outer = place.path().canonicalize().unwrap().join("outer.lap");
    assert_eq!((left.code, left.out), (0, format!("{}\n", outer.display())));
    let reference = std::fs::read_to_string(place.path().join("inner.lap")).unwrap();
    assert_eq!(
        reference,
        format!("laptime-reference\n{}\n", outer.display())
    );
    let through = place.laptime(&["report", "inner.lap"]).out;
    let (shown, reference) = through.split_once("\nwarning: ").unwrap();
    let itself = place.laptime(&["report", "outer.lap"]).out;
    assert_eq!(shown.trim_end(), itself.trim_end());
    assert!(reference.contains("of the whole program"), "{reference}");
}

#[test]
fn a_shell_that_outlived_its_run_starts_recordings_of_its_own() {
    let place = Place::new();
    place.laptime(&["run", "-o", "over.lap", "true"]);
    let left: Left = place
        .command()
        .args(["run", "sh", "-c", "echo $LAPTIME_RUN"])
        .env("LAPTIME_RUN", place.path().join("over.lap"))
        .output()
        .unwrap()
        .into();
    assert!(
        left.out.ends_with("/.laptime/runs/sh-1.lap\n"),
        "{}",
        left.out
    );
    // Its launcher was killed, and so was the program.
    let mut info = place.run_info("over.lap");
    info.end = None;
    std::fs::write(place.path().join("over.lap/run.json"), info.to_json()).unwrap();
    let left: Left = place
        .command()
        .args([
            "run",
            "-o",
            "/proc/no/place.lap",
            "sh",
            "-c",
            "echo ${LAPTIME_RUN-unset}",
        ])
        .env("LAPTIME_RUN", place.path().join("over.lap"))
        .output()
        .unwrap()
        .into();
    assert_eq!(left.out, "unset\n");
}

#[test]
fn recording_can_be_turned_off_from_outside() {
    let place = Place::new();
    let left: Left = place
        .command()
        .args(["run", "sh", "-c", "echo out; exit 2"])
        .env("LAPTIME", "0")
        .output()
        .unwrap()
        .into();
    assert_eq!((left.code, left.out.as_str()), (2, "out\n"));
    assert!(place.recordings().is_empty());
    insta::assert_snapshot!(left.err, @r"
    laptime: warning: LAPTIME=0 turns recording off; running unrecorded
    hint: unset LAPTIME to record
    ");
}

#[test]
fn a_program_with_a_module_called_laptime_keeps_it() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("laptime")).unwrap();
    place.file("laptime/__init__.py", "mine = 7\n");
    place.file("main.py", "import laptime; print(laptime.mine)\n");
    let left = place.laptime(&["run", "main.py"]);
    assert_eq!((left.code, left.out.as_str()), (0, "7\n"), "{}", left.err);
    assert!(
        left.err.contains("hint: rename it to record"),
        "{}",
        left.err
    );
    assert!(place.recordings().is_empty());
}

#[test]
fn the_summary_ends_with_the_recording_where_there_is_no_more_to_show() {
    let place = Place::new();
    let left = place.laptime(&["run", "-o", "my run.lap", "true"]);
    assert!(
        left.err.ends_with("\nrecording: my run.lap\n"),
        "{}",
        left.err
    );
}

#[test]
fn a_program_in_this_folder_that_is_named_without_it_is_answered_with_its_name() {
    let place = Place::new();
    place.file("prog", "#!/bin/sh\n");
    let left = place.laptime(&["run", "prog"]);
    assert_eq!(left.code, 127);
    let hint = "hint: to run the file here: laptime run ./prog\n";
    assert!(left.err.ends_with(hint), "{}", left.err);
}
