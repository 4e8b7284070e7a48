//! What stands below the table: the load, what the columns are, why numbers are absent, and the doubts.

use laptime_analysis::inference::{Arrivals, Case, Figures, Load, Sweep};
use laptime_analysis::percentiles::Percentile;
use laptime_core::Unavailable;

use super::{BUDGET, asked, label};
use crate::{benchmark, name, quantity};

/// The sentences, each once with all the cases it is about.
pub fn notes(sweep: &Sweep) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let figures = || {
        let cases = sweep.cases.iter();
        cases.filter_map(|case| Some((case, case.found.as_ref().ok()?)))
    };
    notes.extend(figures().filter_map(|(case, one)| {
        let load = one.load.as_ref()?;
        Some(said(load, &label(sweep, case)))
    }));
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

/// Why numbers of a case are absent or doubtful, one sentence each.
pub fn doubts(case: &Case) -> Vec<String> {
    match &case.found {
        Ok(figures) => of_figures(figures),
        Err(why) => vec![format!("Not measured: {}.", name::visible(&why.0))],
    }
}

fn of_figures(figures: &Figures) -> Vec<String> {
    let latency = &figures.latency;
    let mut doubts: Vec<String> = why("p99", &latency.p99).into_iter().collect();
    doubts.extend(benchmark::doubts(&figures.outcome, BUDGET));
    doubts
}

/// Why a percentile or its interval is absent.
fn why(name: &str, percentile: &Result<Percentile, Unavailable>) -> Option<String> {
    match percentile {
        Err(why) => Some(format!("{name} is absent: {why}.")),
        Ok(found) => {
            let why = found.interval_ns.as_ref().err()?;
            Some(format!("{name} has no interval: {why}."))
        }
    }
}

/// Doubts that several cases share are said once.
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
    let said = found.into_iter();
    said.map(|(doubt, labels)| format!("{}: {doubt}", capitalized(&labels.join(", "))))
        .collect()
}

fn capitalized(text: &str) -> String {
    match text.strip_prefix("batch") {
        Some(rest) => format!("Batch{rest}"),
        None => text.to_owned(),
    }
}

/// What a load came to.
fn said(load: &Load, label: &str) -> String {
    let at_least = if load.is_at_least() { "at least " } else { "" };
    let latency = &load.latency;
    let told = [
        ("p50", &latency.p50),
        ("p90", &latency.p90),
        ("p99", &latency.p99),
    ];
    let told = told.map(|(name, found)| match found {
        Ok(one) => {
            let digits = quantity::measured(one.value_ns);
            format!("{name} {at_least}{}", digits.inline())
        }
        Err(_) => format!("{name} –"),
    });
    let arrivals = match load.arrivals {
        Arrivals::Poisson => "Poisson arrivals",
        Arrivals::Constant => "constant arrivals",
    };
    let requests = quantity::plural(load.arrived as u64, "request", "requests");
    let busy = format!("{}", (load.busy_ratio * 100.0).round());
    let kept = match (load.kept_up(), load.arrived - load.served) {
        (true, _) => "It kept up".to_owned(),
        (false, 0) => "It did not keep up: the queue grows".to_owned(),
        (false, left) => format!(
            "It did not keep up: {} still waited at the end",
            quantity::plural(left as u64, "request", "requests")
        ),
    };
    let missing = latency
        .p99
        .is_err()
        .then(|| why("p99", &latency.p99))
        .flatten();
    let missing = missing.map_or_else(String::new, |why| format!(" {why}"));
    format!(
        "{}, {} requests/s: from arrival {} ({requests}, {arrivals}). {kept}; a request takes {busy} % of the \
         time between two arrivals.{missing}",
        capitalized(label),
        asked(load.rate_per_s),
        told.join(", "),
    )
}
