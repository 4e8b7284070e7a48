//! Findings: each number of one is that of a row, and a part is no more than its whole.

use laptime_analysis::{Finding, SpanRow, Summary};
use laptime_core::PhaseName;

use super::rows::adds_up;

/// Returns all contradictions between findings and rows, and within findings.
pub fn all(summary: &Summary) -> Vec<String> {
    // Of a steady state by itself they are those of the run, whose rows it lacks.
    let is_part = summary.steady.is_none() && summary.steady_why.is_none();
    let findings = if is_part { &[] } else { &summary.findings[..] };
    findings
        .iter()
        .flat_map(|finding| of_one(summary, finding))
        .collect()
}

/// Returns the rows of a path, that of the steady state first.
fn rows<'s>(summary: &'s Summary, path: &str) -> impl Iterator<Item = &'s SpanRow> {
    let path = path.to_owned();
    let steady = summary.steady.iter().flat_map(|steady| &steady.rows);
    let all = steady.chain(&summary.rows);
    all.filter(move |row| row.path == path)
}

fn of_one(summary: &Summary, finding: &Finding) -> Vec<String> {
    let parts = parts(summary, finding).into_iter();
    let beyond = parts.filter(|(_, part, whole)| *part > whole.saturating_add(whole / 100 + 1_000));
    let beyond = beyond.map(|(what, part, whole)| format!("{what}: {part} of {whole}"));
    let counts = counts(summary, finding).into_iter();
    let counts = counts.filter_map(|(path, count)| counted(summary, path, count));
    let about = about(finding).and_then(|path| known(summary, path));
    beyond.chain(counts).chain(about).collect()
}

/// Returns the parts and wholes that a finding names: what each pair is, the part, and the whole.
fn parts(summary: &Summary, finding: &Finding) -> Vec<(&'static str, u64, u64)> {
    match finding {
        Finding::Startup {
            startup_ns,
            wall_ns,
            ..
        } => vec![("startup", *startup_ns, *wall_ns)],
        Finding::Exit {
            exit_ns, wall_ns, ..
        } => vec![("exit", *exit_ns, *wall_ns)],
        Finding::Compiling {
            count,
            total_ns,
            wall_ns,
            places,
        } => {
            let named = places.iter().map(|place| place.count).sum();
            vec![
                ("compiling", *total_ns, *wall_ns),
                ("compiled in places", named, *count),
            ]
        }
        Finding::GarbageCollection {
            total_ns,
            during_ns,
            ..
        } => vec![("garbage collection", *total_ns, *during_ns)],
        Finding::BetweenSteps {
            total_ns,
            during_ns,
            ..
        } => vec![("between the steps", *total_ns, *during_ns)],
        Finding::OutsideSteps {
            total_ns,
            outside_ns,
            ..
        } => vec![("outside of the steps", *outside_ns, *total_ns)],
        Finding::DataWait {
            per_step_ns,
            step_ns,
            ..
        } => vec![("the wait in a step", *per_step_ns, *step_ns)],
        Finding::SlowSteps {
            path,
            slow_ns,
            usual_ns,
            excess_ns,
            ..
        } => {
            let longest = rows(summary, path).filter_map(|row| row.max_ns).max();
            let total = rows(summary, path).map(|row| row.total_ns).max();
            vec![
                ("beyond the median", *excess_ns, total.unwrap_or(0)),
                ("a slow one", *slow_ns, longest.unwrap_or(0)),
                ("the median", *usual_ns, *slow_ns),
            ]
        }
        Finding::GrowingInputs {
            path,
            short_ns,
            long_ns,
            extra_ns,
            ..
        } => {
            let total = summary.rows.iter().filter(|row| row.path == *path);
            let total = total.map(|row| row.total_ns).max();
            let mut all = vec![("a step with a short input", *short_ns, *long_ns)];
            // Without anything to learn it is until the next one begins.
            if path.ends_with(PhaseName::Step.text()) {
                all.push(("beyond short inputs", *extra_ns, total.unwrap_or(0)));
            }
            all
        }
        Finding::WarmUp {
            warm_up_ns,
            steady_ns,
            ..
        } => vec![("what followed warm-up", *steady_ns, *warm_up_ns)],
        Finding::HotSpot {
            self_ns, steps_ns, ..
        } if adds_up(summary) => vec![("a hot spot", *self_ns, *steps_ns)],
        Finding::InFunction {
            total_ns, steps_ns, ..
        } if adds_up(summary) => vec![("the part in a function", *total_ns, *steps_ns)],
        _ => Vec::new(),
    }
}

/// Returns the paths that a finding names with their counts.
fn counts<'f>(summary: &Summary, finding: &'f Finding) -> Vec<(&'f str, u64)> {
    match finding {
        Finding::Compiling { places, .. } => {
            let each = places.iter();
            each.map(|place| (&*place.path, place.count)).collect()
        }
        Finding::Recompilation { path, count, .. } => vec![(path, *count)],
        Finding::Occasional {
            path,
            step_path,
            count,
            step_count,
            ..
        } => vec![(path, *count), (step_path, *step_count)],
        Finding::WarmUp {
            path, steady_count, ..
        } if summary.processes.len() == 1 => vec![(path, *steady_count)],
        _ => Vec::new(),
    }
}

/// Returns the path that a finding is about.
fn about(finding: &Finding) -> Option<&str> {
    match finding {
        Finding::DataWait { path, .. }
        | Finding::InFunction { path, .. }
        | Finding::SlowSteps { path, .. }
        | Finding::MemoryBound { path, .. } => Some(path),
        _ => None,
    }
}

/// Returns a contradiction if no row has a finding's path.
fn known(summary: &Summary, path: &str) -> Option<String> {
    let is_there = rows(summary, path).next().is_some();
    (!is_there).then(|| format!("a finding about {path}, which has no row"))
}

/// Returns a contradiction if a finding's count is not that of its row, which may have cut spans beside it.
fn counted(summary: &Summary, path: &str, count: u64) -> Option<String> {
    let is_there = rows(summary, path).any(|row| {
        let whole = row.count.unwrap_or(0);
        (whole..=whole + row.partial_count).contains(&count)
    });
    (!is_there).then(|| format!("{count} of {path}, which no row has"))
}
