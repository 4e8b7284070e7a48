//! `laptime bench`: which command is faster.

use std::path::Path;

use laptime_analysis::benchmark::verdict::{LEAST_THRESHOLD, Verdict};
use laptime_report::Format;

use super::output;
use laptime_report::Shown;

use crate::args::BenchArgs;
use crate::bench::{self, Asked, BenchError, Contender, Found};
use crate::error::{CliError, ERROR, INCONCLUSIVE, OK, REGRESSION};
use crate::formats::ENDINGS;
use crate::messages::say;
use crate::outlet::Outlet;
use crate::terminal::{self, Stream};

/// Seconds for each command, unless asked otherwise.
const EACH_SECONDS: f64 = 5.0;

/// Measures the commands and writes what was found.
pub fn run(args: &BenchArgs, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    let contenders = bench::contenders(args)?;
    if args.fail_if_slower && contenders.len() < 2 {
        return Err(BenchError::NothingToBeat.into());
    }
    if let Some(path) = &args.output {
        if is_other_than_json(path) {
            return Err(BenchError::NotJson { path: path.clone() }.into());
        }
        output::may_write(path).map_err(|source| CliError::Output {
            target: path.display().to_string(),
            source,
        })?;
    }
    if let Some(setup) = &args.setup {
        bench::in_shell(setup)?;
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
        warmup: args.warmup as usize,
    };
    let measured = bench::measure(&contenders, &asked);
    // Also after one that failed: what it left behind is to go.
    let cleaned = cleanup(&contenders);
    let measured = measured?;
    cleaned?;
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
    let file = || bench::json(&found, &contenders, &cpu);
    let json = || Shown::json(serde_json::to_string(&file()).unwrap_or_default());
    let text = match args.format {
        _ if args.json => json(),
        Some(Format::Json) => json(),
        Some(Format::Markdown) => Shown::lines(&bench::markdown(&found, &contenders, &cpu)),
        _ => {
            let width = terminal::width(Stream::Out);
            Shown::lines(&bench::text(&found, &contenders, &cpu, width))
        }
    };
    output::write(&text, None, false, (out, err))?;
    if let Some(path) = &args.output {
        output::write(&json(), Some(path), false, (out, err))?;
    }
    Ok(code(&found, args))
}

/// Tells whether a file's name asks for another format than JSON, which is all that is written.
fn is_other_than_json(path: &Path) -> bool {
    ENDINGS.iter().any(|(ending, format)| {
        let is_it = path.extension().is_some_and(|is| is == &ending[1..]);
        is_it && !matches!(format, Format::Json)
    })
}

/// Runs what cleans up after the commands, each command once: those of two contenders may be the same.
fn cleanup(contenders: &[Contender]) -> Result<(), CliError> {
    let mut done: Vec<&str> = Vec::new();
    for cleanup in contenders.iter().filter_map(|one| one.cleanup.as_deref()) {
        if !done.contains(&cleanup) {
            bench::in_shell(cleanup)?;
            done.push(cleanup);
        }
    }
    Ok(())
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
