//! Notes below the table of a sweep: the meaning of columns, why numbers are absent, and doubts.

use laptime_analysis::benchmark::inference::{Arrivals, Case, Figures, Load, Sweep};
use laptime_analysis::statistics::percentiles::Percentile;
use laptime_core::Unavailable;

use crate::document::names;
use crate::quantity;
use crate::sentences::benchmark;
use crate::sentences::inference_absences::no_answer;
use crate::sentences::inference_labels::{BUDGET, asked, label};

/// Writes the sentences, each once with all the cases that it is about.
pub fn notes(sweep: &Sweep) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let figures = || {
        let cases = sweep.cases.iter();
        cases.filter_map(|case| Some((case, case.found.as_ref().ok()?)))
    };
    let load = figures().find_map(|(_, one)| one.load.as_ref());
    notes.extend(load.map(|load| meaning(load).to_owned()));
    if figures().any(|(_, one)| one.transfers.is_some()) {
        notes.push(
            "p50, p90, p99 and samples/s are of the computation alone; in and out are transfers to the device \
             and back."
                .to_owned(),
        );
    }
    for device in sweep.devices() {
        if let Ok(knee) = sweep.knee(device)
            && let Some(other) = knee.or_else
        {
            notes.push(format!(
                "The knee may be batch {} as well as batch {}: the intervals of their throughput don't tell.",
                quantity::thousands(other),
                quantity::thousands(knee.batch),
            ));
        }
    }
    notes.extend(grouped(sweep));
    notes
}

/// Writes why numbers of a case are absent or doubtful, one sentence each.
pub fn doubts(case: &Case) -> Vec<String> {
    match &case.found {
        Ok(figures) => figure_doubts(figures),
        Err(why) => vec![format!("Not measured: {}.", names::visible(&why.0))],
    }
}

fn figure_doubts(figures: &Figures) -> Vec<String> {
    let latency = &figures.latency;
    let mut doubts: Vec<String> = why("p99", &latency.p99).into_iter().collect();
    doubts.extend(benchmark::doubts(&figures.outcome, BUDGET));
    if let Some(load) = &figures.load {
        let name = format!("p99 at {} requests/s", asked(load.rate_per_s));
        let absent = load.latency.p99.as_ref().err();
        doubts.extend(absent.map(|why| format!("{name} is absent: {why}.")));
        match load.kept_up() {
            Ok(true) => {}
            Ok(false) => doubts.push(format!(
                "At {} requests/s the queue grows as long as requests arrive: a longer test has longer latencies.",
                asked(load.rate_per_s)
            )),
            Err(why) => doubts.push(format!(
                "Whether {} requests/s are kept up with can't be told: {}. A larger budget= sends more requests.",
                asked(load.rate_per_s),
                no_answer(&why)
            )),
        }
        if load.is_at_least() {
            doubts.push(format!(
                "{} of {} requests still waited at the end: their latency is larger than what is counted.",
                quantity::thousands((load.arrived - load.served) as u64),
                quantity::thousands(load.arrived as u64),
            ));
        }
    }
    doubts
}

/// Writes why a percentile or its interval is absent.
fn why(name: &str, percentile: &Result<Percentile, Unavailable>) -> Option<String> {
    match percentile {
        Err(why) => Some(format!("{name} is absent: {why}.")),
        Ok(found) => {
            let why = found.interval_ns.as_ref().err()?;
            Some(format!("{name} has no interval: {why}."))
        }
    }
}

/// Writes the doubts of all cases; those that several cases share once.
fn grouped(sweep: &Sweep) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    // A device that wasn't measured at all is said in the first lines.
    let cases = sweep.cases.iter();
    for case in cases.filter(|case| sweep.is_measured(&case.device)) {
        for doubt in doubts(case) {
            let label = label(sweep, case);
            match found.iter_mut().find(|(known, _)| *known == doubt) {
                Some((_, labels)) => labels.push(label),
                None => found.push((doubt, vec![label])),
            }
        }
    }
    let each = found.into_iter();
    each.map(|(doubt, labels)| format!("{}: {doubt}", capitalized(&labels.join(", "))))
        .collect()
}

fn capitalized(text: &str) -> String {
    match text.strip_prefix("batch") {
        Some(rest) => format!("Batch{rest}"),
        None => text.to_owned(),
    }
}

/// Writes the meaning of the numbers of a load.
fn meaning(load: &Load) -> &'static str {
    match load.arrivals {
        Arrivals::Poisson => {
            "Under load, latency counts from the arrival of a request, the queue included; arrivals are \
             independent of each other (Poisson)."
        }
        Arrivals::Constant => {
            "Under load, latency counts from the arrival of a request, the queue included; arrivals are equally \
             far apart."
        }
    }
}
