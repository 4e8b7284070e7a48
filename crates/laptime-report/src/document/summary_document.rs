//! The report of a summary as a document: its sections, in order.

use std::path::Path;

use laptime_analysis::{Doubt, RowKind, Summary};

use crate::document::view::{By, View};
use crate::document::{Content, Document, Section};
use crate::document::{curves, fact_lines};
use crate::sentences::doubts;
use crate::sentences::{counted_operations, cpu, findings, headline, side_by_side};
use crate::tables::functions::{calls_of_run, counted_calls, flame_graph, sampled_functions};
use crate::tables::stretch::Whole;
use crate::tables::{devices, epochs, modules, processes, profiler, stretch, time_to_target};

impl Document {
    /// Makes the report of a summary.
    pub fn new(summary: &Summary, view: &View) -> Self {
        let mut document = Self::without_functions(summary, view);
        if view.by == By::Function {
            document.sections.extend(of_functions(summary, view));
        } else if is_of_spans(view) && view.filter.is_none() {
            document
                .sections
                .extend(calls_of_run::sections(summary, view));
        }
        if view.kernels {
            document.sections.extend(profiler::sections(summary, view));
        }
        document
    }

    /// Makes the document without its sections of functions.
    fn without_functions(summary: &Summary, view: &View) -> Self {
        let mut sections: Vec<Section> = findings::section(summary).into_iter().collect();
        if matches!(view.by, By::Module | By::Class) {
            sections.push(modules::section(summary, view));
        } else if is_of_spans(view) {
            sections.extend(of_spans(summary, view));
        }
        Self {
            title: summary.program.clone(),
            headline: Some(headline::of_run(summary, !view.whole)),
            facts: fact_lines::of_run(summary),
            measured: fact_lines::measured(summary),
            is_measured_as_usual: fact_lines::is_measured_as_usual(summary) && !view.whole,
            sections,
            warnings: doubts::all_in_words(&summary.warnings),
        }
    }
}

impl Document {
    /// Makes the report of a summary for a page, which has room for what a terminal shows only when asked.
    pub fn of_page(summary: &Summary, view: &View) -> Self {
        let mut document = Self::without_functions(summary, view);
        let has_modules = summary.rows.iter().any(|row| !row.module_class.is_empty());
        if has_modules && is_of_spans(view) && view.filter.is_none() {
            let after = document.sections.iter();
            let after = after.take_while(|one| one.heading.as_deref() == Some(findings::HEADING));
            let at = after.count();
            document
                .sections
                .insert(at, modules::of_page(summary, view));
        }
        if summary.functions.is_some() || view.by == By::Function {
            document.sections.extend(of_functions(summary, view));
        }
        let has_both =
            view.steady(summary.steady.as_ref()).is_some() && summary.by_process.is_empty();
        if has_both && is_of_spans(view) {
            let whole = table_of_run(
                summary,
                &View {
                    whole: true,
                    ..view.clone()
                },
            );
            document.sections.push(whole);
        }
        if summary.operators.is_some() {
            document.sections.extend(profiler::sections(summary, view));
        }
        let sampled = summary.functions.as_ref();
        let sampled = sampled.filter(|sampled| !sampled.laps.is_empty());
        document.sections.extend(sampled.map(flame_graph::section));
        document
    }
}

/// Tells whether the tables have rows of laps.
fn is_of_spans(view: &View) -> bool {
    matches!(view.by, By::Path | By::Process)
}

/// Makes the sections of sampled and of counted functions.
fn of_functions(summary: &Summary, view: &View) -> Vec<Section> {
    let functions = summary.functions.as_ref();
    let counted = functions.and_then(|functions| functions.exact.as_ref());
    let is_sampled = functions.is_some_and(|functions| functions.sample_count > 0);
    let sampled =
        (is_sampled || counted.is_none()).then(|| sampled_functions::section(summary, view));
    let counted = counted.map(|exact| counted_calls::section(summary, exact, view));
    sampled.into_iter().chain(counted).collect()
}

/// Makes the tables of spans and the sections that go with them.
fn of_spans(summary: &Summary, view: &View) -> Vec<Section> {
    let is_empty = summary.rows.iter().all(|row| row.kind == RowKind::Leftover);
    let functions = summary.functions.as_ref();
    let has_functions = functions.is_some_and(|functions| functions.main_lap().is_some());
    let has_calls = functions.is_some_and(|functions| functions.exact.is_some());
    let mut sections = if is_empty && (has_functions || has_calls) {
        // They tell what the program did; that it has no laps is no news.
        Vec::new()
    } else if is_empty || summary.by_process.is_empty() {
        vec![together(summary, view, is_empty)]
    } else {
        processes::sections(summary, view)
    };
    sections.extend(side_by_side::section(summary));
    sections.extend(epochs::section(summary).filter(|_| view.filter.is_none()));
    sections.extend(counted_operations::sections(summary, view));
    sections.extend(cpu::sections(&summary.rows, view));
    sections.extend(devices::section(summary).filter(|_| view.filter.is_none()));
    let figures = curves::of_marks_and_metrics(summary);
    if !figures.is_empty() && view.filter.is_none() {
        sections.push(Section::headed(
            "marks and metrics",
            Content::Figures(figures),
        ));
    }
    if !summary.until.is_empty() {
        sections.push(Section::headed(
            "learning speed",
            Content::Figures(time_to_target::figures(summary)),
        ));
    }
    sections
}

/// Example of a lap in Python and in Rust.
const LAP: [&str; 6] = [
    "import laptime as lt                      # Python",
    "with lt.lap(\"load\"):",
    "    data = load()",
    "",
    "let _lap = laptime::lap!(\"load\");         // Rust, up to the end of the block",
    "let data = load();",
];

/// Returns an example of a lap in the program's language, or in both where that isn't known.
fn lap(summary: &Summary) -> &'static [&'static str] {
    const IN_PYTHON: [&str; 3] = [
        "import laptime as lt",
        "with lt.lap(\"load\"):",
        "    data = load()",
    ];
    if is_python(summary) { &IN_PYTHON } else { &LAP }
}

/// Tells whether the program is a Python script, judging by its name.
fn is_python(summary: &Summary) -> bool {
    let name = Path::new(&summary.program);
    name.extension().is_some_and(|ending| ending == "py") || summary.program.starts_with("python")
}

/// Time within which a program that fails has done nothing but start.
const AT_START_NS: u64 = 2_000_000_000;

/// Codes of warnings that say that spans are missing.
const DAMAGE: [&str; 6] = [
    "damaged",
    "empty-windows",
    "lost-spans",
    "missing-processes",
    "truncated",
    "unreadable-file",
];

/// Tells whether a warning says that spans of the recording are missing.
fn is_damaged(summary: &Summary) -> bool {
    let mut codes = summary.warnings.iter().map(Doubt::code);
    codes.any(|code| DAMAGE.contains(&code))
}

/// Says how a program that failed has ended; `None` for one that didn't fail.
fn failed(summary: &Summary) -> Option<String> {
    let end = summary.run.as_ref()?.end.as_ref()?;
    match (end.code, end.signal) {
        (Some(code), _) if code != 0 => Some(format!("ended with exit code {code}")),
        (_, Some(signal)) => Some(format!("was ended by signal {signal}")),
        _ => None,
    }
}

/// Makes the table of all processes together, or says why there is none.
fn together(summary: &Summary, view: &View, is_empty: bool) -> Section {
    if !is_empty {
        return table_of_run(summary, view);
    }
    let nothing = match summary.unavailable.get("spans") {
        Some(why) => format!("no span was recorded: {why}"),
        None if is_damaged(summary) => {
            "no span is left: the warnings below say what of the recording is missing".to_owned()
        }
        None if summary.processes.is_empty() => {
            "no span was recorded: Laptime was in no process of \
            the run, or recorded elsewhere"
                .to_owned()
        }
        None => match failed(summary) {
            Some(end) if summary.wall_ns < AT_START_NS => {
                format!("nothing was recorded: the program failed at its start, and {end}")
            }
            Some(end) => format!("nothing was recorded: the program {end}"),
            None if let Some(why) = summary.unavailable.get("functions") => {
                format!("no stack was sampled: {why}. A lap around a part of the program names it:")
            }
            None => "A lap around a part of the program names it:".to_owned(),
        },
    };
    Section {
        heading: None,
        content: if nothing.ends_with(':') {
            Content::Code(lap(summary))
        } else {
            Content::Remark
        },
        remark: Some(nothing),
    }
}

/// Makes the table of the run's spans.
fn table_of_run(summary: &Summary, view: &View) -> Section {
    let whole = Whole {
        rows: &summary.rows,
        wall_ns: summary.measured_ns,
        steady: summary.steady.as_ref(),
        steady_why: summary.steady_why.as_ref(),
        is_notebook: summary.is_notebook(),
    };
    let mut section = stretch::section(summary, &whole, view);
    if let Content::Table(table) = &mut section.content {
        let steady = view.steady(summary.steady.as_ref());
        table.notes.extend(side_by_side::notes(summary, steady));
    }
    section
}
