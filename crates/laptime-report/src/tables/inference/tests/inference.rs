//! Latencies of made-up models, as they are shown.

use laptime_analysis::benchmark::inference::{
    Arrivals, Call, Case, CasePlan, Load, Request, Sweep, schedule,
};
use laptime_analysis::benchmark::{Count, Limits};
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
        plan.add_call(Call {
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
    insta::assert_snapshot!(text(&found, None), @r#"
    Batch 16 is the knee: 4,000 samples/s, p99 4.08 ms.

    batch      p50          95 %      p90      p99          95 %  samples/s  first call          calls
    ──────────────────────────────────────────────────────────────────────────────────────────────────
    1      1.00 ms  1.00 to 1.00  1.02 ms  1.02 ms  1.02 to 1.02      1,000     20.0 ms  1,000 after 1
    16     4.00 ms  3.99 to 4.01  4.06 ms  4.08 ms  4.08 to 4.08      4,000     80.0 ms    500 after 1
    64     16.0 ms  15.9 to 16.1  16.3 ms  16.3 ms             –      4,001      320 ms    126 after 1

    Batch 64: p99 has no interval: 126 calls are too few to tell how exact the 99th percentile is; 368
    are needed.
    "#);
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
    insta::assert_snapshot!(text(&found, Some(140)), @r#"
    On cpu, throughput still rises at batch 64, the largest: 1,281 samples/s, p50 50.0 ms.
    On cuda, throughput still rises at batch 64, the largest: 64,000 samples/s, p99 1.02 ms.
    xpu was not measured: no xpu device.
    cuda is faster than cpu from batch 64 on, transfers included.

    device, batch      p50          95 %      p90      p99          95 %  samples/s       in     out  p50 with both  first call          calls
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    cpu 1          1.00 ms  1.00 to 1.00  1.02 ms  1.02 ms  1.02 to 1.02      1,000        –       –        1.00 ms     20.0 ms  1,000 after 1
    cpu 64         50.0 ms  49.7 to 50.3  50.8 ms        –             –      1,281        –       –        50.0 ms      1.00 s     40 after 1
    cuda 1          500 µs    499 to 501   508 µs   510 µs    510 to 510      2,000  1.00 ms  500 µs        2.00 ms     11.5 ms  1,000 after 1
    cuda 64        1.00 ms  1.00 to 1.00  1.02 ms  1.02 ms  1.02 to 1.02     64,000  1.00 ms  500 µs        2.50 ms     21.5 ms    800 after 1

    p50, p90, p99 and samples/s are of the computation alone; in and out are transfers to the device and back.
    cpu batch 64: p99 is absent: 40 calls are too few to tell the 99th percentile; 100 are needed.
    "#);
}

#[test]
fn a_rate_that_is_kept_up_with_and_one_that_is_not() {
    let found = sweep(vec![
        loaded(case("cpu", 1, 1e6, None), 200.0, 1e6),
        loaded(case("cpu", 64, 16e6, None), 200.0, 16e6),
    ]);
    insta::assert_snapshot!(text(&found, None), @r#"
    Throughput still rises at batch 64, the largest: 4,001 samples/s, p99 16.3 ms.
    200 requests/s are kept up with at batch 1, not at 64.

    batch      p50          95 %      p90      p99          95 %  samples/s  first call          calls
    ──────────────────────────────────────────────────────────────────────────────────────────────────
    1      1.00 ms  1.00 to 1.00  1.02 ms  1.02 ms  1.02 to 1.02      1,000     20.0 ms  1,000 after 1
    64     16.0 ms  15.9 to 16.1  16.3 ms  16.3 ms             –      4,001      320 ms    126 after 1

    batch, 200 requests/s       p50       p90       p99       requests   busy  kept up
    ──────────────────────────────────────────────────────────────────────────────────
    1                       1.00 ms   1.00 ms   1.00 ms            400   20 %      yes
    64                     ≥ 1.38 s  ≥ 1.93 s  ≥ 2.05 s  400, 213 left  320 %       no

    Under load, latency counts from the arrival of a request, the queue included; arrivals are equally
    far apart.
    Batch 64: p99 has no interval: 126 calls are too few to tell how exact the 99th percentile is; 368
    are needed.
    Batch 64: At 200 requests/s the queue grows as long as requests arrive: a longer test has longer
    latencies.
    Batch 64: 213 of 400 requests still waited at the end: their latency is larger than what is counted.
    "#);
}

#[test]
fn a_narrow_terminal_has_fewer_columns_and_says_which() {
    let found = sweep(vec![
        loaded(case("cpu", 1, 1e6, None), 200.0, 4.99e6),
        case("cpu", 16, 4e6, None),
    ]);
    let narrow = text(&found, Some(80));
    let mut lines = narrow.lines().filter(|line| line.contains('─'));
    assert!(lines.all(|line| line.chars().count() <= 80), "{narrow}");
    insta::assert_snapshot!(narrow, @r#"
    Throughput still rises at batch 16, the largest: 4,000 samples/s, p99 4.08 ms.
    200 requests/s are kept up with at batch 1.

    batch      p50          95 %      p99  samples/s  first call          calls
    ───────────────────────────────────────────────────────────────────────────
    1      1.00 ms  1.00 to 1.00  1.02 ms      1,000     20.0 ms  1,000 after 1
    16     4.00 ms  3.99 to 4.01  4.08 ms      4,000     80.0 ms    500 after 1
    left out to fit the width: p90, 95 % of p99

    batch, 200 requests/s      p50      p90      p99  requests    busy  kept up
    ───────────────────────────────────────────────────────────────────────────
    1                      4.99 ms  4.99 ms  4.99 ms       400  99.8 %      yes

    Under load, latency counts from the arrival of a request, the queue included;
    arrivals are equally far apart.
    "#);
    assert_eq!(text(&found, Some(100)), text(&found, None));
}

#[test]
fn a_rate_near_the_limit_has_a_decimal_and_one_of_few_requests_no_verdict() {
    let found = sweep(vec![loaded(case("cpu", 1, 1e6, None), 10.0, 99.9e6)]);
    insta::assert_snapshot!(text(&found, None), @r#"
    Batch 1: 1,000 samples/s, p99 1.02 ms.
    Whether 10 requests/s are kept up with at batch 1 can't be told.

    batch      p50          95 %      p90      p99          95 %  samples/s  first call          calls
    ──────────────────────────────────────────────────────────────────────────────────────────────────
    1      1.00 ms  1.00 to 1.00  1.02 ms  1.02 ms  1.02 to 1.02      1,000     20.0 ms  1,000 after 1

    batch, 10 requests/s      p50      p90  p99  requests    busy     kept up
    ─────────────────────────────────────────────────────────────────────────
    1                     99.9 ms  99.9 ms    –        20  99.9 %  can't tell

    Under load, latency counts from the arrival of a request, the queue included; arrivals are equally
    far apart.
    Batch 1: p99 at 10 requests/s is absent: 20 requests are too few to tell the 99th percentile; 100
    are needed.
    Batch 1: Whether 10 requests/s are kept up with can't be told: 20 requests are too few; 30 are
    needed. A larger budget= sends more requests.
    "#);
    let told: serde_json::Value = serde_json::from_str(&json(&found)).unwrap();
    assert!(told["cases"][0]["load"]["kept_up"].is_null());
    assert!(told["cases"][0]["load"]["unavailable"]["kept_up"].is_string());
}

#[test]
fn where_no_device_was_measured_there_is_no_table() {
    let found = sweep(vec![Case {
        device: "cuda".to_owned(),
        batch: 1,
        found: Err(Unavailable("no NVIDIA driver".to_owned())),
    }]);
    assert_eq!(
        text(&found, None).into_string(),
        "cuda was not measured: no NVIDIA driver."
    );
    assert!(!fragment(&found).contains("<table>"));
}

#[test]
fn too_few_calls_have_no_99th_percentile_and_say_so() {
    let found = sweep(vec![case("cpu", 8, 0.3e9, None)]);
    insta::assert_snapshot!(text(&found, None), @r#"
    Batch 8: 26.7 samples/s, p50 299 ms.

    batch     p50        95 %  p90  p99  95 %  samples/s  first call      calls
    ───────────────────────────────────────────────────────────────────────────
    8      299 ms  294 to 304    –    –     –       26.7      6.00 s  7 after 1

    Batch 8: p99 is absent: 7 calls are too few to tell the 99th percentile; 100 are needed.
    Batch 8: The budget of 2 s is used up: the median is known to ±1.6 %. lt.bench_inference(…,
    budget=10) measures longer.
    Batch 8: Warm-up may be part of it: 7 runs are too few to tell warm-up from steady state; 12 are
    needed.
    "#);
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

#[test]
fn what_is_said_of_several_cases_is_said_once() {
    let found = sweep(vec![
        case("cpu", 1, 50e6, None),
        case("cpu", 2, 50e6, None),
        case("cpu", 4, 1e6, None),
    ]);
    let said = text(&found, None);
    let absent: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("p99 is absent"))
        .collect();
    assert_eq!(
        absent,
        [
            "Batch 1, batch 2: p99 is absent: 40 calls are too few to tell the 99th percentile; 100 are needed."
        ]
    );
}
