//! All numbers of a sweep as JSON, each absent one with its reason.

use laptime_analysis::benchmark::inference::{Arrivals, Case, Field, Load, Sweep, Value};
use laptime_core::Unavailable;
use serde_json::{Map, json};

use crate::Shown;
use crate::sentences::inference::headline;
use crate::sentences::inference_notes::doubts;

/// Version of the layout.
const VERSION: u32 = 1;

/// The whole sweep.
pub fn json(sweep: &Sweep) -> Shown {
    let devices = sweep.devices();
    let knees = devices.iter().map(|device| {
        let found = sweep.knee(device);
        json!({
            "device": device,
            "batch": found.as_ref().ok().map(|knee| knee.batch),
            "or_else": found.as_ref().ok().and_then(|knee| knee.or_else),
            "unavailable": found.as_ref().err().map(ToString::to_string),
        })
    });
    let crossovers = devices.iter().skip(1).map(|device| {
        let found = sweep.crossover(devices[0], device);
        json!({
            "base": devices[0],
            "device": device,
            "batch": found.as_ref().ok().map(|one| one.batch),
            "is_smallest": found.as_ref().ok().map(|one| one.is_smallest),
            "unavailable": found.as_ref().err().map(ToString::to_string),
        })
    });
    let whole = json!({
        "schema": "laptime-inference",
        "version": VERSION,
        "name": sweep.name,
        "headline": headline(sweep),
        "knees": knees.collect::<Vec<_>>(),
        "crossovers": crossovers.collect::<Vec<_>>(),
        "cases": sweep.cases.iter().map(of_case).collect::<Vec<_>>(),
    });
    Shown::json(serde_json::to_string_pretty(&whole).unwrap_or_default())
}

fn of_case(case: &Case) -> serde_json::Value {
    let figures = case.found.as_ref().ok();
    let mut told = Map::new();
    told.insert("device".to_owned(), json!(case.device));
    told.insert("batch".to_owned(), json!(case.batch));
    put(&mut told, case.fields());
    let number = |number: Option<usize>| json!(number);
    told.insert(
        "calls".to_owned(),
        number(figures.map(|one| one.latency.count)),
    );
    told.insert("warmup".to_owned(), number(figures.map(|one| one.warmup)));
    told.insert("warnings".to_owned(), json!(doubts(case)));
    let load = figures.and_then(|one| one.load.as_ref());
    told.insert("load".to_owned(), json!(load.map(of_load)));
    told.insert(
        "samples_ns".to_owned(),
        json!(figures.map(|one| &one.calls_ns)),
    );
    told.into()
}

fn of_load(load: &Load) -> serde_json::Value {
    let mut told = Map::new();
    put(&mut told, load.fields());
    let arrivals = match load.arrivals {
        Arrivals::Poisson => "poisson",
        Arrivals::Constant => "constant",
    };
    told.insert("arrivals".to_owned(), json!(arrivals));
    told.insert("arrived".to_owned(), json!(load.arrived));
    told.insert("served".to_owned(), json!(load.served));
    let kept_up = load.kept_up();
    told.insert("kept_up".to_owned(), json!(kept_up.as_ref().ok()));
    if let (Err(why), Some(reasons)) = (kept_up, told.get_mut("unavailable")) {
        reasons["kept_up"] = json!(why.0);
    }
    told.into()
}

/// Numbers by their names, and why others are absent.
fn put(told: &mut Map<String, serde_json::Value>, fields: Vec<Field>) {
    let mut reasons = Map::new();
    for (name, value) in fields {
        let value = match value {
            Ok(Value::Number(number)) => json!(number),
            Ok(Value::Interval(low, high)) => json!([low, high]),
            Err(Unavailable(why)) => {
                reasons.insert(name.to_owned(), json!(why));
                serde_json::Value::Null
            }
        };
        told.insert(name.to_owned(), value);
    }
    told.insert("unavailable".to_owned(), reasons.into());
}
