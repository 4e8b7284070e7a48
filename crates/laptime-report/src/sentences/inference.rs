//! The answer of a sweep: the knee of every device, where one device overtakes another, and whether a rate is kept up with.

use laptime_analysis::benchmark::inference::{Case, Figures, Load, Sweep};

use crate::document::names;
use crate::quantity;
use crate::sentences::inference_absences::no_crossover;
use crate::sentences::inference_labels::{asked, per_second};

/// Writes the answer, a sentence a line.
pub fn headline(sweep: &Sweep) -> String {
    let devices = sweep.devices();
    let mut lines: Vec<String> = devices.iter().map(|one| device(sweep, one)).collect();
    lines.extend(crossovers(sweep, &devices));
    lines.extend(devices.iter().filter_map(|device| load(sweep, device)));
    lines.join("\n")
}

/// Writes the knee of a device, or its best figures.
fn device(sweep: &Sweep, device: &str) -> String {
    let shown = names::visible(device);
    let is_one = sweep.devices().len() == 1;
    let measured = |case: &&Case| case.device == device && case.found.is_ok();
    let measured: Vec<&Case> = sweep.cases.iter().filter(measured).collect();
    let Some(last) = measured.last() else {
        let why = sweep.cases.iter().find(|case| case.device == device);
        let why = why.and_then(|case| case.found.as_ref().err());
        let why = why.map_or_else(String::new, |why| format!(": {}", names::visible(&why.0)));
        return format!("{shown} was not measured{why}.");
    };
    let (begin, lower) = if is_one {
        (String::new(), "Batch")
    } else {
        (format!("On {shown}, "), "batch")
    };
    let knee = sweep.knee(device).ok().map(|knee| knee.batch);
    let case = knee.map_or(*last, |batch| sweep.case(device, batch).unwrap_or(last));
    let Ok(figures) = &case.found else {
        return String::new();
    };
    let batch = quantity::thousands(case.batch);
    let numbers = numbers(figures);
    match (knee, measured.len()) {
        (Some(_), _) => format!("{begin}{lower} {batch} is the knee: {numbers}."),
        (None, 1) => format!("{begin}{lower} {batch}: {numbers}."),
        (None, _) => {
            let throughput = if is_one { "Throughput" } else { "throughput" };
            format!("{begin}{throughput} still rises at batch {batch}, the largest: {numbers}.")
        }
    }
}

/// Writes the figures of a case, as `1,240 samples/s, p99 14.1 ms`.
fn numbers(figures: &Figures) -> String {
    let rate = per_second(figures.samples_per_s.per_s);
    let tokens = figures.tokens_per_s.as_ref();
    let tokens = tokens.map(|rate| format!(", {} tokens/s", per_second(rate.per_s)));
    let tokens = tokens.unwrap_or_default();
    let latency = &figures.latency;
    let percentiles = [("p99", &latency.p99), ("p50", &latency.p50)];
    let percentile = percentiles.into_iter().find_map(|(name, found)| {
        let ns = found.as_ref().ok()?.value_ns;
        Some(format!(", {name} {}", quantity::measured(ns).inline()))
    });
    format!("{rate} samples/s{tokens}{}", percentile.unwrap_or_default())
}

/// Writes a sentence for every other device against the first.
fn crossovers(sweep: &Sweep, devices: &[&str]) -> Vec<String> {
    let Some((base, others)) = devices.split_first() else {
        return Vec::new();
    };
    let others = others.iter().filter(|_| sweep.is_measured(base));
    let others = others.filter(|device| sweep.is_measured(device));
    others
        .map(|device| {
            let (one, other) = (names::visible(device), names::visible(base));
            match sweep.crossover(base, device) {
                Ok(found) if found.is_smallest => format!(
                    "{one} is faster than {other} at every batch size, transfers included."
                ),
                Ok(found) => format!(
                    "{one} is faster than {other} from batch {} on, transfers included.",
                    quantity::thousands(found.batch)
                ),
                Err(why) => format!(
                    "{one} has no batch size from which it is faster than {other}, transfers included: {}.",
                    no_crossover(&why)
                ),
            }
        })
        .collect()
}

/// Writes with which batch sizes a device keeps up with the rate.
fn load(sweep: &Sweep, device: &str) -> Option<String> {
    let loads: Vec<(u64, &Load)> = sweep
        .cases
        .iter()
        .filter(|case| case.device == device)
        .filter_map(|case| Some((case.batch, case.found.as_ref().ok()?.load.as_ref()?)))
        .collect();
    let rate = loads.first()?.1.rate_per_s;
    let with = |kept_up: Option<bool>| {
        let some = loads
            .iter()
            .filter(|(_, load)| load.kept_up().ok() == kept_up);
        let batches: Vec<String> = some.map(|(batch, _)| quantity::thousands(*batch)).collect();
        (!batches.is_empty()).then(|| batches.join(", "))
    };
    let on = match sweep.devices().len() {
        1 => String::new(),
        _ => format!(" on {}", names::visible(device)),
    };
    let rate = format!("{} requests/s", asked(rate));
    let known = match (with(Some(true)), with(Some(false))) {
        (Some(kept), Some(missed)) => {
            format!("{rate} are kept up with{on} at batch {kept}, not at {missed}.")
        }
        (Some(kept), None) => format!("{rate} are kept up with{on} at batch {kept}."),
        (None, Some(missed)) => format!("{rate} are not kept up with{on} at batch {missed}."),
        (None, None) => {
            let batch = with(None)?;
            return Some(format!(
                "Whether {rate} are kept up with{on} at batch {batch} can't be told."
            ));
        }
    };
    Some(match with(None) {
        Some(open) => format!("{known} At batch {open} that can't be told."),
        None => known,
    })
}
