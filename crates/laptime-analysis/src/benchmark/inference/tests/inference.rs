//! Cases, knees, crossovers and loads of made-up models.

use laptime_core::Unavailable;

use super::*;
use crate::benchmark::{Count, Doubt, Ending, Limits, MOST_SINGLE};
use crate::statistics::Random;
use crate::statistics::percentiles::Percentile;

const LIMITS: Limits = Limits {
    quantum_ns: 20.0,
    budget_ns: 2e9,
    precision_ratio: 0.01,
    count: Count::Budget,
};

fn call(compute_ns: f64) -> Call {
    Call {
        compute_ns,
        transfers_ns: None,
        cpu_ns: compute_ns,
        tokens: None,
    }
}

/// Runs a case to its end.
fn figures(batch: u64, mut cost: impl FnMut(usize) -> Call) -> Figures {
    let mut plan = CasePlan::new(LIMITS);
    let mut calls = 0;
    while plan.goes_on() {
        plan.add_call(cost(calls));
        calls += 1;
    }
    plan.figures(batch).unwrap()
}

fn case(device: &str, batch: u64, cost_ns: f64, transfer_ns: Option<f64>) -> Case {
    let mut random = Random::new(batch);
    let found = figures(batch, |_| Call {
        transfers_ns: transfer_ns.map(|ns| (ns, ns / 2.0)),
        ..call(cost_ns * (0.02 * random.normal()).exp())
    });
    Case {
        device: device.to_owned(),
        batch,
        found: Ok(found),
    }
}

fn rate(per_s: f64, width: f64) -> Rate {
    Rate {
        per_s,
        interval: Ok((per_s * (1.0 - width), per_s * (1.0 + width))),
    }
}

#[test]
fn the_first_call_and_warm_up_are_no_part_of_the_latency() {
    let mut random = Random::new(1);
    let found = figures(8, |number| {
        let level = match number {
            0 => 50e6,
            1..4 => 3e6,
            _ => 1e6,
        };
        call(level * (0.01 * random.normal()).exp())
    });
    assert!(found.first_ratio().unwrap() > 40.0);
    assert_eq!(found.warmup, 4);
    assert_eq!(found.outcome.iterations, 1);
    let p99 = found.latency.p99.as_ref().unwrap();
    assert!(p99.value_ns < 1.1e6 && p99.interval_ns.is_ok());
    assert!(found.latency.max_ns.unwrap() < 1.1e6);
    let (low, high) = found.samples_per_s.interval.clone().unwrap();
    assert!(low < found.samples_per_s.per_s && found.samples_per_s.per_s < high);
    assert!((found.samples_per_s.per_s / 8_000.0 - 1.0).abs() < 0.01);
    assert_eq!((found.transfers, found.tokens_per_s), (None, None));
    assert!(found.latency.count >= LEAST_CALLS);
}

#[test]
fn short_calls_are_single_ones_and_not_endless() {
    let mut random = Random::new(2);
    let found = figures(1, |_| call(900.0 * (0.3 * random.normal()).exp()));
    assert_eq!(found.outcome.ending, Some(Ending::Count));
    assert!(found.latency.count <= MOST_SINGLE && found.outcome.iterations == 1);
}

#[test]
fn long_calls_end_with_the_budget_and_have_no_99th_percentile() {
    let found = figures(1, |_| call(0.1e9));
    assert_eq!(found.outcome.ending, Some(Ending::Budget));
    assert!(found.latency.p99.unwrap_err().0.contains("100 are needed"));
    let found = figures(4, |_| call(3e9));
    assert_eq!(found.latency.count, 1);
    assert!(found.samples_per_s.interval.is_err());
}

#[test]
fn transfers_stand_beside_the_computation_and_a_device_that_computes_is_no_wait() {
    let found = figures(2, |_| Call {
        transfers_ns: Some((3e6, 1e6)),
        cpu_ns: 0.0,
        ..call(2e6)
    });
    let transfers = found.transfers.as_ref().unwrap();
    let p50 = |of: &crate::statistics::percentiles::Percentiles| of.p50.as_ref().unwrap().value_ns;
    assert_eq!((p50(&transfers.into), p50(&transfers.out)), (3e6, 1e6));
    assert_eq!((p50(&found.latency), p50(found.total())), (2e6, 6e6));
    let waited = |doubt: &Doubt| matches!(doubt, Doubt::Waited(_));
    assert!(!found.outcome.doubts.iter().any(waited));
    let host = figures(2, |_| Call {
        cpu_ns: 0.0,
        ..call(2e6)
    });
    assert!(host.outcome.doubts.iter().any(waited));
}

#[test]
fn tokens_have_a_rate_where_every_call_tells_them() {
    let told = |tokens| {
        figures(2, move |_| Call {
            tokens,
            ..call(2e6)
        })
        .tokens_per_s
    };
    assert_eq!(told(Some(50)).map(|rate| rate.per_s), Some(25_000.0));
    assert_eq!(told(None), None);
    assert_eq!(told(Some(0)), None);
}

#[test]
fn the_knee_is_the_smallest_batch_with_nearly_the_best_throughput() {
    let rates = [100.0, 190.0, 350.0, 372.0, 360.0].map(|per_s| rate(per_s, 0.01));
    let sized: Vec<(u64, &Rate)> = [1, 2, 4, 8, 16].into_iter().zip(&rates).collect();
    let expected = Knee {
        batch: 4,
        or_else: None,
    };
    assert_eq!(knee(&sized), Ok(expected));
    assert_eq!(knee(&sized[..3]), Err(NoKnee::StillRises { largest: 4 }));
    assert!(knee(&sized[..1]).is_err() && knee(&[]).is_err());
}

#[test]
fn intervals_that_reach_the_bound_make_the_knee_doubtful() {
    let narrow = [rate(100.0, 0.01), rate(85.0, 0.1), rate(100.0, 0.01)];
    let rates = [rate(85.0, 0.10), narrow[0].clone(), narrow[2].clone()];
    let sized: Vec<(u64, &Rate)> = [1, 2, 4].into_iter().zip(&rates).collect();
    assert_eq!(knee(&sized).unwrap().or_else, Some(1));
    let rates = [rate(91.0, 0.10), rate(100.0, 0.01), rate(99.0, 0.01)];
    let sized: Vec<(u64, &Rate)> = [1, 2, 4].into_iter().zip(&rates).collect();
    let found = knee(&sized).unwrap();
    assert_eq!((found.batch, found.or_else), (1, Some(2)));
}

#[test]
fn the_crossover_counts_transfers_and_needs_every_larger_batch() {
    let sweep = |device: [f64; 3], transfer_ns| {
        let mut cases = Vec::new();
        for (batch, device_ns) in [1, 8, 64].into_iter().zip(device) {
            cases.push(case("cpu", batch, 1e6 * batch as f64, None));
            cases.push(case("cuda", batch, device_ns, Some(transfer_ns)));
        }
        let name = "model".to_owned();
        Sweep { name, cases }
    };
    let batch =
        |found: Result<Crossover, NoCrossover>| found.map(|one| (one.batch, one.is_smallest));
    let found = sweep([2e6, 2e6, 2e6], 1e6);
    assert_eq!(found.devices(), ["cpu", "cuda"]);
    assert_eq!(batch(found.crossover("cpu", "cuda")), Ok((8, false)));
    let found = sweep([0.1e6, 2e6, 2e6], 0.1e6);
    assert_eq!(batch(found.crossover("cpu", "cuda")), Ok((1, true)));
    // Transfers alone take as long as the processor does.
    let found = sweep([0.1e6, 0.1e6, 0.1e6], 60e6);
    let why = found.crossover("cpu", "cuda").unwrap_err();
    assert_eq!(why, NoCrossover::NotFaster { largest: 64 });
    let known = |value_ns: f64, low, high| Percentile {
        value_ns,
        interval_ns: Ok((low, high)),
    };
    let meet = [(1, known(1.0, 0.8, 1.3), known(0.9, 0.7, 0.85))];
    assert_eq!(crossover(&meet), Err(NoCrossover::Unclear { largest: 1 }));
}

#[test]
fn a_device_that_is_not_there_has_its_reason_for_everything() {
    let mut sweep = Sweep {
        name: "model".to_owned(),
        cases: vec![case("cpu", 1, 1e6, None), case("cpu", 2, 1e6, None)],
    };
    let why = Unavailable("no NVIDIA driver".to_owned());
    sweep.cases.push(Case {
        device: "cuda".to_owned(),
        batch: 1,
        found: Err(why.clone()),
    });
    assert_eq!(sweep.knee("cuda"), Err(NoKnee::NotMeasured(why.clone())));
    assert_eq!(
        sweep.crossover("cpu", "cuda"),
        Err(NoCrossover::NotMeasured(why))
    );
    assert!(sweep.knee("cpu").is_err());
}

#[test]
fn time_in_the_queue_counts() {
    // 100 requests a second, each of which takes 5 ms; the 20th takes 300 ms.
    let schedule = schedule(100.0, 2e9, Arrivals::Constant, 0);
    assert_eq!(schedule.len(), 200);
    let mut free_ns = 0.0;
    let served = |at_ns: &f64, number: usize| {
        let begun_ns = f64::max(*at_ns, free_ns);
        free_ns = begun_ns + if number == 20 { 300e6 } else { 5e6 };
        Request {
            begun_ns,
            done_ns: free_ns,
        }
    };
    let mut served = served;
    let requests: Vec<Request> = schedule
        .iter()
        .zip(0..)
        .map(|(at, n)| served(at, n))
        .collect();
    let load = Load::new((100.0, Arrivals::Constant), &schedule, &requests, 3e9).unwrap();
    let p90 = |of: &crate::statistics::percentiles::Percentiles| of.p90.as_ref().unwrap().value_ns;
    // The calls themselves never show it: one in 200 took long.
    assert!((p90(&load.service) - 5e6).abs() < 1.0);
    assert!(p90(&load.latency) > 150e6);
    assert!(load.kept_up() == Ok(true) && !load.is_at_least());
}

#[test]
fn a_rate_that_is_too_high_is_not_kept_up_with_and_who_waits_counts() {
    let schedule = schedule(100.0, 2e9, Arrivals::Constant, 0);
    let requests: Vec<Request> = (0..100)
        .map(|number| Request {
            begun_ns: 20e6 * f64::from(number),
            done_ns: 20e6 * f64::from(number + 1),
        })
        .collect();
    let load = Load::new((100.0, Arrivals::Constant), &schedule, &requests, 2e9).unwrap();
    assert_eq!((load.arrived, load.served), (200, 100));
    assert!((load.busy_ratio - 2.0).abs() < 1e-9);
    assert!(load.kept_up() == Ok(false) && load.is_at_least());
    assert_eq!(load.latency.count, 200);
    // Those that are served wait for up to 1 s, and so did the others when it ended.
    let p50_ns = load.latency.p50.as_ref().unwrap().value_ns;
    assert!((p50_ns / 0.51e9 - 1.0).abs() < 0.02, "{p50_ns}");
    let few = Load::new((100.0, Arrivals::Constant), &schedule, &requests[..3], 2e9).unwrap();
    assert!(few.busy_interval.is_err() && few.kept_up() == Ok(false));
    let none = Load::new((100.0, Arrivals::Constant), &[], &[], 1.0);
    assert!(none.is_err());
}

#[test]
fn a_rate_at_the_limit_and_one_of_few_requests_can_not_be_told() {
    // Requests arrive every 10 ms, and take that on average, a percent more or less.
    let loaded = |count: usize, service_ns: f64| {
        let schedule = schedule(100.0, 10e6 * count as f64, Arrivals::Constant, 0);
        let mut free_ns = 0.0;
        let served = schedule.iter().zip(0..).map(|(at_ns, number)| {
            let begun_ns = f64::max(*at_ns, free_ns);
            let off = 1.0 + 0.01 * (f64::from(number * 7_919 % 101) / 50.0 - 1.0);
            free_ns = begun_ns + service_ns * off;
            Request {
                begun_ns,
                done_ns: free_ns,
            }
        });
        let served: Vec<Request> = served.collect();
        Load::new((100.0, Arrivals::Constant), &schedule, &served, 1e12).unwrap()
    };
    let at_the_limit = loaded(200, 10e6);
    assert!((at_the_limit.busy_ratio - 1.0).abs() < 1e-3);
    let why = at_the_limit.kept_up().unwrap_err();
    assert!(matches!(why, NoAnswer::AtTheLimit { low, high } if low < 1.0 && high > 1.0));
    assert_eq!(loaded(200, 9.8e6).kept_up(), Ok(true));
    assert_eq!(loaded(200, 10.2e6).kept_up(), Ok(false));
    let NoAnswer::TooFew(few) = loaded(1, 1e6).kept_up().unwrap_err() else {
        panic!("it is told")
    };
    assert_eq!(few.to_string(), "1 request is too few; 30 are needed");
    assert!(loaded(29, 1e6).kept_up().is_err());
    assert_eq!(loaded(30, 1e6).kept_up(), Ok(true));
}

#[test]
fn poisson_arrivals_come_at_their_rate_and_as_irregularly_as_they_should() {
    let at = schedule(1_000.0, 20e9, Arrivals::Poisson, 7);
    assert!((19_500..20_500).contains(&at.len()), "{}", at.len());
    assert_eq!(at, schedule(1_000.0, 20e9, Arrivals::Poisson, 7));
    let gaps: Vec<f64> = at.windows(2).map(|two| two[1] - two[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let square = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    // Exponential gaps deviate by their mean.
    assert!((square.sqrt() / mean - 1.0).abs() < 0.05);
}

#[test]
fn every_number_has_a_name_and_what_is_absent_a_reason() {
    let mut one = case("cpu", 4, 1e6, None);
    let fields = one.fields();
    let of = |name| {
        fields
            .iter()
            .find(|field| field.0 == name)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(of("total_p50_ns"), of("p50_ns"));
    let number = |name| match of(name) {
        Ok(Value::Number(number)) => number,
        other => panic!("{name}: {other:?}"),
    };
    let ascending = ["p50_ns", "p90_ns", "p99_ns", "max_ns", "first_ns"].map(number);
    assert!(ascending[..4].is_sorted_by(|one, other| one < other));
    let first_ratio = ascending[4] / ascending[0];
    assert!((number("first_ratio") / first_ratio - 1.0).abs() < 1e-12);
    assert!(matches!(of("p99_ci"), Ok(Value::Interval(low, high)) if low < high));
    assert!(matches!(of("max_ns"), Ok(Value::Number(_))));
    assert!(
        of("transfer_in_ns")
            .unwrap_err()
            .0
            .contains("on the device already")
    );
    assert!(of("tokens_per_s").unwrap_err().0.contains("tokens="));
    one.found = Err(Unavailable("no NVIDIA driver".to_owned()));
    assert!(
        one.fields()
            .iter()
            .all(|field| field.1 == Err(Unavailable("no NVIDIA driver".to_owned())))
    );
}
