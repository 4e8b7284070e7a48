//! Tests of how contests of made-up programs are shown.

use laptime_analysis::benchmark::Count;
use laptime_analysis::benchmark::contest::{Contest, Limits, Next};

use super::*;

fn found(levels: &[f64], budget_ns: f64) -> Outcome {
    contest(levels, budget_ns, |run| {
        1.0 + 0.002 * (f64::from(run * 7_919 % 101) / 50.0 - 1.0)
    })
}

fn contest(levels: &[f64], budget_ns: f64, mut machine: impl FnMut(u32) -> f64) -> Outcome {
    let mut contest = Contest::new(
        levels.len(),
        Limits {
            quantum_ns: 20.0,
            budget_ns,
            threshold_ratio: 0.01,
            confidence: 0.95,
            seed: 1,
            rounds: Count::Budget,
        },
    );
    let mut run = 0_u32;
    while let Next::Run {
        contender,
        iterations,
    } = contest.next()
    {
        run += 1;
        let took = levels[contender] * iterations as f64 * machine(run);
        contest.add_run(took, took);
    }
    contest.outcome().unwrap()
}

fn names(given: &[&str]) -> Vec<String> {
    given.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_first_lines_say_who_is_faster_and_by_how_much() {
    let outcome = found(&[1e6, 0.88e6, 3e6, 1e6, 0.25e6], 60e9);
    let names = names(&["eager", "compiled", "slow", "same", "fast"]);
    insta::assert_snapshot!(headline(&outcome, &names), @"
    compiled is 12.0 % faster than eager (between 11.8 and 12.2 %).
    slow takes about 3.00 times as long as eager (3.00 to 3.01).
    same is as fast as eager. The whole interval lies within the threshold of 1.0 %.
    fast is about 4.00 times as fast as eager (3.99 to 4.01).
    ");
}

#[test]
fn the_table_has_every_contender_and_the_noise_floor() {
    let outcome = found(&[1e6, 0.88e6, 3e6], 60e9);
    insta::assert_snapshot!(text(&outcome, &names(&["eager", "compiled", "slow"]), "--budget {}", None), @"
    compiled is 11.9 % faster than eager (between 11.8 and 12.1 %).
    slow takes about 3.01 times as long as eager (3.00 to 3.01).

               median          95 %          time against eager  verdict
    ────────────────────────────────────────────────────────────────────
    eager      999 µs   999 to 1000
    compiled   880 µs    879 to 881  -11.9 % (-12.1 to -11.8 %)   faster
    slow      3.00 ms  3.00 to 3.01     +201 % (+200 to +201 %)   slower

    slow takes about 3.41 times as long as compiled (3.40 to 3.42).
    Noise floor: eager against itself differs by 0.0 % in the same 8 rounds.
    ");
}

#[test]
fn markdown_and_html_show_hostile_names_as_text() {
    let outcome = found(&[1e6, 0.88e6], 60e9);
    let names = names(&["a|b\n<b>", "<script>"]);
    let page = fragment(&outcome, &names, "");
    assert!(
        !page.contains("<script>") && !page.contains("<b>"),
        "{page}"
    );
    insta::assert_snapshot!(markdown(&outcome, &names, ""), @r"
    \<script\> is 12.0 % faster than a\|b\\n\<b\> (between 11.8 and 12.2 %).

    |  | median | 95 % | time against a\|b\\n\<b\> | verdict |
    | :--- | ---: | ---: | ---: | ---: |
    | a\|b\\n\<b\> | 1.00 ms | 1.00 to 1.00 |  |  |
    | \<script\> | 880 µs | 879 to 881 | -12.0 % (-12.2 to -11.8 %) | faster |

    Noise floor: a\|b\\n\<b\> against itself differs by 0.1 % in the same 8 rounds.
    ");
}

#[test]
fn a_budget_that_ends_early_is_said() {
    let outcome = found(&[4e9, 7e9], 10e9);
    insta::assert_snapshot!(text(&outcome, &names(&["a", "b"]), "--budget {}", None), @"
    Whether b is faster than a can't be told. 1 value is too few to tell how exact the ratio is; 12 are
    needed.

       median  95 %  time against a       verdict
    ─────────────────────────────────────────────
    a  4.00 s     –
    b  7.01 s     –         +75.3 %  inconclusive

    No noise floor: the budget ended before a ran against itself.
    The runs took 11.0 s: --budget 220 may tell.
    a: Warm-up may be part of it: 1 run is too few to tell warm-up from steady state; 12 are needed.
    b: Warm-up may be part of it: 1 run is too few to tell warm-up from steady state; 12 are needed.
    ");
}

#[test]
fn the_ratio_is_that_of_the_medians_in_the_table() {
    // A quarter of all samples takes many times as long, as on a busy machine.
    let mut random = 1_u64;
    let outcome = contest(&[30e3, 25.0], 60e9, |_| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let dice = (random >> 33) % 100;
        if dice < 25 {
            5.0 + dice as f64
        } else {
            1.0 + dice as f64 / 1e3
        }
    });
    let medians: Vec<f64> = outcome.contenders.iter().map(|one| one.median_ns).collect();
    let judged = &outcome.pairs[0].judged;
    let of_medians = medians[1] / medians[0];
    assert!((judged.ratio / of_medians - 1.0).abs() < 1e-12);
    let (low, high) = judged.interval.clone().unwrap();
    assert!(low <= judged.ratio && judged.ratio <= high);
}

#[test]
fn of_a_wide_interval_no_number_is_told() {
    let mut outcome = found(&[30e3, 25.0], 60e9);
    let judged = &mut outcome.pairs[0].judged;
    judged.interval = Ok((1.0 / 7_871.24, 1.0 / 470.75));
    insta::assert_snapshot!(headline(&outcome, &names(&["old", "new"])), @"new is faster than old, but by how much can't be told: their runs differed too much, as on a busy machine.");
}

#[test]
fn what_is_the_same_of_several_pairs_is_said_once() {
    let outcome = found(&[4e9, 4e9, 4e9, 4e9], 40e9);
    let names = names(&["a", "b", "c", "d"]);
    insta::assert_snapshot!(headline(&outcome, &names), @"
    Whether b, c or d is faster than a can't be told. 2 values are too few to tell how exact the ratio is; 12 are needed.
    ");
    let outcome = found(&[1e6, 1e6, 1e6, 0.5e6], 60e9);
    insta::assert_snapshot!(text(&outcome, &names, "", Some(80)), @"
    b and c are as fast as a. The whole interval lies within the threshold of 1.0 %.
    d is 50.0 % faster than a (between 49.9 and 50.1 %).

        median          95 %              time against a  verdict
    ─────────────────────────────────────────────────────────────
    a  1.00 ms  1.00 to 1.00
    b  1.00 ms  1.00 to 1.00     +0.0 % (-0.2 to +0.2 %)     same
    c  1.00 ms  1.00 to 1.00     +0.0 % (-0.2 to +0.2 %)     same
    d   500 µs    500 to 501  -50.0 % (-50.1 to -49.9 %)   faster

    c is as fast as b. The whole interval lies within the threshold of 1.0 %.
    d is 50.0 % faster than b (between 49.9 and 50.1 %).
    d is about 2.00 times as fast as c.
    Noise floor: a against itself differs by 0.0 % in the same 8 rounds.
    ");
}

#[test]
fn sentences_keep_to_the_width_and_long_names_are_shortened() {
    let outcome = found(&[4e9, 7e9], 10e9);
    let long = "python -m some.module --with an-option --and another-one".repeat(2);
    let shown = text(&outcome, &[long.clone(), "true".to_owned()], "", Some(80));
    let sentences = shown.lines().filter(|line| line.ends_with('.'));
    assert!(sentences.clone().count() > 3);
    for line in sentences {
        assert!(crate::document::names::columns(line) <= 80, "{line}");
    }
    assert!(
        !shown.contains(&long) && shown.contains("python"),
        "{shown}"
    );
}
