//! `laptime report`: the summary of a recording, in the form asked for.

use std::fs;
use std::io::Write;
use std::path::Path;

use laptime_analysis::{Summary, Until};
use laptime_report::{Format, View, render};

use super::{browser, quoted};
use crate::args::ReportArgs;
use crate::error::{CliError, OK};
use crate::settings::Settings;
use crate::source::{self, SourceOptions, summarize};
use crate::terminal::{self, Stream};

/// Reads the recording and writes its report.
pub fn run(args: &ReportArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, CliError> {
    let settings = Settings::load()?;
    let format = settings
        .format
        .or_flag(args.output.as_deref().and_then(format_of), "--output")
        .or_flag(args.format, "--format")
        .or_flag(args.json.then_some(Format::Json), "--json")
        .value;
    let to_file = args.output.is_some();
    let view = View {
        tree: args.tree,
        sort: settings.sort.or_flag(args.sort, "--sort").value,
        filter: args.filter.clone(),
        width: if to_file {
            None
        } else {
            terminal::width(Stream::Out)
        },
        color: !to_file && terminal::is_coloured(Stream::Out),
        utf8: to_file || terminal::is_utf8(Stream::Out),
        steady: !args.no_steady,
    };
    let options = SourceOptions {
        salvage: args.salvage,
    };
    let mut summary = summarize(&args.recording, &options)?;
    for question in &args.until {
        let answer = source::until(&args.recording, &options, question, &summary)?;
        if answer.count == 0 {
            return Err(no_metric(question, &summary));
        }
        summary.until.push(answer);
    }
    let text = match format {
        Format::Html => source::page(&args.recording, &options, &summary, &view)?,
        format => render(&summary, format, &view),
    };
    if let Some(path) = &args.output {
        fs::write(path, text).map_err(|source| CliError::Output {
            target: path.display().to_string(),
            source,
        })?;
        if args.open {
            browser::open(path)?;
        }
        return Ok(OK);
    }
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(CliError::from_output)?;
    if matches!(format, Format::Text) && !args.tree {
        // A message that cannot be written changes nothing about the report.
        let _ = writeln!(
            err,
            "next: laptime report {} --tree",
            quoted(&args.recording)
        );
    }
    Ok(OK)
}

fn no_metric(question: &Until, summary: &Summary) -> CliError {
    let paths = summary.metrics.iter().map(|metric| metric.path.clone());
    CliError::NoMetric {
        metric: question.metric.clone(),
        known: paths.collect(),
    }
}

/// The format that a file's name asks for.
fn format_of(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "md" | "markdown" => Some(Format::Markdown),
        "json" => Some(Format::Json),
        "csv" => Some(Format::Csv),
        "txt" => Some(Format::Text),
        "html" | "htm" => Some(Format::Html),
        _ => None,
    }
}
