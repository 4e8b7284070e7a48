//! `laptime report`: the summary of a recording, in the form asked for.

use std::env;
use std::path::{Path, PathBuf};

use laptime::Recorded;
use laptime_analysis::{Summary, Until};
use laptime_report::next_command::{Origin, after_report};
use laptime_report::{By, Format, FunctionSort, View, has_rows, near, render};
use tempfile::Builder;

use super::{browser, config, next, output};
use crate::args::ReportArgs;
use crate::error::{CliError, OK};
use crate::formats::ENDINGS;
use crate::messages::say;
use crate::outlet::Outlet;
use crate::runs::folder::holds;
use crate::runs::listing;
use crate::terminal::{self, Stream};

/// Reads the recording and writes its report.
pub fn run(args: &ReportArgs, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    let recording = match &args.recording {
        Some(path) => path.clone(),
        None => last(err)?,
    };
    let format = format(args)?;
    output::not_over_a_recording(args.output.as_deref(), &recording)?;
    let to_file = args.output.is_some() || args.open;
    let mut view = View {
        tree: args.tree,
        by: by(args),
        sort: args.sort.unwrap_or_default(),
        function_sort: (args.sort.and_then(FunctionSort::from_spans)).unwrap_or_default(),
        filter: args.filter.clone(),
        columns: if is_tree(args, format) {
            Vec::new()
        } else {
            args.columns.clone()
        },
        kernels: args.kernels,
        top: args.top,
        width: if to_file {
            None
        } else {
            terminal::width(Stream::Out)
        },
        color: !to_file && terminal::is_coloured(Stream::Out),
        utf8: to_file || terminal::is_utf8(Stream::Out),
        whole: args.whole,
        origin: Origin::default(),
    };
    let recorded = Recorded {
        path: recording.clone(),
        salvage: args.salvage,
        by_process: args.by == Some(By::Process),
    };
    let mut summary = recorded.summary()?;
    view.origin = Origin {
        is_without_display: browser::is_without_display(),
        ..next::origin(args.recording.as_deref(), &next::script(&summary))
    };
    for question in &args.until {
        let answer = recorded.until(question)?;
        if answer.count == 0 {
            return Err(no_metric(question, &summary));
        }
        summary.until.push(answer);
    }
    if let Some(pattern) = view
        .filter
        .as_deref()
        .filter(|_| !has_rows(&summary, &view))
    {
        return Err(CliError::NoRow {
            pattern: pattern.to_owned(),
            near: near(&summary, &view),
        });
    }
    unheeded(args, format, err);
    let text = match format {
        Format::Html => recorded.page(&summary, &view)?,
        format => render(&summary, format, &view),
    };
    let output = match &args.output {
        None if args.open => {
            let page = page_of(&recording)?;
            if !browser::is_without_display() {
                say(err, format_args!("page: {}", page.display()));
            }
            Some(page)
        }
        output => output.clone(),
    };
    let is_printed = output::write(&text, output.as_deref(), args.open, (out, err))?;
    if is_printed && matches!(format, Format::Text) && !args.tree {
        // A message that cannot be written changes nothing about the report.
        if let Some(next) = after_report(&summary, &view) {
            say(err, next.line());
        }
    }
    Ok(OK)
}

/// The recording that was started last in the working folder; says which.
pub fn last(err: &mut Outlet<'_>) -> Result<PathBuf, CliError> {
    let last = listing::last().ok_or(CliError::NoneHere)?;
    let shown = last.path.display();
    say(err, format_args!("recording: {shown}, the last one here"));
    Ok(last.path)
}

/// Where a page goes that nobody gave a name: beside the run, which it goes with, or among temporary files.
fn page_of(recording: &Path) -> Result<PathBuf, CliError> {
    let beside = recording.with_extension("html");
    if holds(recording) && output::may_write(&beside).is_ok() {
        return Ok(beside);
    }
    let named = Builder::new().prefix("laptime-").suffix(".html").tempfile();
    let kept = named.and_then(|file| Ok(file.into_temp_path().keep()?));
    kept.map_err(|source| CliError::Output {
        target: env::temp_dir().display().to_string(),
        source,
    })
}

fn is_tree(args: &ReportArgs, format: Format) -> bool {
    args.tree || matches!(format, Format::Tree)
}

/// Whose rows are asked for.
fn by(args: &ReportArgs) -> By {
    let functions = args.functions.then_some(By::Function);
    args.by.or(functions).unwrap_or_default()
}

/// Says which options change nothing about what is shown.
fn unheeded(args: &ReportArgs, format: Format, err: &mut Outlet<'_>) {
    let mut told = |option: &str, why: &str| {
        let warning = format_args!("laptime: warning: {option} changes nothing {why}");
        say(err, warning);
    };
    if !args.columns.is_empty() {
        match format {
            _ if is_tree(args, format) => {
                told("--columns", "with --tree, which has columns of its own");
            }
            Format::Csv | Format::Json => {
                told("--columns", "in this format, which has all columns");
            }
            _ => {}
        }
    }
    if args.whole && format == Format::Csv {
        told(
            "--whole",
            "in this format, which has the whole run and the steady state",
        );
    }
    let table = match by(args) {
        By::Module => "module",
        By::Class => "class",
        By::Function => "function",
        _ => return,
    };
    let typed = if args.functions {
        "--functions".to_owned()
    } else {
        format!("--by {table}")
    };
    match format {
        // They have the functions always, or have them now.
        Format::Json | Format::Csv if table == "function" => return,
        Format::Csv | Format::Json => {
            return told(&typed, "in this format, which has all rows by path");
        }
        _ => {}
    }
    let has_order = |sort| table == "function" && FunctionSort::from_spans(sort).is_some();
    let is_unheeded = args.sort.is_some_and(|sort| !has_order(sort));
    let own = format!("with {typed}, whose rows have other columns");
    let given = [
        ("--columns", !args.columns.is_empty()),
        ("--sort", is_unheeded),
    ];
    for (option, _) in given.iter().filter(|(_, is_given)| *is_given) {
        told(option, &own);
    }
}

fn no_metric(question: &Until, summary: &Summary) -> CliError {
    let paths = summary.metrics.iter().map(|metric| metric.path.clone());
    CliError::NoMetric {
        metric: question.metric.clone(),
        known: paths.collect(),
    }
}

/// The format that was asked for, by its name or the file's.
fn format(args: &ReportArgs) -> Result<Format, CliError> {
    let typed = args.format.or(args.json.then_some(Format::Json));
    if args.open && args.output.is_none() {
        match typed {
            None | Some(Format::Html) if !args.tree => return Ok(Format::Html),
            typed => {
                let format = typed.unwrap_or(Format::Tree);
                let format = config::name(&Format::NAMES, format);
                return Err(CliError::NoPage { format });
            }
        }
    }
    let by_name = match &args.output {
        Some(path) if typed.is_none() => format_of(path)?,
        _ => None,
    };
    let format = typed.or(by_name).unwrap_or_default();
    if !args.tree || matches!(format, Format::Text | Format::Tree) {
        return Ok(format);
    }
    Err(CliError::NoTree {
        format: config::name(&Format::NAMES, format),
    })
}

/// The format that a file's name asks for; none where it has no ending.
pub fn format_of(path: &Path) -> Result<Option<Format>, CliError> {
    let Some(extension) = path.extension() else {
        return Ok(None);
    };
    let known = ENDINGS
        .into_iter()
        .find(|(ending, _)| extension == &ending[1..]);
    match known {
        Some((_, format)) => Ok(Some(format)),
        None => Err(CliError::UnknownEnding {
            path: path.to_owned(),
        }),
    }
}
