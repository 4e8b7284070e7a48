use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, DeviceTimes};

use super::{Options, Pair, Run, compare};
use crate::benchmark::verdict::Verdict;
use crate::compare::Note;
use crate::testing::analyzed;
use crate::testing::scripted::{EPOCH_NS, MAIN, MS, Script};

/// 60 steps of 3 ms on the host, in which a device has `forward_ms` and 4 ms of work; without one, none of it.
fn launched(forward_ms: Option<u64>, seed: u64) -> Run {
    let mut script = Script::new(7, 0);
    let mut now = 0;
    for step in 0..60 {
        let noise = (step * 7_919 + seed * 104_729) % 1_009 * 100;
        for (names, host_ns, device_ms) in [
            (&["step", "forward"][..], MS + noise, forward_ms),
            (&["step", "backward"][..], 2 * MS, forward_ms.map(|_| 4)),
        ] {
            script.span(names, now, host_ns);
            told(
                &mut script,
                names,
                [now, host_ns],
                device_ms.map(|ms| ms * MS + noise),
            );
            now += host_ns;
        }
        let host_ns = 3 * MS + noise;
        let of_step = forward_ms.map(|ms| (ms + 4) * MS + 2 * noise);
        script.span(&["step"], now - host_ns, host_ns);
        told(&mut script, &["step"], [now - host_ns, host_ns], of_step);
    }
    script.header.closed = Some(crate::testing::scripted::anchor(now));
    analyzed::run(&format!("{seed}.lap"), &[script])
}

fn told(script: &mut Script, names: &[&str], [at, host_ns]: [u64; 2], device_ns: Option<u64>) {
    let Some(duration_ns) = device_ns else { return };
    let path = script.path(names);
    script.observed(Record::DeviceSpan(DeviceSpan {
        path,
        start: EPOCH_NS + at,
        duration: host_ns,
        track: MAIN,
        device: 0,
        stream: 7,
        continues: false,
        times: Ok(DeviceTimes {
            duration_ns,
            launch_bound: false,
            place: None,
        }),
    }));
}

fn pair(base: Run, new: Run) -> Pair {
    let mut found = compare(&[base], &[vec![new]], &Options::default());
    found.pairs.remove(0)
}

fn note(pair: &Pair) -> Option<&Note> {
    let mut notes = pair.notes.iter();
    notes.find(|note| note.code() == "device-times")
}

#[test]
fn work_that_takes_longer_on_the_device_is_slower_though_launching_takes_as_long() {
    let pair = pair(launched(Some(5), 1), launched(Some(8), 2));
    assert_eq!(pair.verdict, Verdict::Slower);
    let cause = pair.cause.as_ref().unwrap();
    assert_eq!(cause.parts[0].path, "step/forward");
    assert!(
        (cause.parts[0].difference_ns - 3e6).abs() < 1e5,
        "{cause:?}"
    );
    assert_eq!(note(&pair), Some(&Note::DeviceTimes));
}

#[test]
fn what_only_one_side_has_of_a_device_is_not_compared_with_the_hosts() {
    let pair = pair(launched(Some(5), 1), launched(None, 2));
    assert!(
        !matches!(pair.verdict, Verdict::Slower | Verdict::Faster),
        "{pair:?}"
    );
    let Some(Note::HostTimes { with, .. }) = note(&pair) else {
        panic!("{pair:?}")
    };
    assert_eq!(with, "1.lap");
}

#[test]
fn runs_without_a_device_say_nothing_of_one() {
    assert_eq!(note(&pair(launched(None, 1), launched(None, 2))), None);
}
