//! `laptime ranks`: who holds the others up, in every form, and what can't be answered.

use std::fs;

use crate::place::Place;

/// Where a recording of four ranks lies: the data of rank 2 get slow, and rank 0 saves every 50 steps.
fn job() -> Place {
    let place = Place::new();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/job.lap");
    fs::copy(fixture, place.path().join("job.lap")).unwrap();
    place
}

#[test]
fn the_answer_comes_first_and_a_row_for_each_rank() {
    let left = job().laptime(&["ranks", "job.lap"]);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    insta::assert_snapshot!(left.out, @"
    4 ranks  Rank 2 holds the others up from step 100 on: its data takes 22.4 ms per step, 5.8 ms on its
    peers. Without that, training would take 35 % less time (30 % to 40 %).
    4 ranks · 300 steps · a rank's own work is all but its exchanges with others

    Rank 0 does something beside its phases for 300 ms every 50 steps, such as saving, logging or an
    evaluation, and 3 ranks wait: 20 % of the time.
    Jitter: 2.1 % of the time goes to whoever happens to be last.

    a step of each rank
    rank       step     data  forward  backward  optimizer    other  communication
    ──────────────────────────────────────────────────────────────────────────────
    rank 0  30.8 ms  5.24 ms   563 µs    491 µs     427 µs  6.15 ms        17.9 ms
    rank 1  29.7 ms  5.34 ms   455 µs    427 µs     401 µs   142 µs        23.0 ms
    rank 2  29.7 ms  16.7 ms   415 µs    406 µs     397 µs   126 µs        11.7 ms
    rank 3  29.7 ms  5.43 ms   467 µs    431 µs     391 µs   153 µs        22.8 ms
    ");
}

#[test]
fn a_limit_is_exceeded_only_where_the_whole_interval_lies_above_it() {
    let place = job();
    let code = |options: &[&str]| {
        place
            .laptime(&[&["ranks", "job.lap"], options].concat())
            .code
    };
    assert_eq!(code(&["--fail-on", "standing > 2 %"]), 3);
    assert_eq!(code(&["--fail-on", "standing > 35 %"]), 0);
    assert_eq!(code(&["--fail-on", "standing > 35 %", "--strict"]), 4);
    assert_eq!(code(&["--fail-on", "standing > 90 %", "--strict"]), 0);
    assert_eq!(code(&["--fail-on", "jitter > 90 %", "--strict"]), 0);
    let left = place.laptime(&["ranks", "job.lap", "--fail-on", "slow > 2 %"]);
    assert_eq!(left.code, 2);
    assert!(
        left.err.contains("\"slow\" is neither standing nor jitter"),
        "{}",
        left.err
    );
}

#[test]
fn all_forms_have_the_same_numbers() {
    let place = job();
    let shown = |form: &str| place.laptime(&["ranks", "job.lap", "-f", form]).out;
    let json: serde_json::Value = serde_json::from_str(&shown("json")).unwrap();
    let slow = &json["slow"][0];
    assert_eq!(
        (&slow["rank"], &slow["part"], &slow["when"]),
        (&2.into(), &"data".into(), &"from".into())
    );
    let first = &json["ranks"][0];
    let csv = shown("csv");
    let row = csv.lines().nth(1).unwrap();
    assert!(
        row.starts_with(&format!("0,{},{},", first["pid"], first["step_ns"])),
        "{row}"
    );
    let text = json["text"][0].as_str().unwrap();
    for form in ["markdown", "html"] {
        assert!(shown(form).replace('\u{a0}', " ").contains(text), "{form}");
    }
    let left = place.laptime(&["ranks", "job.lap", "-o", "job.json"]);
    assert_eq!((left.code, left.out.as_str()), (0, ""));
    assert_eq!(
        fs::read_to_string(place.path().join("job.json")).unwrap(),
        shown("json")
    );
}

#[test]
fn what_is_no_job_is_named() {
    let place = job();
    let left = place.laptime(&["ranks", "job.lap", "job.lap"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @"
    laptime: error: rank 0 is in job.lap and in job.lap
    hint: name the recordings of one job alone: one, or one of each machine
    ");
    let training = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/training.lap");
    fs::copy(training, place.path().join("one.lap")).unwrap();
    let left = place.laptime(&["ranks", "one.lap"]);
    assert_eq!(left.code, 2);
    insta::assert_snapshot!(left.err, @"
    laptime: error: no process of one.lap is a rank that takes steps
    hint: `laptime run torchrun …` records the ranks of a machine; a process tells its rank by RANK in its environment, or by torch.distributed
    ");
}
