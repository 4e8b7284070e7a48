//! What was found of commands, as text for a terminal and as markdown for a pull request.

use laptime_report::sentences::benchmark as one;
use laptime_report::tables::{benchmark as several, contest};
use laptime_report::{Format, quantity};

use super::{Beside, Contender, Found};

/// In which forms it is shown, by the name users type.
pub const FORMATS: [(&str, Format); 3] = [
    ("text", Format::Text),
    ("markdown", Format::Markdown),
    ("json", Format::Json),
];

/// How a budget is asked for.
const BUDGET: &str = "--budget {}";
/// CPU time from which on its parts are told: of less, the system knows them badly.
const PARTS_FROM_NS: f64 = 1e8;
/// A shell takes about a millisecond to start: of a command that takes longer than this it is no part that
/// counts.
const SHORT_NS: f64 = 20e6;
/// Where that matters.
const SHELL: &str = "Times include the start of a shell; -N runs commands without one.";

/// As a terminal of so many columns shows it; `None` where nobody says how many.
pub fn text(
    found: &Found,
    contenders: &[Contender],
    cpu: &[Beside],
    width: Option<usize>,
) -> String {
    let names: Vec<String> = contenders.iter().map(|one| one.name.clone()).collect();
    let shown = contest::fitted_names(&names, width);
    let mut text = match found {
        Found::One(outcome) => {
            let mut lines = vec![format!("{}: {}", shown[0], one::line(outcome))];
            lines.extend(one::doubts(outcome, BUDGET));
            let spread = one::spread(outcome);
            lines.extend(spread.map(|spread| format!("Spread: {spread}.")));
            contest::wrapped(&lines.join("\n"), width)
        }
        Found::Several(outcome) => {
            let all = shown.iter().zip(&outcome.contenders).zip(cpu);
            let rows = all.map(|((name, outcome), cpu)| (name.as_str(), outcome, cpu.all_ns));
            let spreads = several::table(&rows.collect::<Vec<_>>());
            format!(
                "{}\n\n{spreads}",
                contest::text(outcome, &names, BUDGET, width)
            )
        }
    };
    for line in beside(found, contenders, &shown, cpu) {
        text = format!("{text}\n{}", contest::wrapped(&line, width));
    }
    text + "\n"
}

/// For a pull request.
pub fn markdown(found: &Found, contenders: &[Contender], cpu: &[Beside]) -> String {
    let names: Vec<String> = contenders.iter().map(|one| one.name.clone()).collect();
    let verdicts = match found {
        Found::One(_) => String::new(),
        Found::Several(outcome) => contest::markdown(outcome, &names, BUDGET) + "\n",
    };
    let all = names.iter().zip(found.outcomes()).zip(cpu);
    let all = all.map(|((name, outcome), cpu)| (name.as_str(), outcome, cpu.all_ns));
    let mut notes = match found {
        Found::One(outcome) => one::doubts(outcome, BUDGET),
        Found::Several(_) => Vec::new(),
    };
    notes.extend(beside(found, contenders, &names, cpu));
    verdicts + &several::markdown(&all.collect::<Vec<_>>(), notes)
}

/// The lines below the tables: CPU time, failed runs, the shell.
fn beside(
    found: &Found,
    contenders: &[Contender],
    names: &[String],
    cpu: &[Beside],
) -> Vec<String> {
    let is_alone = contenders.len() == 1;
    let each =
        |(cpu, name): (&Beside, &String)| [cpu_time(cpu, name, is_alone), failures(cpu, name)];
    let all = cpu.iter().zip(names).flat_map(each);
    all.chain([shell(found, contenders)]).flatten().collect()
}

/// CPU time of a command that is alone, whose parts are told where they are known. Of several it stands in the
/// table, without the parts.
fn cpu_time(cpu: &Beside, name: &str, is_alone: bool) -> Option<String> {
    let time = |ns| quantity::measured(ns).inline();
    let has_parts = cpu.all_ns >= PARTS_FROM_NS;
    let parts = || format!("{} user, {} system", time(cpu.user_ns), time(cpu.system_ns));
    match (is_alone, has_parts) {
        (true, true) => Some(format!("CPU time: {} ({}).", time(cpu.all_ns), parts())),
        (true, false) => Some(format!("CPU time: {}.", time(cpu.all_ns))),
        (false, true) => Some(format!("CPU time of {name}: {}.", parts())),
        (false, false) => None,
    }
}

fn failures(cpu: &Beside, name: &str) -> Option<String> {
    (cpu.failures > 0).then(|| {
        let runs = quantity::plural(cpu.runs as u64, "run", "runs");
        format!("{name} failed in {} of {runs}.", cpu.failures)
    })
}

/// That a shell is part of the times, where it is a part that counts.
fn shell(found: &Found, contenders: &[Contender]) -> Option<String> {
    let mut all = found.outcomes().iter().zip(contenders);
    let is_short = all.any(|(outcome, one)| one.has_shell() && outcome.median_ns < SHORT_NS);
    is_short.then(|| SHELL.to_owned())
}
