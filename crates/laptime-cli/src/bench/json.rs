//! What was found of commands, as JSON: a file of benchmarks (`docs/benchmark.schema.json`), which `laptime
//! compare` reads again.

use laptime_analysis::compare::name_of;
use laptime_recorder::machine;
use serde_json::{Map, Value, json};

use super::{Beside, Contender, Found};

/// All of it, with every sample.
pub fn json(found: &Found, contenders: &[Contender], cpu: &[Beside]) -> Value {
    let machine = machine::here();
    let pairs = match found {
        Found::One(_) => &[][..],
        Found::Several(outcome) => &outcome.pairs[..],
    };
    let all = found.outcomes().iter().zip(contenders).zip(cpu);
    let benchmarks = all.map(|((one, contender), cpu)| {
        let mut told = json!({
            "name": contender.name, "command": contender.command, "shell": contender.has_shell(),
            "median_ns": one.median_ns, "ci_ns": one.interval_ns.as_ref().ok(),
            "cpu_ns": cpu.all_ns, "user_ns": cpu.user_ns, "system_ns": cpu.system_ns,
            "failures": cpu.failures, "iterations": one.iterations, "warmup": one.warmup,
            "machine": machine, "samples_ns": one.samples_ns,
        });
        if !contender.parameters.is_empty() {
            let each = contender.parameters.iter();
            let each = each.map(|(name, value)| (name.clone(), Value::from(value.clone())));
            told["parameters"] = Value::Object(each.collect::<Map<_, _>>());
        }
        told
    });
    let verdicts = pairs.iter().map(|pair| {
        let finite = |ratio: f64| ratio.is_finite().then_some(ratio);
        json!({
            "base": contenders[pair.base].name, "new": contenders[pair.new].name,
            "verdict": name_of(pair.judged.verdict), "ratio": finite(pair.judged.ratio),
            "interval": pair.judged.interval.as_ref().ok(),
            "reason": pair.judged.reason.to_string(),
        })
    });
    json!({
        "schema": "laptime-benchmark", "version": 1,
        "benchmarks": benchmarks.collect::<Vec<_>>(),
        "verdicts": verdicts.collect::<Vec<_>>(),
    })
}
