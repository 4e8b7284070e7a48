//! A recording that was copied half must not claim that nothing was recorded.

use laptime::Recorded;
use laptime_recorder::{RecordOptions, Site, enter, exit, record};

#[test]
fn a_closed_recording_that_is_cut_anywhere_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let recording = record(&folder.path().join("a.lap"), &RecordOptions::default()).unwrap();
    for _ in 0..50_000 {
        exit(enter(Site::intern("cut")).unwrap());
    }
    let path = recording.finish().unwrap();
    let file = std::fs::read_dir(&path)
        .unwrap()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "proc")
        })
        .unwrap();
    let whole = std::fs::read(&file).unwrap();
    let says_so = || {
        let summary = Recorded::new(&path).summary().unwrap();
        summary
            .warnings
            .iter()
            .any(|warning| warning.code == "truncated")
    };
    assert!(!says_so());
    for length in [4_096, 32_768, 40_000, 98_304, 100_000, whole.len() - 1] {
        std::fs::write(&file, &whole[..length]).unwrap();
        assert!(says_so(), "cut at {length} of {}", whole.len());
    }
}
