use std::fs;

use super::{Follower, Progress};
use crate::recording::{PID, header, open_forward, window};

#[test]
fn steps_are_counted_once_while_their_window_grows_and_is_sealed() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join(format!("{PID}-ab.proc"));
    let mut follower = Follower::new(place.path());
    assert_eq!(follower.look(), Progress::default());

    let start = header(PID).to_bytes();
    let unused = vec![0; 65_536];
    for (windows, steps) in [
        (vec![window(0, 0, 10, false), unused.clone()], 10),
        (vec![window(0, 0, 30, false), unused.clone()], 30),
        (vec![window(0, 0, 40, true), unused.clone()], 40),
        (vec![window(0, 0, 40, true), window(1, 40, 50, false)], 50),
        (
            vec![window(0, 0, 40, true), window(1, 40, 90, true), unused],
            90,
        ),
    ] {
        fs::write(&file, [start.clone(), windows.concat()].concat()).unwrap();
        assert_eq!(follower.look().steps, steps);
    }
}

#[test]
fn the_innermost_open_span_is_named() {
    let place = tempfile::tempdir().unwrap();
    let mut bytes = header(PID).to_bytes();
    open_forward(&mut bytes);
    bytes.extend(window(0, 0, 3, false));
    fs::write(place.path().join("20-ab.proc"), bytes).unwrap();
    let progress = Follower::new(place.path()).look();
    assert_eq!(progress.open.as_deref(), Some("step/forward"));
}

#[test]
fn a_look_reads_a_bounded_number_of_windows_and_catches_up_later() {
    let place = tempfile::tempdir().unwrap();
    let mut bytes = header(PID).to_bytes();
    for sequence in 0..20 {
        bytes.extend(window(sequence, sequence * 10, sequence * 10 + 10, true));
    }
    fs::write(place.path().join("20-ab.proc"), bytes).unwrap();
    let mut follower = Follower::new(place.path());
    let seen: Vec<u64> = (0..4).map(|_| follower.look().steps).collect();
    assert_eq!(seen, [80, 160, 200, 200]);
}
