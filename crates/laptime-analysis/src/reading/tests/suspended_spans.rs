use super::*;
use crate::Options;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MAIN, MS, Script, anchor};

fn rest(path: u32, start: u64, wall: u64, duration: u64) -> SuspendedSpan {
    let span = Span {
        wall: Some(wall),
        ..Span::plain(PathId(path), start, duration, 1)
    };
    SuspendedSpan::new(&span, 1_000, Rate::new(1.0))
}

fn ran(rests: &[SuspendedSpan], left: u64) -> Vec<u64> {
    let mut paths = PathTable::new();
    paths.define(PathId(2), PathId::ROOT, "batches");
    paths.define(PathId(3), PathId::ROOT, "others");
    let settled = settle(rests, &paths, |_| left);
    settled.into_iter().map(|(_, ran)| ran).collect()
}

#[test]
fn a_suspended_span_ran_for_what_its_siblings_leave_within_its_bounds() {
    // From 500 to 1,500 it ran for 700: of these at least 200 after 1,000, and 500 at most.
    let one = rest(2, 500, 1_000, 700);
    assert_eq!(ran(&[one], u64::MAX), [500]);
    assert_eq!(ran(&[one], 300), [300]);
    assert_eq!(ran(&[one], 0), [200]);
}

#[test]
fn several_share_what_is_left() {
    let both = [rest(2, 500, 1_000, 700), rest(3, 0, 2_000, 400)];
    assert_eq!(ran(&both, 900), [500, 400]);
    assert_eq!(ran(&both, 550), [350, 200]);
    assert_eq!(ran(&both, 100), [200, 0]);
}

#[test]
fn a_generator_across_the_start_of_the_steady_state_has_what_the_steps_leave_of_it() {
    let mut script = Script::new(7, 0);
    let mut now = 0;
    for step in 0..60 {
        // The generator runs before each step; both take longer at first.
        let (made, taken) = if step < 6 { (30, 20) } else { (4, 6) };
        now += made * MS;
        script.span(&["step"], now, taken * MS);
        now += taken * MS;
    }
    let path = script.path(&["batches"]);
    script.push(Span {
        flags: SpanFlags::SUSPENDED,
        wall: Some(script.ticks(now) - script.ticks(0)),
        ..Span::plain(path, script.ticks(0), (6 * 30 + 54 * 4) * MS, MAIN)
    });
    script.header.closed = Some(anchor(now));
    let steady = summarize(&[script], Options::default()).steady.unwrap();
    let row = |path: &str| steady.rows.iter().find(|row| row.path == path).unwrap();
    assert_eq!(steady.skipped_count, 6);
    // From the first steady step on there are 53 batches.
    assert_eq!(row("batches").total_ns, 53 * 4 * MS);
    assert_eq!(row("step").total_ns, 54 * 6 * MS);
    assert_eq!(
        steady.wall_ns,
        row("batches").total_ns + row("step").total_ns
    );
}
