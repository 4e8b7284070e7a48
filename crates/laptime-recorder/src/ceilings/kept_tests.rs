//! What was kept is measured again where it is in doubt, and files that are none.

use std::cell::RefCell;
use std::fs;

use laptime_core::ceilings::{Bound, Ceiling, Ceilings, Measured, Origin};

use super::{cache, kept_or};

/// Ceilings of one run, which had so much of the processor, and whose median was so far below the best sample.
fn run(per_s: f64, cpu_ratio: f64, median_ratio: f64) -> Ceilings {
    let measured = Measured {
        how: "a kernel".into(),
        samples: 60,
        median_ratio,
        cpu_ratio: Some(cpu_ratio),
        threads: Some(2),
        tries: 1,
    };
    Ceilings {
        machine: "a processor of a test".into(),
        all: vec![Ceiling {
            device: "cpu".into(),
            bound: Bound::Bytes,
            per_s,
            origin: Origin::Instructions(measured),
        }],
        ..Ceilings::default()
    }
}

/// What is known where this was kept and another run reaches 5 a second; whether that ran, and what is kept then.
fn known(kept: Option<Ceilings>) -> (Ceilings, bool, Option<Ceilings>) {
    let stored = RefCell::new(None);
    let mut has_run = false;
    let measure = || {
        has_run = true;
        run(5.0, 1.0, 0.95)
    };
    let known = kept_or(kept, measure, |all| {
        *stored.borrow_mut() = Some(all.clone());
    });
    (known, has_run, stored.into_inner())
}

fn per_s(ceilings: &Ceilings) -> Vec<f64> {
    ceilings.all.iter().map(|one| one.per_s).collect()
}

#[test]
fn a_quiet_machine_is_measured_once() {
    let (first, has_run, stored) = known(None);
    assert!(has_run);
    assert_eq!(stored.as_ref(), Some(&first));
    let (again, has_run, stored) = known(stored);
    assert_eq!((again, has_run, stored), (first, false, None));
}

#[test]
fn what_a_busy_machine_reached_is_measured_again_and_the_better_one_kept() {
    for (kept_per_s, best) in [(3.0, 5.0), (7.0, 7.0)] {
        let (known, has_run, stored) = known(Some(run(kept_per_s, 0.5, 0.95)));
        assert!(has_run);
        assert_eq!(per_s(&known), [best]);
        assert_eq!(stored, Some(known));
    }
}

#[test]
fn samples_that_scatter_are_measured_again_but_not_for_ever() {
    // All of its processor time, and most samples far below the best: a hypervisor took it away.
    let mut kept = run(90.0, 1.0, 0.02);
    for _ in 0..2 {
        let (known, has_run, stored) = known(Some(kept));
        assert!(has_run);
        assert_eq!(per_s(&known), [90.0]);
        kept = stored.unwrap();
    }
    let (_, has_run, stored) = known(Some(kept));
    assert_eq!((has_run, stored), (false, None));
}

#[test]
fn what_a_framework_reached_is_not_measured_here() {
    let mut kept = run(7.0, 1.0, 0.95);
    let doubtful = run(7.0, 0.5, 0.95).all.remove(0);
    let Origin::Instructions(measured) = doubtful.origin else {
        unreachable!("it is measured by instructions");
    };
    kept.all.push(Ceiling {
        origin: Origin::Framework(measured),
        ..kept.all[0].clone()
    });
    assert!(!known(Some(kept)).1);
}

#[test]
fn a_file_keeps_them_for_its_machine_and_a_damaged_one_keeps_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("laptime/ceilings-of-a-test.json");
    let ceilings = run(7.0, 1.0, 0.95);
    cache::write(&path, &ceilings).unwrap();
    assert_eq!(
        cache::read(&path, &ceilings.machine),
        Some(ceilings.clone())
    );
    assert_eq!(cache::read(&path, "another machine"), None);
    // Nothing is left beside it.
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    fs::write(&path, "{").unwrap();
    assert_eq!(cache::read(&path, &ceilings.machine), None);
    cache::write(&path, &ceilings).unwrap();
    assert_eq!(cache::read(&path, &ceilings.machine), Some(ceilings));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("laptime"),
        "a file where the folder would be",
    )
    .unwrap();
    let path = folder.path().join("laptime/ceilings-of-a-test.json");
    assert!(cache::write(&path, &run(7.0, 1.0, 0.95)).is_err());
}
