use crate::analyzer::Options;
use crate::summary::Summary;
use crate::summary::span_row::SpanRow;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{EPOCH_NS, MS, Script, anchor};

/// Returns a rank that started `start` seconds into the run: `steps` steps, the first `slow` ones of 80 ms, the
/// others of 20 ms.
fn rank(pid: u32, name: &str, start: u64, steps: u64, slow: u64) -> Script {
    let mut script = Script::new(pid, 0);
    script.note("environment.rank", name);
    let began = anchor(start * 1_000 * MS);
    script.header.anchor = began;
    script.header.process_started_boottime_ns = Some(began.boottime_ns);
    let mut now = (start + 1) * 1_000 * MS;
    for step in 0..steps {
        let ns = if step < slow { 80 } else { 20 } * MS + step * 7_919 % 100 * 1_000;
        script.span(&["step", "forward"], now, ns / 2);
        script.span(&["step"], now, ns);
        now += ns + MS;
    }
    script.header.closed = Some(anchor(now));
    script
}

fn summary_of(scripts: &[Script]) -> Summary {
    let options = Options {
        by_process: true,
        ..Options::default()
    };
    summarize(scripts, options)
}

fn total(rows: &[SpanRow], path: &str) -> u64 {
    let row = rows.iter().find(|row| row.path == path);
    row.map_or(0, |row| row.total_ns)
}

#[test]
fn each_rank_has_its_own_rows_and_they_add_up_to_those_of_the_run() {
    let summary = summary_of(&[rank(7, "0", 0, 60, 4), rank(8, "1", 2, 40, 8)]);
    let [first, second] = summary.by_process.as_slice() else {
        panic!("{} processes", summary.by_process.len());
    };
    let names = [first, second].map(|one| (one.rank.as_deref(), one.pid));
    assert_eq!(names, [(Some("0"), 7), (Some("1"), 8)]);
    for row in &summary.rows {
        let parts = total(&first.rows, &row.path) + total(&second.rows, &row.path);
        assert_eq!(parts, row.total_ns, "{}", row.path);
    }
    assert_eq!(first.wall_ns + second.wall_ns, summary.measured_ns);
    assert_eq!(total(&second.rows, "startup"), 1_000 * MS);
    for one in [first, second] {
        let outermost = one.rows.iter().filter(|row| row.names.len() == 1);
        let shares: f64 = outermost.filter_map(|row| row.share_ratio).sum();
        assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    }
}

#[test]
fn ranks_stand_in_the_order_of_their_numbers() {
    let summary = summary_of(&[rank(7, "10", 0, 60, 4), rank(8, "9", 2, 40, 8)]);
    let told = summary.by_process.iter().map(|one| one.pid);
    assert_eq!(told.collect::<Vec<_>>(), [8, 7]);
    let told = summary.ranks.iter().map(|one| one.pid);
    assert_eq!(told.collect::<Vec<_>>(), [8, 7]);
}

#[test]
fn each_rank_has_the_steady_state_that_it_has_alone() {
    let scripts = [rank(7, "0", 0, 60, 4), rank(8, "1", 2, 40, 8)];
    let summary = summary_of(&scripts);
    assert_eq!(summary.steady.as_ref().unwrap().from_step, 8);
    for (one, script) in summary.by_process.iter().zip(&scripts) {
        let alone = summarize(std::slice::from_ref(script), Options::default());
        assert_eq!(one.steady, alone.steady);
        assert!(one.steady.is_some());
    }
}

#[test]
fn a_rank_has_a_steady_state_where_another_took_too_few_steps_for_one() {
    let scripts = [rank(7, "0", 0, 60, 4), rank(8, "1", 2, 5, 0)];
    let summary = summary_of(&scripts);
    let [first, second] = summary.by_process.as_slice() else {
        panic!("{} processes", summary.by_process.len());
    };
    let alone = summarize(&scripts[..1], Options::default());
    assert_eq!((&first.steady, &first.steady_why), (&alone.steady, &None));
    let why = second.steady_why.as_ref().unwrap();
    assert!(why.0.starts_with("5 steps are too few"), "{why}");
    assert!(summary.steady.is_none());
    let why = summary.steady_why.unwrap();
    assert!(why.0.starts_with("process 8: 5 steps"), "{why}");
    let without = summarize(&scripts, Options::default());
    assert_eq!(summary.ranks, without.ranks);
    assert_eq!(summary.rows, without.rows);
}

#[test]
fn the_only_process_that_trains_has_the_rows_of_the_run_without_its_helpers() {
    let mut helper = Script::new(9, 900 * MS);
    helper.header.parent_pid = 7;
    helper.span(&["read"], 100 * MS, 50 * MS);
    let summary = summary_of(&[rank(7, "0", 0, 60, 4), helper]);
    let [only] = summary.by_process.as_slice() else {
        panic!("{} processes", summary.by_process.len());
    };
    let own = summary.rows.iter().filter(|row| row.path != "read");
    assert_eq!(only.rows, own.cloned().collect::<Vec<_>>());
    assert_eq!(only.wall_ns, summary.wall_ns);
    assert_eq!((only.rank.as_deref(), only.pid), (Some("0"), 7));
}

#[test]
fn rows_of_processes_are_told_only_where_they_were_asked_for() {
    let scripts = [rank(7, "0", 0, 60, 4), rank(8, "1", 2, 40, 8)];
    assert!(
        summarize(&scripts, Options::default())
            .by_process
            .is_empty()
    );
}

/// Summarizes a process beside two trainers of 2 s that evaluates for `evaluates_ns`, until 6 s.
fn beside(evaluates_ns: u64) -> Script {
    let mut parent = Script::new(9, 6_000 * MS);
    parent.span(&["evaluation"], 5_900 * MS - evaluates_ns, evaluates_ns);
    parent
}

fn outermost_shares(rows: &[SpanRow]) -> f64 {
    let outermost = rows.iter().filter(|row| row.names.len() == 1);
    outermost.filter_map(|row| row.share_ratio).sum()
}

#[test]
fn a_parent_that_evaluates_what_its_children_trained_is_measured_with_them() {
    let mut scripts = [
        rank(7, "0", 0, 60, 4),
        rank(8, "1", 0, 40, 8),
        beside(3_000 * MS),
    ];
    for script in &mut scripts[..2] {
        script.header.parent_pid = 9;
    }
    let summary = summary_of(&scripts);
    assert!((outermost_shares(&summary.rows) - 1.0).abs() < 1e-9);
    let evaluation = summary.row("evaluation").unwrap();
    let ratio = (3_000 * MS) as f64 / summary.measured_ns as f64;
    assert!((evaluation.share_ratio.unwrap() - ratio).abs() < 1e-9);
    assert_eq!(summary.ranks.len(), 2, "it takes no steps");
    assert!(summary.steady.is_some());
    let parent = summary.by_process.iter().find(|one| one.pid == 9).unwrap();
    assert_eq!(parent.wall_ns, 6_000 * MS);
    assert!(parent.steady.is_none());
    assert_eq!(
        summary.processes[0].pid, 7,
        "one that trains is the main one"
    );
}

#[test]
fn a_parent_that_only_waits_for_its_children_is_not_measured() {
    let summary = summary_of(&[
        rank(7, "0", 0, 60, 4),
        rank(8, "1", 0, 40, 8),
        Script::new(9, 6_000 * MS),
    ]);
    let measured = summary.processes.iter().filter(|one| one.is_measured);
    assert_eq!(measured.count(), 2);
}

#[test]
fn a_parent_is_measured_however_little_it_evaluates() {
    let mut scripts = [rank(7, "0", 1, 60, 4), rank(8, "1", 1, 40, 8), beside(MS)];
    for script in &mut scripts[..2] {
        script.header.parent_pid = 9;
    }
    let summary = summary_of(&scripts);
    let parent = summary.by_process.iter().find(|one| one.pid == 9).unwrap();
    assert_eq!(total(&parent.rows, "evaluation"), MS);
    assert!((outermost_shares(&summary.rows) - 1.0).abs() < 1e-9);
    let steady = summary.steady.as_ref().unwrap();
    assert!((outermost_shares(&steady.rows) - 1.0).abs() < 1e-9);
}

#[test]
fn a_parent_neither_starts_nor_ends_while_what_it_started_trains() {
    let [mut first, mut second] = [rank(7, "0", 1, 60, 4), rank(8, "1", 2, 40, 8)];
    (first.header.parent_pid, second.header.parent_pid) = (9, 7);
    // It evaluates after them, or before them.
    for (evaluates_at, startup_ms, exit_ms) in [(5_000, 1_000, 900), (200, 200, 1_760)] {
        let mut parent = Script::new(9, 6_000 * MS);
        parent.span(&["evaluation"], evaluates_at * MS, 100 * MS);
        let ended = second.header.closed.unwrap().monotonic_ns;
        let exit_ns = (EPOCH_NS + 6_000 * MS - ended).min(exit_ms * MS);
        let summary = summary_of(&[first.clone(), second.clone(), parent]);
        let parent = summary.by_process.iter().find(|one| one.pid == 9).unwrap();
        assert_eq!(total(&parent.rows, "startup"), startup_ms * MS);
        assert_eq!(total(&parent.rows, "exit"), exit_ns);
        assert!((outermost_shares(&parent.rows) - 1.0).abs() < 1e-9);
        let child = summary.by_process.iter().find(|one| one.pid == 8).unwrap();
        assert_eq!(total(&child.rows, "startup"), 1_000 * MS);
    }
}

proptest::proptest! {
    #[test]
    fn shares_add_up_to_the_time_of_all_that_is_measured(
        trainers in 1_usize..4,
        evaluates_ms in 0_u64..5_000,
        slow in 0_u64..8,
        are_children: bool,
    ) {
        let mut scripts: Vec<Script> = (0..trainers as u32)
            .map(|one| rank(10 + one, "0", u64::from(one), 20 + u64::from(one), slow))
            .collect();
        if are_children {
            for script in &mut scripts {
                script.header.parent_pid = 9;
            }
        }
        scripts.push(beside(evaluates_ms * MS));
        let summary = summary_of(&scripts);
        let whole = outermost_shares(&summary.rows);
        proptest::prop_assert!((whole - 1.0).abs() < 1e-9, "{}", whole);
        let steady = summary.steady.as_ref().map_or(1.0, |steady| outermost_shares(&steady.rows));
        proptest::prop_assert!((steady - 1.0).abs() < 1e-9, "{}", steady);
    }
}
