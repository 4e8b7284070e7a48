//! Latencies of made-up models, as they are shown.

use laptime_analysis::benchmark::{Count, Limits};
use laptime_analysis::inference::{Arrivals, Call, Case, CasePlan, Load, Request, Sweep, schedule};
use laptime_core::Unavailable;

use super::*;

fn case(device: &str, batch: u64, cost_ns: f64, transfers_ns: Option<(f64, f64)>) -> Case {
    let mut plan = CasePlan::new(Limits {
        quantum_ns: 20.0,
        budget_ns: 2e9,
        precision_ratio: 0.01,
        count: Count::Budget,
    });
    let mut call = 0;
    while plan.goes_on() {
        let off = 1.0 + 0.02 * (f64::from(call * 7_919 % 101) / 50.0 - 1.0);
        let level = if call == 0 { 20.0 } else { off };
        plan.told(Call {
            compute_ns: cost_ns * level,
            transfers_ns,
            cpu_ns: cost_ns * level,
            tokens: None,
        });
        call += 1;
    }
    Case {
        device: device.to_owned(),
        batch,
        found: Ok(plan.figures(batch).unwrap()),
    }
}

fn sweep(cases: Vec<Case>) -> Sweep {
    Sweep {
        name: "Net".to_owned(),
        cases,
    }
}

fn loaded(mut case: Case, rate_per_s: f64, service_ns: f64) -> Case {
    let at = schedule(rate_per_s, 2e9, Arrivals::Constant, 0);
    let mut free_ns = 0.0;
    let served = at.iter().map(|at_ns| {
        let begun_ns = f64::max(*at_ns, free_ns);
        free_ns = begun_ns + service_ns;
        Request {
            begun_ns,
            done_ns: free_ns,
        }
    });
    let served: Vec<Request> = served.take_while(|one| one.done_ns < 3e9).collect();
    let load = Load::new((rate_per_s, Arrivals::Constant), &at, &served, 3e9).unwrap();
    case.found.as_mut().unwrap().load = Some(load);
    case
}

#[test]
fn the_first_line_is_the_knee() {
    let found = sweep(vec![
        case("cpu", 1, 1e6, None),
        case("cpu", 16, 4e6, None),
        case("cpu", 64, 16e6, None),
    ]);
    insta::assert_snapshot!(text(&found), @"");
    assert!(markdown(&found).contains("| 16 |"));
    assert!(fragment(&found).starts_with("<p>Batch 16 is the knee"));
}

#[test]
fn devices_have_a_knee_each_transfers_and_a_crossover() {
    let transfers = Some((1e6, 0.5e6));
    let found = sweep(vec![
        case("cpu", 1, 1e6, None),
        case("cpu", 64, 50e6, None),
        case("cuda", 1, 0.5e6, transfers),
        case("cuda", 64, 1e6, transfers),
        Case {
            device: "xpu".to_owned(),
            batch: 1,
            found: Err(Unavailable("no xpu device".to_owned())),
        },
    ]);
    insta::assert_snapshot!(text(&found), @"");
}

#[test]
fn a_rate_that_is_kept_up_with_and_one_that_is_not() {
    let found = sweep(vec![
        loaded(case("cpu", 1, 1e6, None), 200.0, 1e6),
        loaded(case("cpu", 64, 16e6, None), 200.0, 16e6),
    ]);
    insta::assert_snapshot!(text(&found), @"");
}

#[test]
fn too_few_calls_have_no_99th_percentile_and_say_so() {
    let found = sweep(vec![case("cpu", 8, 0.3e9, None)]);
    insta::assert_snapshot!(text(&found), @"");
}

#[test]
fn json_has_every_number_and_every_reason() {
    let found = sweep(vec![
        loaded(case("cpu", 1, 50e6, None), 50.0, 1e6),
        Case {
            device: "cuda".to_owned(),
            batch: 1,
            found: Err(Unavailable("no NVIDIA driver".to_owned())),
        },
    ]);
    let told: serde_json::Value = serde_json::from_str(&json(&found)).unwrap();
    let [cpu, cuda] = [&told["cases"][0], &told["cases"][1]];
    assert!(cpu["p50_ns"].is_number() && cpu["p99_ns"].is_null());
    assert!(
        cpu["unavailable"]["p99_ns"]
            .as_str()
            .unwrap()
            .contains("100 are needed")
    );
    assert_eq!(cpu["load"]["kept_up"], true);
    assert_eq!(cuda["unavailable"]["p50_ns"], "no NVIDIA driver");
    assert_eq!(told["crossovers"][0]["unavailable"], "no NVIDIA driver");
    assert!(cpu["samples_ns"].as_array().unwrap().len() > 5);
}
