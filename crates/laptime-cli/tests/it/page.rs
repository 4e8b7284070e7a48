//! `laptime report -f html` writes one page with the tables and a timeline.

use crate::place::Place;
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
fn open_without_a_file_is_wrong_usage() {
    let place = Place::new();
    assert_eq!(place.laptime(&["report", "a.lap", "--open"]).code, 2);
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
