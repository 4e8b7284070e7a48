use crate::analyzer::Options;
use crate::fed::summarize;
use crate::scripted::{MS, Script, anchor};
use crate::span_row::SpanRow;
use crate::summary::Summary;

/// A rank that started `start` seconds into the run: `steps` steps, the first `slow` ones of 80 ms,
/// the others of 20 ms.
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

fn of(scripts: &[Script]) -> Summary {
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
    let summary = of(&[rank(7, "0", 0, 60, 4), rank(8, "1", 2, 40, 8)]);
    let [first, second] = summary.by_process.as_slice() else {
        panic!("{} processes", summary.by_process.len());
    };
    assert_eq!(first.called(), "rank 0 (process 7)");
    assert_eq!(second.called(), "rank 1 (process 8)");
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
    let summary = of(&[rank(7, "10", 0, 60, 4), rank(8, "9", 2, 40, 8)]);
    let told = summary.by_process.iter().map(|one| one.pid);
    assert_eq!(told.collect::<Vec<_>>(), [8, 7]);
    let told = summary.ranks.iter().map(|one| one.pid);
    assert_eq!(told.collect::<Vec<_>>(), [8, 7]);
}

#[test]
fn each_rank_has_the_steady_state_that_it_has_alone() {
    let scripts = [rank(7, "0", 0, 60, 4), rank(8, "1", 2, 40, 8)];
    let summary = of(&scripts);
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
    let summary = of(&scripts);
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
    helper.span(&["read"], 100 * MS, 50 * MS);
    let summary = of(&[rank(7, "0", 0, 60, 4), helper]);
    let [only] = summary.by_process.as_slice() else {
        panic!("{} processes", summary.by_process.len());
    };
    let own = summary.rows.iter().filter(|row| row.path != "read");
    assert_eq!(only.rows, own.cloned().collect::<Vec<_>>());
    assert_eq!(only.wall_ns, summary.wall_ns);
    assert_eq!(only.called(), "rank 0 (process 7)");
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
