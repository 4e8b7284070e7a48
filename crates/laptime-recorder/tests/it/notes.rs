//! What was noted of one recording is not told of the next one, which is told its own.

use laptime_recorder::{LazySite, RecordOptions, enter, exit, note, record};

use crate::own_process;

static STEP: LazySite = LazySite::new("step");

#[test]
fn a_recording_tells_of_its_own_profiled_steps_and_of_no_earlier_ones() {
    own_process::run(|| {
        let folder = tempfile::tempdir().unwrap();
        let recorded = |name: &str, why: Option<&str>| -> String {
            let recording = record(&folder.path().join(name), &RecordOptions::default()).unwrap();
            exit(enter(STEP.get()).unwrap()).unwrap();
            if let Some(why) = why {
                note("kernels.refused", why);
            }
            let files = std::fs::read_dir(recording.finish().unwrap()).unwrap();
            let bytes = files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap());
            String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
        };
        assert!(recorded("first.lap", Some("refused first")).contains("refused first"));
        assert!(!recorded("second.lap", None).contains("kernels.refused"));
        let third = recorded("third.lap", Some("refused third"));
        assert!(third.contains("refused third") && !third.contains("refused first"));
    });
}
