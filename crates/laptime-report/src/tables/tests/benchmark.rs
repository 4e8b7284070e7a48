use laptime_analysis::benchmark::{Count, Limits, Next, Plan};

use super::*;
use crate::sentences::benchmark::doubts;

fn measured(cost_ns: f64, noise: f64, cpu: f64) -> Outcome {
    let mut plan = Plan::new(Limits {
        quantum_ns: 20.0,
        budget_ns: 2e9,
        precision_ratio: 0.01,
        count: Count::Budget,
    });
    let mut run = 0;
    while let Next::WarmUp(iterations) | Next::Sample(iterations) = plan.next() {
        run += 1;
        let off = 1.0 + noise * (f64::from(run * 7_919 % 101) / 50.0 - 1.0);
        let took = cost_ns * off * iterations as f64;
        plan.add_run(took, took * cpu);
    }
    plan.outcome().unwrap()
}

#[test]
fn a_table_has_the_spread_of_each() {
    let mut several = measured(12_340.0, 0.01, 1.0);
    several.samples_ns = vec![1e6, 2e6, 3e6];
    (several.iterations, several.warmup) = (1, 2);
    let mut single = several.clone();
    single.samples_ns = vec![1e6];
    single.warmup = 0;
    insta::assert_snapshot!(table(&[("a", &several, 1e6), ("longer", &single, 2e6)]), @"
                     mean ± σ       min to max  CPU time       runs
    ───────────────────────────────────────────────────────────────
    a       2.00 ms ± 1.00 ms  1.00 to 3.00 ms   1.00 ms  3 after 2
    longer            1.00 ms                –   2.00 ms          1
    ");
}

#[test]
fn markdown_has_a_row_for_each_and_notes() {
    let outcome = measured(3e9, 0.0, 1.0);
    let notes = doubts(&outcome, "--budget {}");
    insta::assert_snapshot!(markdown(&[("a|b", &outcome, 3e9)], notes), @r"
    |  | median | 95 % | mean ± σ | min to max | CPU time | runs |
    | :--- | ---: | ---: | ---: | ---: | ---: | ---: |
    | a\|b | 3.00 s | – | 3.00 s | – | 3.00 s | 1 run without warm-up |

    The budget of 2 s is used up: 1 value is too few to tell how exact their median is; 6 are needed. --budget 22 measures longer.

    Warm-up may be part of it: 1 run is too few to tell warm-up from steady state; 12 are needed.
    ");
}
