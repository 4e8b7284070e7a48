//! `laptime doctor`: what Laptime finds on this machine, and where settings come from.

use std::env;
use std::path::{Path, PathBuf};

use laptime_core::ClockKind;
use laptime_recorder::environment::{Asked, PYTHON_VARIABLE};
use laptime_recorder::keeper;
use laptime_report::quantity::bytes;

use laptime_report::Shown;
use laptime_report::text::wrapped_cells;

use crate::args::DoctorArgs;
use crate::error::{CliError, OK};
use crate::launch::target::interpreter;
use crate::machine::{Device, Devices, Limits, Machine, SpanCost};
use crate::messages::say;
use crate::outlet::Outlet;
use crate::terminal::{self, Stream};

use super::config::{self, Row};

/// What is kept of functions, and how not to.
const SAMPLED: &str = "by laptime run: their names, files and lines, no source and no values; --no-stacks or \
                       LAPTIME_STACKS=0 switches it off";

/// Prints what was found, or what was chosen.
pub fn run(args: &DoctorArgs, out: &mut Outlet<'_>, err: &mut Outlet<'_>) -> Result<i32, CliError> {
    let text = if args.ceilings {
        ceilings(args.json)
    } else if args.config {
        let asked = Asked::here();
        for ignored in &asked.warnings {
            say(err, format_args!("laptime: warning: {ignored}"));
        }
        let rows = config::rows(&asked);
        if args.json {
            Shown::json(config::json(rows))
        } else {
            Shown::lines(&table(&rows))
        }
    } else {
        let machine = examine();
        if args.json {
            let json = serde_json::to_string_pretty(&machine).unwrap_or_default();
            Shown::json(json)
        } else {
            Shown::lines(&table(&findings(&machine)))
        }
    };
    out.show(&text).map_err(CliError::from_output)?;
    Ok(OK)
}

/// Measures the processor anew; what frameworks measured before stays.
fn ceilings(json: bool) -> Shown {
    let mut ceilings = laptime_recorder::ceilings::measure();
    if let Some(known) = laptime_recorder::ceilings::load() {
        ceilings.extend(known);
    }
    // What can't be kept is measured again next time.
    let _ = laptime_recorder::ceilings::store(&ceilings);
    if json {
        laptime_report::tables::ceilings::json(&ceilings)
    } else {
        laptime_report::tables::ceilings::text(&ceilings)
    }
}

fn examine() -> Machine {
    let host = env::var_os(PYTHON_VARIABLE).map(PathBuf::from);
    let python = interpreter(host.as_deref(), Path::new(""))
        .ok()
        .map(|path| path.display().to_string());
    Machine::examine(python, keeper::boot_id())
}

/// What was found, as name, value and reason.
fn findings(machine: &Machine) -> Vec<Row> {
    let clock = match machine.clock.kind {
        ClockKind::Tsc => "time stamp counter",
        ClockKind::Monotonic => "CLOCK_MONOTONIC",
    };
    let built = if machine.unoptimised {
        "built without optimisation: every cost below is too high"
    } else {
        ""
    };
    let mut rows = vec![
        ("laptime", machine.laptime.to_owned(), built.to_owned()),
        ("clock", clock.to_owned(), machine.clock.why.to_owned()),
    ];
    rows.extend(costs(&machine.span));
    rows.extend(limits(&machine.limits));
    let (counted, why) = match &machine.memory_why {
        None => (
            "yes",
            "in Python, and in Rust with laptime::alloc::Tally".to_owned(),
        ),
        Some(reason) => ("no", reason.to_string()),
    };
    rows.push(("memory of laps", counted.to_owned(), why));
    rows.push(("functions", sampled(), SAMPLED.to_owned()));
    rows.extend(devices(&machine.devices));
    let none = || "none".to_owned();
    rows.push((
        "python",
        machine.python.clone().unwrap_or_else(none),
        "runs scripts".to_owned(),
    ));
    rows.push((
        "boot",
        machine.boot_id.clone().unwrap_or_else(none),
        String::new(),
    ));
    rows
}

/// Whether `laptime run` samples functions here.
fn sampled() -> String {
    let is_off = Asked::here().stacks == Some(false);
    if is_off { "not sampled" } else { "sampled" }.to_owned()
}

fn costs(span: &SpanCost) -> Vec<Row> {
    let nanoseconds = |ns: f64| format!("{ns:.1} ns");
    let recorded = match span.recorded_ns {
        Some(ns) => nanoseconds(ns),
        None => "–".to_owned(),
    };
    let why = span.recorded_why.clone().unwrap_or_default();
    vec![
        (
            "two clock reads",
            nanoseconds(span.two_clock_reads_ns),
            "the least a span can cost".to_owned(),
        ),
        ("span, recorded", recorded, why),
        ("span, off", nanoseconds(span.off_ns), String::new()),
    ]
}

fn limits(limits: &Limits) -> Vec<Row> {
    let or_unknown = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    vec![
        (
            "disk, free",
            or_unknown(limits.free_bytes.map(bytes)),
            "where recordings go: here".to_owned(),
        ),
        (
            "file size limit",
            limits
                .file_size_limit_bytes
                .map_or("none".to_owned(), bytes),
            "ulimit -f".to_owned(),
        ),
        (
            "files mapped",
            yes_no(limits.mapping),
            limits.mapping_why.clone().unwrap_or_default(),
        ),
        (
            "processes visible",
            yes_no(limits.processes_visible),
            "can detect Pythons that run without Laptime".to_owned(),
        ),
    ]
}

fn devices(found: &Devices) -> Vec<Row> {
    let absent = || "–".to_owned();
    let mut about: Vec<String> = Vec::new();
    about.extend(
        found
            .cuda
            .as_ref()
            .map(|version| format!("runs CUDA up to {version}")),
    );
    about.extend(found.cuda_why.clone());
    if found.cuda.is_some() {
        about.extend(found.nvidia_driver_why.clone());
    }
    let driver = found.nvidia_driver.clone().unwrap_or_else(absent);
    let mut rows = vec![("NVIDIA driver", driver, about.join("; "))];
    rows.extend(found.nvidia.iter().map(|device| {
        let name = device.name.clone().unwrap_or_else(absent);
        ("NVIDIA device", name, about_device(device))
    }));
    let others = found.others.iter();
    rows.extend(others.map(|other| (other.kind, absent(), other.why.clone())));
    rows
}

fn about_device(device: &Device) -> String {
    let parts = [
        device.index.map(|index| format!("cuda:{index}")),
        device.memory_bytes.map(bytes),
        device
            .multiprocessors
            .map(|count| format!("{count} multiprocessors")),
        device
            .compute_capability
            .as_ref()
            .map(|version| format!("compute capability {version}")),
        device.uuid.clone(),
        device.why.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Rows in aligned columns, the reasons in the width of the terminal.
fn table(rows: &[Row]) -> String {
    let cells = rows
        .iter()
        .map(|(name, value, why)| [*name, value.as_str(), why.as_str()]);
    wrapped_cells(&cells.collect::<Vec<_>>(), terminal::width(Stream::Out))
}
