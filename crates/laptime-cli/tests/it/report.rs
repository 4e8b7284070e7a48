//! `laptime report` and `laptime pack` read every kind of recording, and say what is wrong with it.

use std::fs;

use laptime_core::format::process::PREFIX_LEN;
use serde_json::Value;

use crate::place::{Left, Place};
use crate::recording;

fn json(left: &Left) -> Value {
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    serde_json::from_str(&left.out).unwrap()
}

fn row<'a>(summary: &'a Value, path: &str) -> &'a Value {
    let rows = summary["rows"].as_array().unwrap();
    rows.iter().find(|row| row["path"] == path).unwrap()
}

#[test]
fn the_numbers_of_a_known_recording_are_its_numbers() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 250);
    let summary = json(&place.laptime(&["report", "a.lap", "--json"]));
    assert_eq!(summary["schema"], "laptime-summary");
    assert_eq!(summary["wall_ns"], 250 * recording::STEP_NS);
    assert_eq!(row(&summary, "step")["count"], 250);
    assert_eq!(row(&summary, "step")["total_ns"], 250 * recording::STEP_NS);
    assert_eq!(row(&summary, "step")["self_ns"], 125 * recording::STEP_NS);
    assert_eq!(
        row(&summary, "step/forward")["total_ns"],
        125 * recording::STEP_NS
    );
}

#[test]
fn folder_packed_file_process_file_and_reference_give_the_same_rows() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 120);
    let packed = place.laptime(&["pack", "a.lap"]);
    assert_eq!((packed.code, packed.out.as_str()), (0, "a.packed.lap\n"));
    place.file("b.lap", "laptime-reference\na.lap\n");
    let whole = json(&place.laptime(&["report", "a.lap", "-f", "json"]));
    let mut unpacked = json(&place.laptime(&["report", "a.packed.lap", "--json"]));
    // The command to type next names the file.
    unpacked["next"] = whole["next"].clone();
    assert_eq!(whole, unpacked);
    let referred = json(&place.laptime(&["report", "b.lap", "--json"]));
    assert_eq!(whole["rows"], referred["rows"]);
    assert_eq!(referred["warnings"][0]["code"], "reference");
    let alone = json(&place.laptime(&["report", "a.lap/20-ab.proc", "--json"]));
    assert_eq!(
        row(&alone, "step")["total_ns"],
        row(&whole, "step")["total_ns"]
    );
}

#[test]
fn by_process_each_process_that_takes_steps_has_a_table_in_every_format() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 120);
    let by = |more: &[&str]| {
        let left = place.laptime(&[&["report", "a.lap", "--by", "process"], more].concat());
        assert_eq!(left.code, 0, "{}", left.err);
        left.out
    };
    let text = by(&[]);
    let heading = "process 20, from the first step on: 120 steps, 120 ms (no warm-up found)";
    assert!(text.contains(&format!("\n{heading}\n")), "{text}");
    assert!(by(&["--whole"]).contains("\nprocess 20, whole run: 120 ms\n"));
    assert!(by(&["--tree"]).contains(&format!("\n{heading}\nstep  ")));
    assert!(by(&["-f", "markdown"]).contains("\n### Process 20, from the first step on"));
    assert!(by(&["-f", "html"]).contains(&format!("<h3>{heading}</h3>")));
    assert!(by(&["-f", "csv"]).contains("\n20,,run,span,step,120,"));
    let summary: Value = serde_json::from_str(&by(&["--json"])).unwrap();
    let alone = &summary["by_process"][0];
    assert_eq!(row(alone, "step"), row(&summary, "step"));
    let together = json(&place.laptime(&["report", "a.lap", "--by", "path", "--json"]));
    assert_eq!(together.get("by_process"), None);
    assert_eq!(together["rows"], summary["rows"]);
}

#[test]
fn packing_twice_gives_the_same_bytes_and_never_overwrites() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 5);
    for name in ["one.lap", "two.lap"] {
        assert_eq!(place.laptime(&["pack", "a.lap", "-o", name]).code, 0);
    }
    let read = |name| fs::read(place.path().join(name)).unwrap();
    assert_eq!(read("one.lap"), read("two.lap"));
    let left = place.laptime(&["pack", "a.lap", "-o", "one.lap"]);
    assert_eq!(left.code, 1);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: one.lap already exists; recordings are not overwritten
    hint: pass --force to replace it, or another --output
    ");
    assert_eq!(
        place
            .laptime(&["pack", "--force", "a.lap", "-o", "one.lap"])
            .code,
        0
    );
}

#[test]
fn damage_is_packed_and_said_and_files_of_others_are_not_packed() {
    let place = Place::new();
    let folder = place.path().join("a.lap");
    recording::folder(&folder, 2_000);
    fs::write(folder.join("7-notes.proc"), "my notes").unwrap();
    fs::write(folder.join("8-ab.proc"), vec![0; 40_000]).unwrap();
    let real = folder.join(format!("{}-ab.proc", recording::PID));
    let mut bytes = fs::read(&real).unwrap();
    bytes[PREFIX_LEN + 300] ^= 1;
    fs::write(&real, bytes).unwrap();
    let left = place.laptime(&["pack", "a.lap"]);
    insta::assert_snapshot!(left.err, @r#"
    laptime: warning: a.lap/7-notes.proc: not a Laptime recording: it begins with "my notes", not with "LAPTIME"; left out
    laptime: warning: 20-ab.proc: damaged window at offset 32768: checksum 0x71a6dc3d, expected 0xdc79e05d
    "#);
    assert_eq!((left.code, left.out.as_str()), (0, "a.packed.lap\n"));
    let packed = fs::read(place.path().join("a.packed.lap")).unwrap();
    let text = String::from_utf8_lossy(&packed);
    assert!(!text.contains("my notes") && !text.contains("8-ab.proc"));
    fs::remove_file(real).unwrap();
    fs::remove_file(folder.join("run.json")).unwrap();
    let left = place.laptime(&["pack", "a.lap", "-o", "b.lap"]);
    assert_eq!(left.code, 6);
    assert!(
        left.err.contains("7-notes.proc: not a Laptime recording"),
        "{}",
        left.err
    );
    assert!(!place.path().join("b.lap").exists());
}

/// A recording whose process file is changed before it is reported.
fn damaged(change: impl FnOnce(&mut Vec<u8>)) -> (Place, Left) {
    let place = Place::new();
    let folder = place.path().join("a.lap");
    recording::folder(&folder, 250);
    let file = folder.join("20-ab.proc");
    let mut bytes = fs::read(&file).unwrap();
    change(&mut bytes);
    fs::write(&file, bytes).unwrap();
    let left = place.laptime(&["report", "a.lap", "--json"]);
    (place, left)
}

#[test]
fn a_flipped_bit_is_found_with_its_offset_and_can_be_left_out() {
    let (place, left) = damaged(|bytes| bytes[PREFIX_LEN + 65_536 + 300] ^= 4);
    assert_eq!(left.code, 6);
    let without_sums = left.err.split(": checksum").next().unwrap();
    assert_eq!(
        without_sums,
        "laptime: error: a.lap/20-ab.proc: damaged window at offset 98304"
    );
    assert!(
        left.err
            .ends_with("hint: pass --salvage to read what is intact\n")
    );
    let salvaged = place.laptime(&["report", "a.lap", "--json", "--salvage"]);
    let summary = json(&salvaged);
    assert_eq!(row(&summary, "step")["count"], 150);
    assert!(!summary["warnings"].as_array().unwrap().is_empty());
}

#[test]
fn a_newer_recording_asks_for_a_newer_laptime() {
    let (_, left) = damaged(|bytes| bytes[8] = 9);
    assert_eq!(left.code, 6);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: a.lap/20-ab.proc: the recording has format version 9; this Laptime reads up to version 1
    hint: update Laptime to read it
    ");
}

#[test]
fn a_foreign_file_is_refused() {
    let place = Place::new();
    place.file("notes.txt", "Dear diary");
    let left = place.laptime(&["report", "notes.txt"]);
    assert_eq!(left.code, 6);
    insta::assert_snapshot!(left.err, @r#"
    laptime: error: notes.txt: not a Laptime recording: it begins with "Dear dia", not with "LAPTIME"
    hint: `laptime run SCRIPT` makes a recording, which ends in .lap
    "#);
}

#[test]
fn an_empty_file_is_refused() {
    let place = Place::new();
    place.file("a.lap", "");
    let left = place.laptime(&["report", "a.lap"]);
    assert_eq!(left.code, 6);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: a.lap: the file is empty
    hint: `laptime run SCRIPT` makes a recording, which ends in .lap
    ");
}

#[test]
fn a_missing_file_and_a_folder_of_something_else_are_refused() {
    let place = Place::new();
    let left = place.laptime(&["report", "a.lap"]);
    assert_eq!(left.code, 6);
    insta::assert_snapshot!(left.err, @"
    laptime: error: a.lap: no such file
    hint: `laptime run SCRIPT` makes a recording, which ends in .lap
    ");
    fs::create_dir(place.path().join("src")).unwrap();
    let left = place.laptime(&["report", "src"]);
    assert_eq!(left.code, 6);
    insta::assert_snapshot!(left.err, @"
    laptime: error: src: not a Laptime recording: the folder holds neither run.json nor a process file
    hint: `laptime run SCRIPT` makes a recording, which ends in .lap
    ");
}

#[test]
fn a_process_file_cut_in_its_header_is_refused_and_can_be_left_out() {
    let (place, left) = damaged(|bytes| bytes.truncate(1_000));
    assert_eq!(left.code, 6);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: a.lap/20-ab.proc: the file ends at offset 1000, inside the 4096-byte header
    hint: pass --salvage to read what is intact
    ");
    assert_eq!(place.laptime(&["report", "a.lap", "--salvage"]).code, 0);
}

#[test]
fn a_file_cut_between_windows_is_read_up_to_there() {
    let (_, left) = damaged(|bytes| bytes.truncate(PREFIX_LEN + 65_536));
    assert_eq!(row(&json(&left), "step")["count"], 100);
}

#[test]
fn a_process_that_died_before_recording_began_is_no_damage() {
    let place = Place::new();
    let folder = place.path().join("a.lap");
    recording::folder(&folder, 10);
    fs::write(folder.join("21-cd.proc"), "").unwrap();
    fs::write(folder.join("22-ef.proc"), vec![0; PREFIX_LEN]).unwrap();
    let summary = json(&place.laptime(&["report", "a.lap", "--json"]));
    assert_eq!(row(&summary, "step")["count"], 10);
    assert_eq!(summary["warnings"].as_array().unwrap().len(), 2);
}

#[test]
fn a_damaged_packed_recording_is_told_with_its_offset() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 10);
    place.laptime(&["pack", "a.lap", "-o", "b.lap"]);
    let path = place.path().join("b.lap");
    let mut bytes = fs::read(&path).unwrap();
    bytes[1_024 + 150] ^= 1;
    fs::write(&path, bytes).unwrap();
    let left = place.laptime(&["report", "b.lap"]);
    assert_eq!(left.code, 6);
    assert!(
        left.err
            .starts_with("laptime: error: b.lap: damaged packed recording at offset 8"),
        "{}",
        left.err
    );
}

#[test]
fn a_report_goes_to_a_file_in_the_form_its_name_asks_for() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 10);
    let old = place.file("report.json", "old");
    let left = place.laptime(&["report", "a.lap", "-o", old]);
    assert_eq!(
        (left.code, left.out.as_str(), left.err.as_str()),
        (0, "", "")
    );
    let text = fs::read_to_string(place.path().join(old)).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["program"], "train.py");
    let left = place.laptime(&["report", "a.lap", "-o", "no/such/folder.md"]);
    assert_eq!(left.code, 1);
    insta::assert_snapshot!(left.err, @"laptime: error: cannot write no/such/folder.md: No such file or directory (os error 2)");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 10);
    let mut reader = std::process::Command::new("true")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pipe = reader.stdin.take().unwrap();
    reader.wait().unwrap();
    let left: Left = place
        .command()
        .args(["report", "a.lap", "--json"])
        .stdout(pipe)
        .output()
        .unwrap()
        .into();
    assert_eq!((left.code, left.err.as_str()), (0, ""));
}

#[test]
fn a_filter_narrows_every_format() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 250);
    let report = |format: &str| {
        let left = place.laptime(&["report", "a.lap", "-f", format, "--filter", "step/*"]);
        assert_eq!(left.code, 0);
        left.out
    };
    let summary: Value = serde_json::from_str(&report("json")).unwrap();
    let rows = summary["rows"].as_array().unwrap();
    let paths: Vec<&str> = rows.iter().filter_map(|row| row["path"].as_str()).collect();
    assert_eq!(paths, ["step/forward"]);
    for format in ["text", "tree", "markdown", "csv", "html"] {
        let text = report(format);
        assert!(text.contains("forward"), "{format}");
        assert!(
            !text.contains("startup") && !text.contains("other,"),
            "{format}"
        );
    }
    let paths: Vec<String> = report("csv").lines().skip(1).map(str::to_owned).collect();
    assert!(paths.iter().all(|line| line.contains(",step/forward,")));
}

#[test]
fn what_is_left_over_can_be_asked_for_by_name() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 5);
    // As the table calls it, and as data do.
    for name in ["outside of laps", "other"] {
        let left = place.laptime(&["report", "a.lap", "--filter", name]);
        assert_eq!(left.code, 0);
        assert!(left.out.contains("\noutside of laps "), "{}", left.out);
        assert!(!left.out.contains("\nstep"), "{}", left.out);
    }
}

#[test]
fn a_filter_that_lets_nothing_through_says_so() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 5);
    for format in ["text", "json", "csv", "html", "markdown", "tree"] {
        let left = place.laptime(&["report", "a.lap", "-f", format, "--filter", "["]);
        assert_eq!((left.code, left.out.as_str()), (2, ""));
        let expected = "laptime: error: no row matches [\nhint: a pattern is a name";
        assert!(left.err.starts_with(expected), "{}", left.err);
    }
}

#[test]
fn a_filter_that_is_nearly_a_name_is_answered_with_the_name() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 5);
    for (typed, meant) in [
        ("**/Forwards", "forward"),
        ("step/forwards", "step/forward"),
    ] {
        let left = place.laptime(&["report", "a.lap", "--filter", typed]);
        let expected =
            format!("laptime: error: no row matches {typed}\nhint: did you mean {meant}?\n");
        assert_eq!((left.code, left.err), (2, expected));
    }
}

#[test]
fn a_script_and_a_wrong_name_are_answered_with_what_to_type() {
    let place = Place::new();
    place.file("train.py", "print()");
    let left = place.laptime(&["report", "train.py"]);
    assert_eq!(left.code, 6);
    let hint = "hint: train.py is a Python script: `laptime run train.py` records it\n";
    assert!(left.err.ends_with(hint), "{}", left.err);
    recording::folder(&place.path().join("a.lap"), 5);
    for wrong in ["b.lap", "."] {
        let left = place.laptime(&["report", wrong]);
        assert!(left.err.contains("hint: recordings here: "), "{}", left.err);
        assert!(left.err.ends_with("a.lap\n"), "{}", left.err);
    }
    let left = place.laptime(&["run", "./a.lap"]);
    let hint = "hint: it is a recording: `laptime report ./a.lap` shows it\n";
    assert!(left.err.ends_with(hint), "{}", left.err);
}

#[test]
fn columns_that_change_nothing_are_told_and_change_nothing() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 250);
    for (how, why) in [
        (&["--tree"][..], "with --tree, which has columns of its own"),
        (&["-f", "tree"], "with --tree, which has columns of its own"),
        (&["-f", "csv"], "in this format, which has all columns"),
        (&["-f", "json"], "in this format, which has all columns"),
    ] {
        let plain = place.laptime(&[&["report", "a.lap"][..], how].concat());
        let asked = [&["report", "a.lap", "--columns", "device"][..], how].concat();
        let asked = place.laptime(&asked);
        assert_eq!((asked.code, asked.out), (0, plain.out));
        let said = format!("laptime: warning: --columns changes nothing {why}\n");
        assert_eq!((asked.err, plain.err), (said, String::new()));
    }
}

#[test]
fn columns_and_rows_are_those_that_were_asked_for() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 250);
    let asked = [
        "report",
        "a.lap",
        "--columns",
        "p95,max",
        "--top",
        "1",
        "--sort",
        "p50",
        "--whole",
    ];
    let left = place.laptime(&asked);
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(left.out.contains("p95"), "{}", left.out);
    assert!(
        left.out.contains("after these and are not shown"),
        "{}",
        left.out
    );
    for (option, value, said) in [
        ("--top", "0", "it takes a number of rows from 1"),
        ("--columns", "p97", "a similar value exists: 'p99'"),
        (
            "--by",
            "layer",
            "possible values: path, process, module, class",
        ),
    ] {
        let left = place.laptime(&["report", "a.lap", option, value]);
        assert_eq!(left.code, 2);
        assert!(left.err.contains(said), "{}", left.err);
    }
    let left = place.laptime(&["report", "a.lap", "--by", "module"]);
    assert!(left.out.contains("No module was timed"), "{}", left.out);
    let left = place.laptime(&["report", "a.lap", "--by", "class", "--sort", "p50"]);
    let said = "--sort changes nothing with --by class";
    assert!(left.err.contains(said), "{}", left.err);
    let left = place.laptime(&["report", "a.lap", "--functions", "-f", "csv"]);
    assert!(left.out.starts_with("source,lap,function,"), "{}", left.out);
    let heeded = [["-f", "csv"], ["-f", "json"], ["--sort", "total"]];
    for [option, value] in heeded {
        let left = place.laptime(&["report", "a.lap", "--functions", option, value]);
        assert!(!left.err.contains("changes nothing"), "{}", left.err);
    }
    let left = place.laptime(&["report", "a.lap", "--functions", "--sort", "p50"]);
    let said = "--sort changes nothing with --functions";
    assert!(left.err.contains(said), "{}", left.err);
}

#[test]
fn the_table_is_of_the_steps_after_warm_up_or_of_the_whole_run() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 250);
    let report = |options: &[&str]| place.laptime(&[&["report", "a.lap"], options].concat());
    let (usual, whole) = (report(&[]).out, report(&["--whole"]).out);
    for text in [&usual, &whole] {
        let tables = text.lines().filter(|line| line.starts_with("span "));
        assert_eq!(tables.count(), 1, "{text}");
    }
    let of_steps = usual.contains("from the first step on") || usual.contains("after warm-up:");
    assert!(of_steps && !usual.contains("whole run:"), "{usual}");
    assert!(whole.contains("whole run:"), "{whole}");
    // Data has both, whatever the table is of; the sentence is the table's.
    let told = report(&["-f", "csv", "--whole"]);
    assert!(
        told.err.contains("--whole changes nothing in this format"),
        "{}",
        told.err
    );
    assert_eq!(told.out, report(&["-f", "csv"]).out);
    let stretch = |options: &[&str]| {
        let json: serde_json::Value = serde_json::from_str(&report(options).out).unwrap();
        (json["stretch"].clone(), json["headline"]["text"].clone())
    };
    let (steady, of_steady) = stretch(&["--json"]);
    let (all, of_all) = stretch(&["--json", "--whole"]);
    assert_eq!((steady, all), ("steady".into(), "whole".into()));
    for (json, text) in [(of_steady, usual), (of_all, whole)] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(json.as_str().unwrap()), "{json} {text}");
    }
    let gone = report(&["--no-steady"]);
    assert_eq!(gone.code, 2);
    assert!(
        gone.err.contains("--whole shows the whole run"),
        "{}",
        gone.err
    );
}

#[test]
fn formats_that_contradict_each_other_are_usage_errors() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 5);
    assert_eq!(
        place.laptime(&["report", "a.lap", "--json", "--tree"]).code,
        2
    );
    let left = place.laptime(&["report", "a.lap", "-o", "a.csv", "--tree"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: --tree draws text; csv has no tree
    hint: leave out --tree, or write text
    ");
    let left = place.laptime(&["report", "a.lap", "-o", "a.xyz"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @r"
    laptime: error: a.xyz: unknown file type
    hint: endings are .txt, .md, .markdown, .json, .csv, .html, .htm; name the format with --format
    ");
    assert!(!place.path().join("a.xyz").exists());
    assert_eq!(
        place
            .laptime(&["report", "a.lap", "-o", "a.xyz", "-f", "csv"])
            .code,
        0
    );
    assert!(place.path().join("a.xyz").exists());
}
