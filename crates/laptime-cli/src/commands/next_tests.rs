use std::path::Path;
use std::process::Command as Process;

use clap::Parser;
use laptime_analysis::Summary;
use laptime_report::next_command::{Command, after_report};
use laptime_report::{By, View, WordedFinding};

use super::*;
use crate::args::Cli;

fn recorded(name: &str) -> Summary {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    laptime::Recorded::new(&fixtures.join(name))
        .summary()
        .unwrap()
}

/// What a report offers, for the whole of it and for its findings.
fn offered(summary: &Summary, origin: &Origin) -> Vec<Command> {
    let findings = WordedFinding::all(summary, origin);
    let view = |by, kernels| View {
        by,
        kernels,
        origin: origin.clone(),
        ..View::default()
    };
    let all = By::NAMES
        .iter()
        .flat_map(|(_, by)| [view(*by, false), view(*by, true)]);
    let after = all.filter_map(|view| after_report(summary, &view));
    after
        .chain(findings.into_iter().filter_map(|one| one.next))
        .collect()
}

/// The words that a shell makes of a line.
fn in_a_shell(line: &str) -> Vec<String> {
    let line = format!("laptime() {{ printf '%s\\0' laptime \"$@\"; }}; {line}");
    let output = Process::new("sh").arg("-c").arg(line).output().unwrap();
    let words = String::from_utf8(output.stdout).unwrap();
    words.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn what_is_offered_is_understood() {
    let names = [
        "training",
        "ranks",
        "device",
        "memory",
        "plain",
        "tasks",
        "operations",
    ];
    let programs: [&[&str]; 4] = [
        &[],
        &["train.py"],
        &["-m", "pack age", "--memory", "-o"],
        &[
            "./it's",
            "--",
            "-f",
            "",
            "$HOME `ls` \\ \"*\" ~ !x #",
            "two\nlines",
        ],
    ];
    let recordings = [
        None,
        Some("a.lap"),
        Some("other/it's here.lap"),
        Some("./-o.lap"),
    ];
    let mut count = 0;
    for name in names {
        let summary = recorded(&format!("{name}.lap"));
        for (program, recording) in programs.iter().zip(recordings) {
            let again: Vec<OsString> = program.iter().map(OsString::from).collect();
            for command in offered(&summary, &origin(recording.map(Path::new), &again)) {
                let understood = Cli::try_parse_from(&command.argv);
                assert!(
                    understood.is_ok(),
                    "{:?}: {:?}",
                    command.argv,
                    understood.err()
                );
                assert_eq!(in_a_shell(&command.text), command.argv);
                count += 1;
            }
        }
    }
    assert!(count > names.len());
}

#[test]
fn the_last_run_needs_no_name_and_a_run_no_path() {
    let said = |path: Option<&str>| {
        let origin = origin(path.map(Path::new), &[]);
        let view = View {
            by: By::Module,
            origin,
            ..View::default()
        };
        after_report(&recorded("plain.lap"), &view).unwrap().line()
    };
    assert_eq!(said(None), "next: laptime report --open");
    let elsewhere = "other/.laptime/runs/train-1.lap";
    assert_eq!(
        said(Some(elsewhere)),
        format!("next: laptime report {elsewhere} --open")
    );
    assert_eq!(
        said(Some("a b.lap")),
        "next: laptime report 'a b.lap' -o 'a b.html' --open"
    );
}
