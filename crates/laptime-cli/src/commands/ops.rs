//! `laptime ops`: what a model costs, in the form asked for.

use std::io;
use std::path::{Path, PathBuf};

use laptime_core::{Counts, Unavailable, Warning};
use laptime_recorder::ceilings;
use laptime_report::Format;
use laptime_report::roofline::{Roof, Roofline, of_counts};
use laptime_report::tables::operations::{OperationsView, render};

use super::output;
use super::report::format_of;
use crate::args::OpsArgs;
use crate::error::{CliError, OK};
use crate::messages::{quoted, say};
use crate::ops;
use crate::outlet::Outlet;
use crate::terminal::{self, Stream};

/// Counts the target and writes what it costs.
pub fn run(args: &OpsArgs, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    let format = format(args)?;
    not_over_the_model(args)?;
    let (mut counts, subject) = ops::count(args)?;
    let to_file = args.output.is_some();
    let view = OperationsView {
        by: args.by,
        depth: args.depth,
        sort: args.sort,
        exact: args.exact,
        width: if to_file {
            None
        } else {
            terminal::width(Stream::Out)
        },
        color: !to_file && terminal::is_coloured(Stream::Out),
        utf8: to_file || terminal::is_utf8(Stream::Out),
    };
    let roofline = match args.roofline.then(|| roofline(args, &counts)) {
        None => None,
        Some(Ok(roofline)) => Some(roofline),
        Some(Err(why)) => {
            let message = format!("no roofline: {why}");
            let warning = Warning::new("no-roofline", message);
            counts.warnings.push(warning.with_hint(
                "lt.ceilings() measures this machine's, of the types and devices that torch has",
            ));
            None
        }
    };
    let text = render(&counts, &subject, roofline.as_ref(), format, &view);
    let is_printed = output::write(&text, args.output.as_deref(), args.open, (out, err))?;
    if is_printed && format == Format::Text {
        // A message that cannot be written changes nothing about the report.
        say(err, format_args!("next: {}", next(args)));
    }
    Ok(OK)
}

/// Refuses to write over what is counted.
fn not_over_the_model(args: &OpsArgs) -> Result<(), CliError> {
    let model = Path::new(&args.target);
    let read = [model.to_owned(), model.join("config.json")];
    let same = |output: &&PathBuf| {
        let output = output.canonicalize();
        output.is_ok_and(|output| {
            read.iter()
                .any(|read| read.canonicalize().is_ok_and(|read| read == output))
        })
    };
    match args.output.as_ref().filter(same) {
        Some(path) => Err(CliError::Output {
            target: path.display().to_string(),
            source: io::Error::other("it is what is counted"),
        }),
        None => Ok(()),
    }
}

/// The roof of the device for what is multiplied most, and what stands below it.
fn roofline(args: &OpsArgs, counts: &Counts) -> Result<Roofline, Unavailable> {
    let dtype = counts.by_dtype.first();
    let dtype = dtype.map_or("float32", |(dtype, _)| dtype.as_str());
    let roof = Roof::of_device(&ceilings::kept_or_measured(), &args.device, dtype)?;
    Roofline::new(roof, of_counts(counts, args.by, args.depth))
}

/// The format that was asked for, by name or by the output's ending.
fn format(args: &OpsArgs) -> Result<Format, CliError> {
    if let Some(format) = args.format.or(args.json.then_some(Format::Json)) {
        return Ok(format);
    }
    let by_name = args.output.as_deref().map(format_of).transpose()?;
    Ok(by_name.flatten().unwrap_or_default())
}

/// The command to type next: the same with its roofline, then as a page.
fn next(args: &OpsArgs) -> String {
    let word = |word: &str| quoted(std::path::Path::new(word));
    let mut words = vec![format!("laptime ops {}", word(&args.target))];
    let dtype = |of: &ops::sizes::Sizes| {
        let sizes: Vec<String> = of.sizes.iter().map(u64::to_string).collect();
        let dtype = of.dtype.as_ref().map(|dtype| format!(":{dtype}"));
        sizes.join(",") + &dtype.unwrap_or_default()
    };
    words.extend(args.input.iter().map(|of| format!("--input {}", dtype(of))));
    words.extend(args.kwarg.iter().map(|one| {
        format!(
            "--kwarg {}",
            word(&format!("{}={}", one.label, dtype(&one.of)))
        )
    }));
    words.extend(
        args.dim
            .iter()
            .map(|one| format!("--dim {}", word(&format!("{}={}", one.name, one.size)))),
    );
    words.extend(args.seq.map(|length| format!("--seq {length}")));
    if args.trust {
        words.push("--trust".to_owned());
    }
    if args.backward {
        words.push("--backward".to_owned());
    }
    words.push("--roofline".to_owned());
    if args.roofline {
        words.push("-o ops.html".to_owned());
    }
    words.join(" ")
}
