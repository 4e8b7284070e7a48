//! All numbers of a sweep as JSON, each absent one with its reason.

use laptime_analysis::benchmark::inference::{Arrivals, Case, Field, Load, Sweep, Value};
use laptime_core::Unavailable;
use serde_json::{Map, json};

use crate::Shown;
use crate::sentences::inference::headline;
use crate::sentences::inference_absences::{no_answer, no_crossover, no_knee};
use crate::sentences::inference_notes::doubts;

/// Version of the layout.
const VERSION: u32 = 1;

/// Renders the whole sweep.
pub fn json(sweep: &Sweep) -> Shown {
    let devices = sweep.devices();
    let knees = devices.iter().map(|device| {
        let found = sweep.knee(device);
        json!({
            "device": device,
            "batch": found.as_ref().ok().map(|knee| knee.batch),
            "or_else": found.as_ref().ok().and_then(|knee| knee.or_else),
            "unavailable": found.as_ref().err().map(no_knee),
        })
    });
    let crossovers = devices.iter().skip(1).map(|device| {
        let found = sweep.crossover(devices[0], device);
        json!({
            "base": devices[0],
            "device": device,
            "batch": found.as_ref().ok().map(|one| one.batch),
            "is_smallest": found.as_ref().ok().map(|one| one.is_smallest),
            "unavailable": found.as_ref().err().map(no_crossover),
        })
    });
    let whole = json!({
        "schema": "laptime-inference",
        "version": VERSION,
        "name": sweep.name,
        "headline": headline(sweep),
        "knees": knees.collect::<Vec<_>>(),
        "crossovers": crossovers.collect::<Vec<_>>(),
        "cases": sweep.cases.iter().map(case_json).collect::<Vec<_>>(),
    });
    Shown::json(serde_json::to_string_pretty(&whole).unwrap_or_default())
}

fn case_json(case: &Case) -> serde_json::Value {
    let figures = case.found.as_ref().ok();
    let mut members = Map::new();
    members.insert("device".to_owned(), json!(case.device));
    members.insert("batch".to_owned(), json!(case.batch));
    put(&mut members, case.fields());
    let number = |number: Option<usize>| json!(number);
    members.insert(
        "calls".to_owned(),
        number(figures.map(|one| one.latency.count)),
    );
    members.insert("warmup".to_owned(), number(figures.map(|one| one.warmup)));
    members.insert("warnings".to_owned(), json!(doubts(case)));
    let load = figures.and_then(|one| one.load.as_ref());
    members.insert("load".to_owned(), json!(load.map(load_json)));
    members.insert(
        "samples_ns".to_owned(),
        json!(figures.map(|one| &one.calls_ns)),
    );
    members.into()
}

fn load_json(load: &Load) -> serde_json::Value {
    let mut members = Map::new();
    put(&mut members, load.fields());
    let arrivals = match load.arrivals {
        Arrivals::Poisson => "poisson",
        Arrivals::Constant => "constant",
    };
    members.insert("arrivals".to_owned(), json!(arrivals));
    members.insert("arrived".to_owned(), json!(load.arrived));
    members.insert("served".to_owned(), json!(load.served));
    let kept_up = load.kept_up();
    members.insert("kept_up".to_owned(), json!(kept_up.as_ref().ok()));
    if let (Err(why), Some(reasons)) = (kept_up, members.get_mut("unavailable")) {
        reasons["kept_up"] = json!(no_answer(&why));
    }
    members.into()
}

/// Inserts numbers by their names, and why others are absent.
fn put(members: &mut Map<String, serde_json::Value>, fields: Vec<Field>) {
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
        members.insert(name.to_owned(), value);
    }
    members.insert("unavailable".to_owned(), reasons.into());
}
