use crate::Finding;
use crate::analyzer::Options;
use crate::summary::Summary;
use crate::summary::rank_difference::RankDifference;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script, anchor};

/// Returns a rank of 30 steps: its own work in each, and how long it then waits in the backward.
fn rank(pid: u32, name: &str, forward_ms: u64, wait_ms: u64) -> Script {
    let mut script = Script::new(pid, 0);
    script.note("environment.rank", name);
    let mut now = 1_000 * MS;
    for step in 0..30 {
        let jitter = step * 7_919 % 100 * 1_000;
        let start = now;
        script.span(&["step", "forward"], now, forward_ms * MS + jitter);
        now += forward_ms * MS + jitter;
        script.span(&["step", "backward"], now, wait_ms * MS);
        now += wait_ms * MS;
        script.span(&["step", "optimizer"], now, MS);
        now += 2 * MS;
        script.span(&["step"], start, now - start);
    }
    script.header.closed = Some(anchor(now));
    script
}

fn of(scripts: &[Script]) -> Summary {
    summarize(scripts, Options::default())
}

/// A difference in the slow and the fast process's ids and the work, or the whole step, that differs.
fn difference(summary: &Summary, holding_up: bool) -> Option<([u32; 2], &str, [u64; 2])> {
    summary.findings.iter().find_map(|found| match found {
        Finding::Ranks {
            holds_up,
            difference,
        } if *holds_up == holding_up => Some(match difference {
            RankDifference::Work {
                slow,
                fast,
                part,
                slow_ns,
                fast_ns,
                wait,
            } => {
                assert_eq!(wait.is_some(), holding_up);
                let part = part.as_deref().unwrap_or("rest");
                ([slow.pid, fast.pid], part, [slow_ns / MS, fast_ns / MS])
            }
            RankDifference::Step {
                slow,
                fast,
                slow_ns,
                fast_ns,
            } => ([slow.pid, fast.pid], "step", [slow_ns / MS, fast_ns / MS]),
        }),
        _ => None,
    })
}

/// The part of a step in which the others wait, and for how many milliseconds.
fn wait(summary: &Summary) -> (&str, u64) {
    let wait = summary.findings.iter().find_map(|found| match found {
        Finding::Ranks {
            difference: RankDifference::Work { wait, .. },
            ..
        } => wait.as_ref(),
        _ => None,
    });
    let wait = wait.expect("a wait");
    (&wait.part, wait.per_step_ns / MS)
}

#[test]
fn the_rank_whose_own_work_is_longer_holds_the_others_up_that_wait_in_the_backward() {
    let summary = of(&[
        rank(7, "0", 5, 15),
        rank(8, "1", 15, 5),
        rank(9, "2", 5, 15),
    ]);
    let slow = difference(&summary, true);
    assert_eq!(slow, Some(([8, 7], "forward", [15, 5])));
    assert_eq!(wait(&summary), ("backward", 10));
    let ranks: Vec<_> = summary.ranks.iter().map(|rank| rank.pid).collect();
    assert_eq!(ranks, [7, 8, 9]);
    assert_eq!(summary.ranks[1].rest_ns, MS);
}

#[test]
fn ranks_that_do_not_wait_for_each_other_are_only_uneven() {
    let summary = of(&[rank(7, "0", 5, 5), rank(8, "1", 15, 5)]);
    assert_eq!(difference(&summary, true), None);
    let uneven = difference(&summary, false);
    assert_eq!(uneven, Some(([8, 7], "forward", [15, 5])));
    let summary = of(&[rank(7, "0", 5, 5), rank(8, "1", 5, 25)]);
    let uneven = difference(&summary, false);
    assert_eq!(uneven, Some(([8, 7], "step", [32, 12])));
}

#[test]
fn ranks_that_are_alike_are_not_told_apart_and_add_up() {
    let summary = of(&[rank(7, "0", 5, 5), rank(8, "1", 5, 5)]);
    assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
    assert_eq!(summary.row("step").unwrap().count, Some(60));
    let first = &summary.processes[0];
    let own_ns = first.ended_monotonic_ns - first.started_monotonic_ns;
    assert_eq!(summary.measured_ns, 2 * own_ns);
    let outermost = summary.rows.iter().filter(|row| row.names.len() == 1);
    let sum: f64 = outermost.filter_map(|row| row.share_ratio).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    assert_eq!(summary.row("startup").unwrap().total_ns, 2 * 1_000 * MS);
    let steady = summary.steady.unwrap();
    assert_eq!(steady.rows[0].count, Some(60));
}

/// Returns a rank of 30 steps that wait for the others in the forward and at the end of the backward.
fn told(pid: u32, name: &str, rest_ms: u64, wait_ms: u64) -> Script {
    let mut script = Script::new(pid, 0);
    script.note("environment.rank", name);
    let mut now = 1_000 * MS;
    for _ in 0..30 {
        let start = now;
        now += rest_ms * MS;
        script.span(
            &["step", "forward", "Net", "communication"],
            now,
            wait_ms * MS,
        );
        script.span(&["step", "forward", "Net"], now, (wait_ms + 2) * MS);
        script.span(&["step", "forward"], now, (wait_ms + 3) * MS);
        now += (wait_ms + 3) * MS;
        script.span(&["step", "backward", "communication"], now + 4 * MS, MS);
        script.span(&["step", "backward"], now, 5 * MS);
        now += 5 * MS;
        script.span(&["step", "communication"], now, MS);
        now += MS;
        script.span(&["step"], start, now - start);
    }
    script.header.closed = Some(anchor(now));
    script
}

#[test]
fn where_communication_is_told_it_is_what_ranks_wait_in_and_no_phase_s_own() {
    let summary = of(&[
        told(8, "10", 1, 20),
        told(7, "9", 21, 0),
        told(9, "2", 1, 20),
    ]);
    let slow = difference(&summary, true);
    assert_eq!(slow, Some(([7, 9], "rest", [21, 1])));
    assert_eq!(wait(&summary), ("communication", 20));
    let names: Vec<_> = summary.ranks.iter().map(|rank| rank.rank.clone()).collect();
    let by_number = ["2", "9", "10"].map(|rank| Some(rank.to_owned()));
    assert_eq!(names, by_number);
    for rank in &summary.ranks {
        let part = |name: &str| {
            let found = rank.parts.iter().find(|part| part.name == name);
            found.map(|part| part.per_step_ns)
        };
        assert_eq!(part("forward"), Some(3 * MS));
        assert_eq!(part("backward"), Some(4 * MS));
        let sum: u64 = rank.parts.iter().map(|part| part.per_step_ns).sum();
        assert_eq!(sum + rank.rest_ns, rank.step_ns, "the parts add up");
    }
}

#[test]
fn a_single_process_has_no_ranks() {
    let summary = of(&[rank(7, "0", 5, 5)]);
    assert!(summary.ranks.is_empty() && difference(&summary, false).is_none());
}

#[test]
fn processes_that_take_steps_of_their_own_without_phases_are_compared_too() {
    let worker = |pid, ms| {
        let mut script = Script::new(pid, 1_000 * MS);
        for step in 0..5 {
            script.span(&["step", "load"], step * 100 * MS, ms * MS);
            script.span(&["step"], step * 100 * MS, (ms + 1) * MS);
        }
        script
    };
    let summary = of(&[worker(7, 10), worker(8, 30)]);
    let uneven = difference(&summary, false);
    assert_eq!(uneven, Some(([8, 7], "load", [30, 10])));
}

/// Processes that train side by side, and say nothing that tells of a group.
fn without_a_group(scripts: [(u32, u64, u64); 2]) -> Vec<Script> {
    let each = scripts.into_iter();
    each.map(|(pid, forward_ms, wait_ms)| {
        let mut script = rank(pid, "", forward_ms, wait_ms);
        script.forget_notes();
        script
    })
    .collect()
}

#[test]
fn nobody_waits_among_processes_that_exchange_nothing() {
    let summary = of(&without_a_group([(7, 5, 15), (8, 15, 5)]));
    assert_eq!(difference(&summary, true), None);
    let uneven = difference(&summary, false);
    assert_eq!(uneven, None, "their steps take as long");
}

#[test]
fn processes_that_exchange_nothing_differ_in_any_phase() {
    let summary = of(&without_a_group([(7, 5, 5), (8, 5, 25)]));
    let uneven = difference(&summary, false);
    assert_eq!(uneven, Some(([8, 7], "backward", [25, 5])));
}

#[test]
fn processes_of_one_rank_are_of_groups_of_their_own() {
    let summary = of(&[rank(7, "0", 5, 15), rank(8, "0", 15, 5)]);
    let found = [true, false].map(|holding_up| difference(&summary, holding_up));
    assert_eq!(found, [None, None]);
}

#[test]
fn a_process_beside_a_group_is_none_that_the_group_waits_for() {
    let mut scripts = without_a_group([(9, 40, 5), (10, 40, 5)]);
    scripts.extend([rank(7, "0", 5, 15), rank(8, "1", 15, 5)]);
    let summary = of(&scripts);
    let ([slow, _], ..) = difference(&summary, true).unwrap();
    assert_eq!(slow, 8);
}

#[test]
fn an_exchange_is_evidence_without_a_rank() {
    let scripts = [(7, 1, 20), (8, 21, 0)].map(|(pid, rest_ms, wait_ms)| {
        let mut script = told(pid, "", rest_ms, wait_ms);
        script.forget_notes();
        script
    });
    let summary = of(&scripts);
    let ([slow, _], ..) = difference(&summary, true).unwrap();
    assert_eq!(slow, 8);
}
