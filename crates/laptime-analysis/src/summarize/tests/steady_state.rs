use crate::analyzer::Options;
use crate::benchmark::warm_up::Later;
use crate::summary::Steady;
use crate::summary::doubt::{Doubt, StepsDoubt};
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MAIN, MS, Script};
use laptime_core::SpanFlags;

/// Adds requests of 10 ms with 1 ms in between, the first ones of 40 ms, on one track.
fn requests(script: &mut Script, track: u32, count: u64, slow: u64) {
    let mut now = 100 * MS;
    for request in 0..count {
        let ns = if request < slow { 40 } else { 10 } * MS + request * 7_919 % 100 * 1_000;
        script.span_on(track, &["request"], now, ns, SpanFlags::NONE);
        now += ns + MS;
    }
}

fn steady_of(script: &Script) -> Option<Steady> {
    summarize(std::slice::from_ref(script), Options::default()).steady
}

/// How steps changed, and how many of them were looked at, where these were not all.
fn change(steady: &Steady) -> (&Later, Option<u64>) {
    match &steady.warnings[0] {
        Doubt::Steps {
            doubt:
                StepsDoubt::Changed {
                    later,
                    looked_at_count,
                    ..
                },
            ..
        } => (later, *looked_at_count),
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_steps_what_a_program_repeats_most_of_the_time_has_a_warm_up() {
    let mut script = Script::new(7, 5_000 * MS);
    script.span(&["load"], 0, 90 * MS);
    requests(&mut script, MAIN, 60, 4);
    let steady = steady_of(&script).unwrap();
    assert_eq!(
        (steady.step_path.as_str(), steady.noun()),
        ("request", "request")
    );
    assert_eq!(steady.from_step, 4);
    assert_eq!(steady.rows[0].count, Some(56));
}

#[test]
fn steps_are_numbered_as_the_program_counts_them() {
    let counted = [0, 3, 40];
    let mut script = Script::new(7, 5_000 * MS);
    for step in 0..60 {
        let at = 100 * MS + step * 50 * MS;
        // Slow at first, and twice as long later.
        let ms = if step < 6 { 40 } else { 10 + step / 42 * 10 };
        let ns = ms * MS + step * 7_919 % 100 * 1_000;
        let is_counted = counted.contains(&step);
        let name = if is_counted { "counted step" } else { "step" };
        script.span_on(MAIN, &["epoch", name], at, ns, SpanFlags::NONE);
        if is_counted {
            let rest = at + ns + MS;
            script.span_on(MAIN, &["epoch", name], rest, MS, SpanFlags::CONTINUES);
        }
        // Those of others are not the program's steps.
        script.span_on(5, &["epoch", "counted step"], at, MS, SpanFlags::NONE);
        script.span_on(MAIN, &["counted step"], at, MS, SpanFlags::NONE);
    }
    let steady = steady_of(&script).unwrap();
    assert_eq!((steady.from_step, steady.skipped_count), (6, 4));
    assert!(
        (160 * MS..161 * MS).contains(&steady.skipped_ns),
        "{}",
        steady.skipped_ns
    );
    let (later, _) = change(&steady);
    assert!(
        matches!(later, Later::Changes(changes) if changes[0].at == 42),
        "{later:?}"
    );
}

#[test]
fn what_several_threads_repeat_is_followed_thread_by_thread() {
    let mut script = Script::new(7, 5_000 * MS);
    requests(&mut script, 5, 60, 4);
    requests(&mut script, 6, 50, 0);
    assert_eq!(steady_of(&script).unwrap().from_step, 4);
}

#[test]
fn what_is_repeated_a_small_part_of_the_time_is_no_loop() {
    let mut script = Script::new(7, 50_000 * MS);
    requests(&mut script, MAIN, 60, 4);
    script.span(&["work"], 2_000 * MS, 40_000 * MS);
    assert_eq!(steady_of(&script), None);
}

#[test]
fn a_program_that_compiles_again_and_again_is_not_there_to_compile() {
    let mut script = Script::new(7, 5_000 * MS);
    for compilation in 0..40 {
        script.span(&["compile"], compilation * 100 * MS, 90 * MS);
    }
    assert_eq!(steady_of(&script), None);
}

#[test]
fn many_names_that_come_once_leave_room_for_one_that_is_repeated() {
    let mut script = Script::new(7, 5_000 * MS);
    for name in 0..200 {
        script.span(&[&format!("file {name}")], name * 1_000, 1_000);
    }
    requests(&mut script, MAIN, 60, 4);
    assert_eq!(steady_of(&script).unwrap().step_path, "request");
}

#[test]
fn steps_that_went_on_changing_are_told_beside_the_numbers() {
    let mut script = Script::new(7, 5_000 * MS);
    let mut now = 0;
    for step in 0..100 {
        let ns = 10 * MS + step * MS / 10;
        script.span(&["step"], now, ns);
        now += ns;
    }
    let steady = steady_of(&script).unwrap();
    assert_eq!(steady.from_step, 0);
    assert_eq!(steady.warnings[0].code(), "step-time-changed");
    let (later, looked_at_count) = change(&steady);
    assert!(
        matches!(later, Later::Trend(ratio) if (ratio - 0.58).abs() < 0.005),
        "{later:?}"
    );
    assert_eq!(looked_at_count, None);
}

#[test]
fn what_is_told_of_the_first_steps_of_many_is_not_told_of_all() {
    let mut script = Script::new(7, 50_000 * MS);
    let mut now = 0;
    for step in 0..600 {
        let ns = 10 * MS + step / 300 * 5 * MS + step * 7_919 % 100 * 1_000;
        script.span(&["step"], now, ns);
        now += ns;
    }
    let steady = steady_of(&script).unwrap();
    let (later, looked_at_count) = change(&steady);
    assert!(
        matches!(later, Later::Changes(changes) if changes[0].at == 300),
        "{later:?}"
    );
    assert_eq!(looked_at_count, Some(512));
}
