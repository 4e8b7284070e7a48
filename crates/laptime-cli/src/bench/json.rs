//! What was found of commands, as JSON: a file of benchmarks, which `laptime compare` reads again.

use laptime_analysis::benchmark::{Benchmark, BenchmarkFile, PairVerdict, SCHEMA, SCHEMA_VERSION};
use laptime_recorder::machine;
use laptime_report::sentences::verdict_reason;

use super::{Beside, Contender, Found};

/// All of it, with every sample.
pub fn json(found: &Found, contenders: &[Contender], cpu: &[Beside]) -> BenchmarkFile {
    let machine = machine::here();
    let pairs = match found {
        Found::One(_) => &[][..],
        Found::Several(outcome) => &outcome.pairs[..],
    };
    let finite = |number: f64| Some(number).filter(|number| number.is_finite());
    let all = found.outcomes().iter().zip(contenders).zip(cpu);
    let benchmarks = all.map(|((one, contender), cpu)| Benchmark {
        name: contender.name.clone(),
        command: Some(contender.command.clone()),
        shell: Some(contender.has_shell()),
        parameters: contender.parameters.iter().cloned().collect(),
        median_ns: one.median_ns,
        ci_ns: one.interval_ns.as_ref().ok().map(|&ends| ends.into()),
        iterations: one.iterations,
        warmup: one.warmup,
        samples_ns: one.samples_ns.clone(),
        cpu_ns: finite(cpu.all_ns),
        user_ns: finite(cpu.user_ns),
        system_ns: finite(cpu.system_ns),
        failures: Some(cpu.failures),
        machine: machine.clone(),
        ..Benchmark::default()
    });
    let verdicts = pairs.iter().map(|pair| PairVerdict {
        base: contenders[pair.base].name.clone(),
        new: contenders[pair.new].name.clone(),
        verdict: pair.judged.verdict,
        ratio: finite(pair.judged.ratio),
        interval: pair.judged.interval.as_ref().ok().map(|&ends| ends.into()),
        reason: verdict_reason::sentence(&pair.judged.reason),
    });
    BenchmarkFile {
        schema: SCHEMA.to_owned(),
        version: SCHEMA_VERSION,
        benchmarks: benchmarks.collect(),
        verdicts: Some(verdicts.collect()),
    }
}
