use laptime_analysis::ranks::{OwnPart, ProcessStep, RankSteps, Work, answer};

use crate::sentences::job::sentences;

const MS: i64 = 1_000_000;

/// Steps of as many ranks, of which each has the work that it is given; the others wait for the longest.
fn said(ranks: u32, steps: u64, work: impl Fn(u32, u64) -> [i64; OwnPart::COUNT]) -> String {
    let longest = |step: u64| {
        (0..ranks)
            .map(|rank| work(rank, step).iter().sum::<i64>())
            .max()
            .unwrap()
    };
    let of = |rank: u32| {
        let step = |step: u64| {
            let part_ns = work(rank, step);
            let duration_ns = longest(step) + MS;
            let own_ns: i64 = part_ns.iter().sum();
            ProcessStep {
                start_ns: step * 200 * MS as u64,
                duration_ns,
                part_ns,
                exchanged_ns: duration_ns - own_ns,
                work: Work::NONE,
            }
        };
        RankSteps {
            rank,
            pid: 100 + rank,
            steps: (0..steps).map(step).collect(),
            uses_device: false,
        }
    };
    let ranks: Vec<RankSteps> = (0..ranks).map(of).collect();
    sentences(&answer(&ranks)).join("\n")
}

/// Work of about 60 ms, which differs a little between ranks and steps.
fn usual(rank: u32, step: u64) -> [i64; OwnPart::COUNT] {
    let differs = |by: u64| (i64::from(rank) * 37 + step as i64 * by as i64 * 53) % 11 * MS / 20;
    [
        5 * MS + differs(1),
        20 * MS + differs(3),
        30 * MS + differs(7),
        5 * MS,
        MS / 10,
    ]
}

fn with(rank: u32, step: u64, part: OwnPart, more_ms: i64) -> [i64; OwnPart::COUNT] {
    let mut work = usual(rank, step);
    work[part as usize] += more_ms * MS;
    work
}

#[test]
fn a_rank_that_is_slow_from_a_step_on_is_told_with_what_it_costs() {
    let text = said(8, 400, |rank, step| {
        let is_slow = rank == 3 && step >= 200;
        with(rank, step, OwnPart::Data, if is_slow { 20 } else { 0 })
    });
    insta::assert_snapshot!(text, @"Rank 3 holds the others up from step 200 on: its data takes 25.3 ms per step, 5.3 ms on its peers. Without that, training would take 14 % less time (13 % to 14 %).");
}

#[test]
fn ranks_that_are_slow_alike_share_a_sentence() {
    let text = said(16, 300, |rank, step| {
        with(
            rank,
            step,
            OwnPart::Forward,
            if (8..12).contains(&rank) { 9 } else { 0 },
        )
    });
    insta::assert_snapshot!(text, @"Ranks 8 to 11 hold the others up: their forward takes 29.3 ms per step, 20.3 ms on their peers. Without that, training would take 12 % less time (12 % to 13 %).");
}

#[test]
fn what_one_rank_does_alone_blames_nobody() {
    let text = said(4, 400, |rank, step| {
        let saves = rank == 0 && step % 50 == 49;
        with(rank, step, OwnPart::Other, if saves { 700 } else { 0 })
    });
    insta::assert_snapshot!(text, @"Rank 0 does something beside its phases for 700 ms every 50 steps, such as saving, logging or an evaluation, and 3 ranks wait: 18 % of the time.");
}

#[test]
fn a_rank_that_is_slow_in_every_twentieth_step_is_told_by_its_period() {
    let text = said(8, 600, |rank, step| {
        with(
            rank,
            step,
            OwnPart::Data,
            if rank == 5 && step % 20 == 7 { 60 } else { 0 },
        )
    });
    insta::assert_snapshot!(text, @"Rank 5 holds the others up in every 20th step: its data takes 65.2 ms then, 5.3 ms on its peers. Without that, training would take 4.6 % less time (3.0 % to 6.2 %).");
}

#[test]
fn of_ranks_that_are_alike_none_stands_out() {
    insta::assert_snapshot!(said(8, 300, usual), @"No rank stands out of 8.");
}

#[test]
fn two_ranks_are_too_few_to_know_which_is_usual() {
    insta::assert_snapshot!(said(2, 300, |rank, step| with(rank, step, OwnPart::Data, 30 * i64::from(rank))), @"2 ranks can't be compared: of fewer than three nobody knows which one is usual.");
}
