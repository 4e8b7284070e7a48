//! `laptime export`: a recording in the format of another tool.

use std::path::Path;

use laptime::{ExportFormat, Recorded};

use crate::args::ExportArgs;
use crate::error::{CliError, OK};
use crate::messages::{quoted, say};
use crate::outlet::Outlet;
use crate::terminal::{self, Stream};

/// Reads the recording and writes it anew.
pub fn run(args: &ExportArgs, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    let format = format(args)?;
    let recorded = Recorded {
        salvage: true,
        ..Recorded::new(&args.recording)
    };
    let exported = match &args.output {
        Some(path) => recorded.export_file(format, path),
        None if format.is_binary() && terminal::is_terminal(Stream::Out) => {
            return Err(CliError::Binary {
                format: format.name(),
                ending: ending(format),
            });
        }
        None => recorded.export(format, out.unseen()),
    };
    let exported = exported.map_err(CliError::from_export)?;
    for warning in &exported.warnings {
        say(err, format_args!("laptime: warning: {}", warning.message));
    }
    if let Some(path) = &args.output {
        say(err, next(format, path));
    }
    Ok(OK)
}

/// The format that was named, or the one that the output's name ends in.
fn format(args: &ExportArgs) -> Result<ExportFormat, CliError> {
    let named = args.output.as_deref().map(|path| {
        let name = path.file_name().unwrap_or_default();
        let format = ExportFormat::of_file(&name.to_string_lossy());
        format.ok_or_else(|| CliError::UnknownExport {
            path: path.to_owned(),
        })
    });
    match (args.format, named) {
        (Some(format), _) => Ok(format),
        (None, Some(format)) => format,
        (None, None) => Err(CliError::NoFormat),
    }
}

/// An ending of a format's files.
fn ending(format: ExportFormat) -> &'static str {
    let endings = ExportFormat::ENDINGS.iter();
    let mut endings = endings.filter(|(_, known)| *known == format);
    endings.next_back().map_or("", |(ending, _)| *ending)
}

/// What opens it.
fn next(format: ExportFormat, path: &Path) -> String {
    let file = quoted(path);
    // As Python reads it: what a name holds ends no text.
    let literal = format!("{:?}", path.display().to_string());
    match format {
        ExportFormat::Chrome => {
            format!("next: open {file} in https://ui.perfetto.dev or chrome://tracing")
        }
        ExportFormat::Perfetto => format!("next: open {file} in https://ui.perfetto.dev"),
        ExportFormat::Speedscope => format!("next: open {file} in https://www.speedscope.app"),
        ExportFormat::Collapsed => format!(
            "next: open {file} in https://www.speedscope.app, or flamegraph.pl --countname ns {file} > flame.svg"
        ),
        ExportFormat::Parquet => format!("next: polars.read_parquet({literal})"),
        ExportFormat::Pstats => format!("next: python -m pstats {file}, or snakeviz {file}"),
    }
}
