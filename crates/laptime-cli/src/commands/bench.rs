//! `laptime bench`: which command is faster.

use std::io::Write;

use laptime_analysis::compare::name_of;
use laptime_analysis::verdict::{LEAST_THRESHOLD, Verdict};
use laptime_report::{benchmark as one, contest, quantity};
use serde_json::{Value, json};

use super::output;
use crate::args::BenchArgs;
use crate::bench::{self, Asked, Beside, Contender, Found};
use crate::error::{CliError, ERROR, INCONCLUSIVE, OK, REGRESSION};
use crate::messages::say;
use crate::terminal::{self, Stream};

/// Seconds for each command, unless asked otherwise.
const EACH_SECONDS: f64 = 5.0;
/// How a budget is asked for.
const BUDGET: &str = "--budget {}";
/// CPU time from which on its parts are told: of less, the system knows them badly.
const PARTS_FROM_NS: f64 = 1e8;

/// Measures the commands and writes what was found.
pub fn run(args: &BenchArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, CliError> {
    let contenders = bench::contenders(args)?;
    if args.fail_if_slower && contenders.len() < 2 {
        return Err(CliError::NothingToBeat);
    }
    if let Some(path) = &args.output {
        output::may_write(path).map_err(|source| CliError::Output {
            target: path.display().to_string(),
            source,
        })?;
    }
    if let Some(setup) = &args.setup {
        bench::checked(setup, false, None)?;
    }
    for contender in &contenders {
        for _ in 0..args.warmup {
            contender.run(args.ignore_failure)?;
        }
    }
    let seconds = args
        .budget
        .unwrap_or(EACH_SECONDS * contenders.len() as f64);
    let asked = Asked {
        budget_ns: seconds * 1e9,
        is_strict: args.budget.is_some(),
        runs: args.runs,
        threshold_ratio: args.threshold.unwrap_or(LEAST_THRESHOLD),
        ignore_failure: args.ignore_failure,
    };
    let measured = bench::measure(&contenders, &asked)?;
    let Some((found, cpu)) = measured else {
        say(
            err,
            "error: the budget ended before each command had run once",
        );
        say(
            err,
            format_args!("hint: --budget {:.0} may do", seconds * 5.0),
        );
        return Ok(ERROR);
    };
    let names: Vec<String> = contenders.iter().map(|one| one.name.clone()).collect();
    let as_json = || json(&contenders, &found, &cpu).to_string() + "\n";
    if let Some(path) = &args.output {
        output::write(&as_json(), Some(path), false, out)?;
    }
    let text = if args.json {
        as_json()
    } else {
        text(&found, &names, &cpu)
    };
    output::write(&text, None, false, out)?;
    Ok(code(&found, args))
}

fn text(found: &Found, names: &[String], cpu: &[Beside]) -> String {
    let mut lines = match found {
        Found::One(outcome) => {
            let mut lines = vec![format!(
                "{}: {}",
                laptime_report::visible(&names[0]),
                one::line(outcome)
            )];
            lines.extend(one::doubts(outcome, BUDGET));
            lines
        }
        Found::Several(outcome) => vec![contest::text(
            outcome,
            names,
            BUDGET,
            terminal::width(Stream::Out),
        )],
    };
    for (name, cpu) in names.iter().zip(cpu) {
        let time = |ns| quantity::measured(ns).inline();
        let parts = if cpu.all_ns < PARTS_FROM_NS {
            String::new()
        } else {
            let (user, system) = (time(cpu.user_ns), time(cpu.system_ns));
            format!(" ({user} user, {system} system)")
        };
        let name = laptime_report::visible(name);
        lines.push(format!("CPU time of {name}: {}{parts}.", time(cpu.all_ns)));
        if cpu.failures > 0 {
            let runs = quantity::plural(cpu.runs as u64, "run", "runs");
            lines.push(format!("{name} failed in {} of {runs}.", cpu.failures));
        }
    }
    lines.join("\n") + "\n"
}

/// As `lt.compare` reads it again.
fn json(contenders: &[Contender], found: &Found, cpu: &[Beside]) -> Value {
    let (outcomes, pairs) = match found {
        Found::One(outcome) => (vec![outcome], &[][..]),
        Found::Several(outcome) => (outcome.contenders.iter().collect(), &outcome.pairs[..]),
    };
    let benchmarks = outcomes
        .iter()
        .zip(contenders)
        .zip(cpu)
        .map(|((one, contender), cpu)| {
            json!({
                "name": contender.name, "command": contender.command,
                "median_ns": one.median_ns, "ci_ns": one.interval_ns.as_ref().ok(),
                "cpu_ns": cpu.all_ns, "user_ns": cpu.user_ns, "system_ns": cpu.system_ns,
                "failures": cpu.failures, "iterations": one.iterations, "warmup": one.warmup, "samples_ns": one.samples_ns,
            })
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

fn code(found: &Found, args: &BenchArgs) -> i32 {
    let Found::Several(outcome) = found else {
        return OK;
    };
    let has = |verdicts: &[Verdict]| {
        let mut against_base = outcome.pairs.iter().filter(|pair| pair.base == 0);
        against_base.any(|pair| verdicts.contains(&pair.judged.verdict))
    };
    if args.fail_if_slower && has(&[Verdict::Slower]) {
        REGRESSION
    } else if args.strict && has(&[Verdict::Inconclusive, Verdict::NotComparable]) {
        INCONCLUSIVE
    } else {
        OK
    }
}
