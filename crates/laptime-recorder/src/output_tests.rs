use std::os::unix::fs::{MetadataExt, symlink};

use super::*;

fn names(place: &Path) -> Vec<String> {
    let entries = fs::read_dir(place).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn what_was_there_stays_until_the_new_one_is_whole() {
    let place = tempfile::tempdir().unwrap();
    let page = place.path().join("page.html");
    write(&page, "one").unwrap();
    let output = Output::to(&page).unwrap();
    output.file().write_all(b"tw").unwrap();
    assert_eq!(text(&page), "one");
    drop(output);
    assert_eq!(text(&page), "one");
    write(&page, "two").unwrap();
    assert_eq!(text(&page), "two");
    assert_eq!(names(place.path()), ["page.html"]);
}

#[test]
fn a_file_keeps_its_mode_and_a_new_one_has_that_of_new_files() {
    let place = tempfile::tempdir().unwrap();
    let (plain, new) = (place.path().join("plain"), place.path().join("new"));
    File::create(&plain).unwrap();
    write(&new, "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!(mode(&plain), mode(&new));
    for kept in [0o600, 0o644, 0o755] {
        fs::set_permissions(&new, Permissions::from_mode(kept)).unwrap();
        write(&new, "again").unwrap();
        assert_eq!(mode(&new), kept);
    }
}

#[test]
fn what_links_lead_to_is_replaced_there_or_not() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("below")).unwrap();
    symlink("below/file", at("middle")).unwrap();
    symlink("middle", at("link")).unwrap();
    for content in ["made", "replaced"] {
        write(&at("link"), content).unwrap();
        assert_eq!(text(&at("below/file")), content);
        assert!(at("link").is_symlink() && at("middle").is_symlink());
    }
    symlink("round", at("round")).unwrap();
    let error = write(&at("round"), "").unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ELOOP));
    assert!(write(&at("below"), "").is_err());
    assert!(write(&at("missing/file"), "").is_err());
}

#[test]
fn an_open_file_is_written_into_by_its_number() {
    use std::os::fd::AsRawFd;

    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("held");
    let held = File::create(&path).unwrap();
    let number = held.metadata().unwrap().ino();
    let by_number = format!("/proc/self/fd/{}", held.as_raw_fd());
    write(Path::new(&by_number), "into").unwrap();
    assert_eq!(text(&path), "into");
    assert_eq!(fs::metadata(&path).unwrap().ino(), number);
    write(Path::new("/dev/null"), "gone").unwrap();
    let error = write(Path::new("/dev/full"), "full").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}
