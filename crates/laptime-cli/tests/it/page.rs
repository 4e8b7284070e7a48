//! `laptime report -f html` writes one page with the tables and a timeline.

use std::path::Path;

use crate::place::{Left, Place};
use crate::recording;

#[test]
fn a_recordings_page_holds_its_table_and_a_timeline_and_asks_for_nothing() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 250);
    let left = place.laptime(&["report", "a.lap", "-o", "a.html"]);
    assert_eq!(
        (left.code, left.out.as_str(), left.err.as_str()),
        (0, "", "")
    );
    let page = std::fs::read_to_string(place.path().join("a.html")).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("<th scope=\"row\">forward</th>"));
    assert!(page.contains("id=\"laptime-data\""));
    assert!(!page.contains("No timeline"));
    assert!(!page.contains("https:") && !page.contains("http:"));
    assert!(page.len() < 250_000, "{} bytes", page.len());
}

#[test]
fn the_page_goes_to_standard_output_when_no_file_is_named() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 4);
    let left = place.laptime(&["report", "a.lap", "-f", "html"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert!(left.out.ends_with("</html>\n"));
}

#[test]
fn open_shows_the_written_file_with_the_browser_that_the_user_named() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 4);
    let run = |browser: &str| {
        let mut command = place.command();
        command.env("BROWSER", browser);
        command.args(["report", "a.lap", "-o", "a.html", "--open"]);
        command.output().unwrap()
    };
    assert!(run("true").status.success());
    let failed = run("false");
    assert_eq!(failed.status.code(), Some(1));
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(said.contains("cannot show a.html: the browser ended with"));
    assert!(said.contains("hint: the file is written"));
}

#[test]
fn without_a_display_open_says_where_the_page_lies_and_the_next_command_writes_one() {
    let place = Place::new();
    let blind = |words: &[&str]| {
        let mut command = place.command();
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"] {
            command.env_remove(name);
        }
        Left::from(command.args(words).output().unwrap())
    };
    recording::folder(&place.path().join("a.lap"), 4);
    let left = blind(&["report", "a.lap", "-o", "a.html", "--open"]);
    let said = "page: a.html (no display to open it on)\n";
    assert_eq!(
        (left.code, left.out.as_str(), left.err.as_str()),
        (0, "", said)
    );
    assert!(is_page(&place.path().join("a.html")));
    let left = blind(&["report", "a.lap"]);
    assert!(
        left.err.contains("next: laptime report a.lap -o a.html\n"),
        "{}",
        left.err
    );
}

#[test]
fn open_without_a_file_writes_the_page_of_a_run_beside_it_and_any_other_to_a_temporary_file() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 4);
    let temporary = place.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let open = |words: &[&str]| {
        let mut command = place.command();
        command.env("BROWSER", "echo").env("TMPDIR", &temporary);
        let left = Left::from(command.args(words).output().unwrap());
        assert_eq!((left.code, left.out.as_str()), (0, ""), "{}", left.err);
        let page = left
            .err
            .lines()
            .find_map(|line| line.strip_prefix("page: "));
        place.path().join(page.unwrap())
    };
    let page = open(&["report", "a.lap", "--open"]);
    assert_eq!(page.parent(), Some(temporary.as_path()));
    assert!(is_page(&page));
    place.laptime(&["run", "true"]);
    let beside = place.path().join(".laptime/runs/true-1.html");
    for words in [
        &["report", "--open"][..],
        &["report", "true-1", "--open", "-f", "html"],
    ] {
        assert_eq!(open(words), beside);
        assert!(is_page(&beside));
        std::fs::remove_file(&beside).unwrap();
    }
    // A report that there is none of leaves no file behind.
    std::fs::remove_file(page).unwrap();
    place.file("cut.lap", "LAPTIME\0cut");
    let mut command = place.command();
    command
        .env("TMPDIR", &temporary)
        .args(["report", "cut.lap", "--open"]);
    assert_eq!(command.output().unwrap().status.code(), Some(6));
    assert_eq!(temporary.read_dir().unwrap().count(), 0);
    // A page that can't lie there is written all the same.
    std::fs::create_dir(&beside).unwrap();
    assert_eq!(
        open(&["report", "--open"]).parent(),
        Some(temporary.as_path())
    );
}

fn is_page(path: &Path) -> bool {
    let page = std::fs::read_to_string(path).unwrap();
    page.starts_with("<!doctype html>") && page.ends_with("</html>\n")
}

#[test]
fn what_is_no_page_is_not_opened_without_a_file() {
    let place = Place::new();
    recording::folder(&place.path().join("a.lap"), 4);
    for (words, is) in [
        (&["-f", "csv"][..], "csv"),
        (&["--json"], "json"),
        (&["--tree"], "tree"),
    ] {
        let left = place.laptime(&[&["report", "a.lap", "--open"], words].concat());
        assert_eq!((left.code, left.out.as_str()), (2, ""), "{}", left.err);
        let error = format!("laptime: error: --open shows a page; {is} is none\nhint: ");
        assert!(left.err.starts_with(&error), "{}", left.err);
    }
}

#[test]
fn a_run_writes_its_page_where_it_is_told_to() {
    let place = Place::new();
    let left = place.laptime(&["run", "-o", "a.lap", "--html", "a.html", "true"]);
    assert_eq!(left.code, 0);
    assert!(left.err.contains("\npage: a.html\n"), "{}", left.err);
    let page = std::fs::read_to_string(place.path().join("a.html")).unwrap();
    assert!(page.starts_with("<!doctype html>"));
}

#[test]
fn a_page_that_can_no_longer_be_written_costs_a_warning_and_not_the_exit_code() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("gone")).unwrap();
    let program = ["sh", "-c", "rmdir gone; exit 3"];
    let left = place.laptime(&[&["run", "--html", "gone/a.html"][..], &program].concat());
    assert_eq!(left.code, 3);
    let warning = "laptime: warning: cannot write gone/a.html: No such file or directory";
    assert!(left.err.contains(warning), "{}", left.err);
}
