use std::fs;

use laptime_recorder::folder;

use super::{RecordingFolder, claim};

#[test]
fn force_replaces_recordings_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let recording = place.path().join("a.lap");
    let made = RecordingFolder::at(&recording).unwrap();
    folder::write_run(&made.path, &folder::new_run("p".into())).unwrap();
    assert!(claim(&recording, false).is_err());
    claim(&recording, true).unwrap();
    assert!(!recording.exists());

    let thesis = place.path().join("thesis");
    fs::create_dir(&thesis).unwrap();
    fs::write(thesis.join("chapter.tex"), "x").unwrap();
    assert!(claim(&thesis, true).is_err());
    let text = place.path().join("notes.txt");
    fs::write(&text, "twelve bytes").unwrap();
    assert!(claim(&text, true).is_err());
    assert!(thesis.join("chapter.tex").exists() && text.exists());
}
