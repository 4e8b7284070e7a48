//! `laptime compare`: whether a program got faster or slower, from its recordings.

use std::io;
use std::path::PathBuf;

use laptime::{Compared, Recorded};
use laptime_analysis::benchmark::verdict::{LEAST_THRESHOLD, Verdict};
use laptime_analysis::compare::{
    Basis, Comparison, Gate, GateOutcome, GateResult, Options, Pair, Statistic,
};
use laptime_reader::{OtherFile, ReadError};
use laptime_report::tables::comparison;
use laptime_report::{Format, Shown, View};

use super::baselines;
use super::output;
use super::report::format_of;
use crate::args::CompareArgs;
use crate::error::{CliError, INCONCLUSIVE, NOT_COMPARABLE, OK, REGRESSION};
use crate::glob;
use crate::messages::say;
use crate::outlet::Outlet;
use crate::runs::names::shortest;
use crate::terminal::{self, Stream};

/// How often a baseline is read that is replaced meanwhile.
const MOST_READS: usize = 5;
/// Most paths that a hint names.
const MOST_NAMED: usize = 8;

/// Reads all recordings, compares them, and writes what came of it.
pub fn run(
    args: &CompareArgs,
    out: &mut Outlet<'_>,
    err: &mut Outlet<'_>,
) -> Result<i32, CliError> {
    if let Some(name) = &args.save_baseline {
        let ending = if readable(args)? { "json" } else { "lap" };
        let kept = baselines::save(name, &args.recordings)?;
        let shown = Shown::lines(&format!("{}\n", kept.display()));
        out.show(&shown).map_err(CliError::from_output)?;
        say(
            err,
            format_args!("next: laptime compare --baseline {name} NEW.{ending}"),
        );
        return Ok(OK);
    }
    let format = format(args)?;
    spares_recordings(args)?;
    let (compared, found) = read(args)?;
    known_gates(&found)?;
    let text = comparison::render(&found, format, &view(args), args.all);
    let is_printed = output::write(&text, args.output.as_deref(), args.open, (out, err))?;
    let code = code(&found, args.strict);
    if is_printed && matches!(format, Format::Text) {
        // A message that cannot be written changes nothing about the comparison.
        let are_benchmarks = (found.pairs.iter()).any(|pair| pair.basis == Basis::Benchmark);
        // What got no worse than a baseline may become the next one, of benchmarks too.
        let is_base = args.baseline.is_some() && code == OK;
        let next = if are_benchmarks && !is_base {
            Some(NEXT_OF_BENCHMARKS.to_owned())
        } else {
            next(args, &compared, code)
        };
        if let Some(next) = next {
            say(err, next);
        }
    }
    Ok(code)
}

/// What can't be read is no baseline. Whether all are files of benchmarks. **Errors** with the first one that
/// can't be read, or isn't what the first is.
fn readable(args: &CompareArgs) -> Result<bool, CliError> {
    let mut are_benchmarks = false;
    for (at, path) in args.recordings.iter().enumerate() {
        let is_benchmarks = laptime_reader::benchmarks(path)?.is_some();
        are_benchmarks |= is_benchmarks && at == 0;
        match (are_benchmarks, is_benchmarks) {
            (true, true) => continue,
            (true, false) => {
                let (path, is) = (path.clone(), OtherFile::of(path)?);
                return Err(ReadError::NoBenchmarks { path, is }.into());
            }
            // The recordings' own reader says what is wrong with it.
            (false, _) => {}
        }
        let recorded = Recorded {
            salvage: args.salvage,
            ..Recorded::new(path)
        };
        recorded.summary()?;
    }
    Ok(are_benchmarks)
}

/// **Errors** where the comparison would be written over one of its recordings.
fn spares_recordings(args: &CompareArgs) -> Result<(), CliError> {
    let Some(output) = args
        .output
        .as_ref()
        .and_then(|path| path.canonicalize().ok())
    else {
        return Ok(());
    };
    let mut recordings = args.recordings.iter().chain(&args.new);
    if recordings.any(|one| one.canonicalize().is_ok_and(|one| one == output)) {
        let target = args
            .output
            .clone()
            .unwrap_or_default()
            .display()
            .to_string();
        let source = io::Error::other("it is one of the recordings that are compared");
        return Err(CliError::Output { target, source });
    }
    Ok(())
}

/// Reads all recordings and compares them.
fn read(args: &CompareArgs) -> Result<(Compared, Comparison), CliError> {
    for _ in 1..MOST_READS {
        let compared = compared(args)?;
        match compared.comparison() {
            // Another job saved this baseline while it was being read: the new one is read instead.
            Err(_)
                if args.baseline.is_some() && !compared.base.iter().all(|path| path.exists()) => {}
            found => return Ok((compared, found?)),
        }
    }
    let compared = compared(args)?;
    let found = compared.comparison()?;
    Ok((compared, found))
}

/// What is to be compared, as it was typed.
fn compared(args: &CompareArgs) -> Result<Compared, CliError> {
    let (base, others) = sides(args)?;
    Ok(Compared {
        base,
        others,
        salvage: args.salvage,
        options: Options {
            threshold_ratio: args.threshold.unwrap_or(LEAST_THRESHOLD),
            allow_different: args.allow_different,
            gates: args.fail_on.clone(),
        },
    })
}

/// The base, and the sides that are compared with it.
fn sides(args: &CompareArgs) -> Result<(Vec<PathBuf>, Vec<Vec<PathBuf>>), CliError> {
    if let Some(name) = &args.baseline {
        return Ok((baselines::load(name)?, vec![args.recordings.clone()]));
    }
    if !args.new.is_empty() {
        return Ok((args.recordings.clone(), vec![args.new.clone()]));
    }
    match &args.recordings[..] {
        [base, others @ ..] if !others.is_empty() => {
            let others = others.iter().map(|other| vec![other.clone()]);
            Ok((vec![base.clone()], others.collect()))
        }
        all => {
            let path = all.first().cloned().unwrap_or_default();
            Err(match OtherFile::of_schema(&path) {
                // Nothing that follows would make it something to compare with.
                Some(is) if is != OtherFile::Benchmarks => {
                    CliError::Reading(ReadError::OtherFile { path, is })
                }
                _ => CliError::NothingToCompare { path },
            })
        }
    }
}

/// The form that was asked for.
fn format(args: &CompareArgs) -> Result<Format, CliError> {
    if let Some(format) = args.format.or(args.json.then_some(Format::Json)) {
        return Ok(format);
    }
    let Some(path) = &args.output else {
        return Ok(Format::Text);
    };
    let format = format_of(path)?.unwrap_or_default();
    let is_known = comparison::FORMATS
        .iter()
        .any(|(_, known)| *known == format);
    if is_known {
        return Ok(format);
    }
    Err(CliError::NoComparisonEnding { path: path.clone() })
}

fn view(args: &CompareArgs) -> View {
    let to_file = args.output.is_some();
    View {
        width: (!to_file).then(|| terminal::width(Stream::Out)).flatten(),
        color: !to_file && terminal::is_coloured(Stream::Out),
        utf8: to_file || terminal::is_utf8(Stream::Out),
        ..View::default()
    }
}

/// A limit on what isn't there is a slip, not a limit that is kept.
fn known_gates(found: &Comparison) -> Result<(), CliError> {
    let is_unknown = |result: &&GateResult| result.outcome == GateOutcome::Unknown;
    for pair in &found.pairs {
        let Some(unknown) = pair.gates.iter().find(is_unknown) else {
            continue;
        };
        return Err(unknown_gate(pair, &unknown.gate));
    }
    Ok(())
}

/// Why a limit is on what isn't there: a slip in the path, or in what of it.
fn unknown_gate(pair: &Pair, gate: &Gate) -> CliError {
    let mut both = pair.rows.iter().filter(|row| row.verdict.is_some());
    let is_there = both.any(|row| row.path == gate.path);
    let typed = gate.to_string();
    if is_there && pair.basis == Basis::Benchmark && gate.statistic != Statistic::Median {
        let instead = format!("{}:p50 > 5%", gate.path);
        return CliError::NoBenchmarkGate {
            gate: typed,
            instead,
        };
    }
    if is_there && gate.statistic.is_memory() {
        return CliError::NoMemoryGate { gate: typed };
    }
    CliError::NoSuchGate {
        gate: typed,
        known: likely(pair, &gate.path),
    }
}

/// The paths of both sides, those first that are most like the one that was typed.
fn likely(pair: &Pair, typed: &str) -> Vec<String> {
    let shared = |name: &str| {
        let same = name.chars().filter(|one| typed.contains(*one)).count();
        2.0 * same as f64 / (name.len() + typed.len()).max(1) as f64
    };
    let both = pair.rows.iter().filter(|row| row.verdict.is_some());
    let mut paths: Vec<&str> = both.map(|row| row.path.as_str()).collect();
    if pair.basis == Basis::Run {
        paths.push(&pair.whole.path);
    }
    paths.sort_by(|one, other| shared(other).total_cmp(&shared(one)));
    let shown = paths.into_iter().take(MOST_NAMED);
    shown.map(str::to_owned).collect()
}

/// The exit code: what can't be compared first, then what got worse, then what can't be told.
fn code(found: &Comparison, is_strict: bool) -> i32 {
    let any = |verdict| found.pairs.iter().any(|pair| pair.verdict == verdict);
    let gates = || found.pairs.iter().flat_map(|pair| &pair.gates);
    let any_gate = |outcome| gates().any(|gate| gate.outcome == outcome);
    let has_gates = gates().next().is_some();
    if any(Verdict::NotComparable) {
        return NOT_COMPARABLE;
    }
    let (is_worse, is_unclear) = if has_gates {
        (
            any_gate(GateOutcome::Exceeded),
            any_gate(GateOutcome::Unclear),
        )
    } else {
        (any(Verdict::Slower), any(Verdict::Inconclusive))
    };
    match (is_worse, is_unclear && is_strict) {
        (true, _) => REGRESSION,
        (_, true) => INCONCLUSIVE,
        _ => OK,
    }
}

/// The same of benchmarks.
const NEXT_OF_BENCHMARKS: &str =
    "next: several measurements a side tell more: laptime compare base-*.json --new new-*.json";

/// The command to type next; `None` where it would name many paths.
fn next(args: &CompareArgs, compared: &Compared, code: i32) -> Option<String> {
    let one = |paths: &[PathBuf]| paths.first().map(|path| shortest(path)).unwrap_or_default();
    if let Some(name) = &args.baseline {
        let new: Vec<String> = args.recordings.iter().map(|path| shortest(path)).collect();
        if code != OK {
            // What got worse is no base.
            return Some(format!("next: laptime report {}", new[0]));
        }
        return Some(format!(
            "next, if this is to be the base from now on: laptime compare --save-baseline {name} {}",
            new.join(" ")
        ));
    }
    if let Some([base, new]) = two_sides(args) {
        return Some(format!(
            "next, if these are runs of two programs: laptime compare {base} --new {new}"
        ));
    }
    if let ([_], true) = (&compared.base[..], args.new.is_empty()) {
        let new = compared.others.first().map(|side| one(side));
        return Some(format!(
            "next: laptime report {}; or record five runs a side: laptime compare base-*.lap --new new-*.lap",
            new.unwrap_or_default()
        ));
    }
    let words = |paths: &[PathBuf]| match paths {
        [only] => Some(shortest(only)),
        _ => glob::pattern(paths),
    };
    let (base, new) = (words(&args.recordings)?, words(&args.new)?);
    Some(format!(
        "next: laptime compare {base} --new {new} -o compared.html --open"
    ))
}

/// The recordings that were typed as one list, parted where their names say that they are runs of two:
/// `base-1.lap base-2.lap new-1.lap new-2.lap`. `None` where they don't.
fn two_sides(args: &CompareArgs) -> Option<[String; 2]> {
    let stem = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let end = |one: char| one.is_ascii_digit() || "-_.".contains(one);
        (
            path.parent().map(PathBuf::from),
            name.trim_end_matches(end).to_owned(),
        )
    };
    let sides: Vec<&[PathBuf]> = args
        .recordings
        .chunk_by(|one, other| stem(one) == stem(other))
        .collect();
    let joined = |side: &[PathBuf]| {
        let each: Vec<String> = side.iter().map(|path| shortest(path)).collect();
        each.join(" ")
    };
    match sides[..] {
        [base, new] if args.new.is_empty() && base.len() > 1 => Some([joined(base), joined(new)]),
        _ => None,
    }
}
