//! The first line of a report as JSON: the sentence that a terminal prints, and its parts as data.

use laptime_analysis::Summary;
use laptime_analysis::summarize::headline::headline;
use laptime_analysis::summary::headline as found;
use serde::Serialize;

use crate::sentences::calls;
use crate::sentences::headline as sentences;

/// The stretch of a run that a number is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stretch {
    /// The steps after warm-up.
    Steady,
    /// The whole run.
    Whole,
}

/// The first line of a report: what took the time, and what a step is made of.
///
/// **Units** nanoseconds; ratios are of 1.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Headline {
    /// The first line of the report in a terminal, after the program's name.
    text: String,
    /// The time of the run.
    wall_ns: u64,
    /// Whether it still runs.
    is_running: bool,
    /// Time that the parts are shares of: that of the run, or of all its processes or threads together.
    whole_ns: u64,
    /// The function that the program waited in, if that is told: the parts are what it did in the rest of the time.
    waiting: Option<HeadlinePart>,
    /// The functions that it waited in, with their shares of the whole, where no single one has most of the waiting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting_parts: Vec<HeadlinePart>,
    /// The largest parts of the run, the largest first.
    parts: Vec<HeadlinePart>,
    /// The parts that are not named, together.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<OtherParts>,
    /// A step, where the run repeats one.
    step: Option<HeadlineStep>,
}

/// A part of the run or of a step.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct HeadlinePart {
    /// The kind of the part.
    kind: PartKind,
    /// The name: of a lap, a row outside of laps, an imported module or a function.
    name: String,
    /// The file of the program's line that the time is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The share of the whole; where several were open at once, how many were on average.
    ratio: f64,
    /// Whether several of it were open at once, in threads or tasks: then its ratio is no share.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_several_at_once: bool,
    /// Whether it waited as well, and the ratio is of its work alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_work_alone: bool,
    /// The function of the program that a package calls in most of the time of this part.
    #[serde(skip_serializing_if = "Option::is_none")]
    mostly: Option<InnerFunction>,
}

/// A function of the program that a part is mostly in.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct InnerFunction {
    /// Its name.
    name: String,
    /// The file that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line in which most of its time went by.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// The kind of a part.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum PartKind {
    /// A lap.
    Lap,
    /// Laps whose names differ by a number only, which is `#` in the name.
    NumberedLaps,
    /// Compiling, wherever it happens.
    Compiling,
    /// Time in no lap.
    Leftover,
    /// An import.
    Import,
    /// A function of the program; without a name its code outside of functions.
    Function,
    /// A line of a function of the program that has other lines or calls other parts.
    Line,
    /// The own time of a function of the program that calls other parts.
    Itself,
    /// A function of a package, at the program's line that calls it.
    Library,
    /// Garbage collections, at the program's line that nearly all of them began in.
    Collection,
    /// A function that is built in.
    Builtin,
    /// The interpreter's wait for its threads, before it ends.
    ThreadsWait,
}

/// Parts that are too small to be named.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OtherParts {
    /// The number of parts.
    count: usize,
    /// The share of all of them.
    ratio: f64,
}

/// A step: how long it takes, and what it is made of.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct HeadlineStep {
    /// The path of the steps.
    path: String,
    /// The stretch whose steps these are.
    stretch: Stretch,
    /// The mean step on the host; null where only a device's time is told.
    mean_ns: Option<u64>,
    /// The median, where it is far from the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    p50_ns: Option<u64>,
    /// The mean step on the device, where a device does the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    device_ns: Option<u64>,
    /// The mean time from a step to the next, where much of that is between them: then shares are of this.
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration_ns: Option<u64>,
    /// The share between two steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    between_ratio: Option<f64>,
    /// The largest parts of a step, the largest first.
    parts: Vec<HeadlinePart>,
    /// The parts that are not named, together.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<OtherParts>,
    /// The share outside of all parts, where that matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    outside_ratio: Option<f64>,
}

impl Headline {
    /// Puts the first line of a report together, which speaks of the steady state where its table is shown.
    pub fn new(summary: &Summary, with_steady: bool) -> Self {
        let headline = headline(summary, with_steady);
        let text = sentences::plain(&headline);
        let whole_ns = match headline.whole {
            found::Whole::Wall => headline.wall_ns,
            found::Whole::Processes { total_ns, .. } | found::Whole::Threads { total_ns } => {
                total_ns
            }
        };
        let (waiting, waiting_parts) = headline.waiting.map_or((None, Vec::new()), |waiting| {
            let parts = waiting.parts.into_iter();
            let parts = parts.map(|part| HeadlinePart::new(part.name, part.ratio));
            let first = HeadlinePart::new(waiting.name, waiting.ratio);
            (Some(first), parts.collect())
        });
        let step = match headline.step {
            found::StepPart::Told(step) => Some(HeadlineStep::from_found(step)),
            found::StepPart::Absent | found::StepPart::Torn => None,
        };
        let (parts, others) = largest(headline.parts);
        Self {
            text,
            wall_ns: headline.wall_ns,
            is_running: headline.is_running,
            whole_ns,
            waiting,
            waiting_parts,
            parts,
            others,
            step,
        }
    }
}

/// Takes the parts apart into named ones and others.
fn largest(parts: found::LargestParts) -> (Vec<HeadlinePart>, Option<OtherParts>) {
    let named = parts.named.into_iter().map(|part| HeadlinePart {
        is_several_at_once: part.is_several_at_once,
        is_work_alone: part.is_work_alone,
        mostly: part.mostly.map(|name| {
            let HeadlinePart {
                name, file, line, ..
            } = HeadlinePart::new(name, part.ratio);
            InnerFunction { name, file, line }
        }),
        ..HeadlinePart::new(part.name, part.ratio)
    });
    let others = parts.others.map(|others| OtherParts {
        count: others.count,
        ratio: others.ratio,
    });
    (named.collect(), others)
}

impl HeadlineStep {
    fn from_found(step: found::StepHeadline) -> Self {
        let (mean_ns, p50_ns, device_ns) = match step.duration {
            found::StepDuration::OnHost {
                mean_ns, median_ns, ..
            } => (Some(mean_ns), median_ns, None),
            found::StepDuration::OnDevice { mean_ns, host_ns } => (host_ns, None, Some(mean_ns)),
        };
        let (parts, others) = largest(step.parts);
        Self {
            path: step.path,
            stretch: if step.is_steady {
                Stretch::Steady
            } else {
                Stretch::Whole
            },
            mean_ns,
            p50_ns,
            device_ns,
            iteration_ns: step.iteration.map(|one| one.mean_ns),
            between_ratio: step.iteration.map(|one| one.between_ratio),
            parts,
            others,
            outside_ratio: step.outside_ratio,
        }
    }
}

impl HeadlinePart {
    fn new(name: found::PartName, ratio: f64) -> Self {
        use found::PartName as Name;
        let (kind, name, place) = match name {
            Name::Lap(name) => (PartKind::Lap, name, None),
            Name::NumberedLaps { pattern, .. } => (PartKind::NumberedLaps, pattern, None),
            Name::Compiling => (PartKind::Compiling, "compile".to_owned(), None),
            Name::Leftover(name) => (PartKind::Leftover, name, None),
            Name::BeforeFirstLap => (PartKind::Leftover, "startup".to_owned(), None),
            Name::Import { module, place } => (PartKind::Import, module, place),
            Name::Function { name, place } => (PartKind::Function, name, place),
            Name::Line { function, place } => (PartKind::Line, function, Some(place)),
            Name::Itself { function, place } => (PartKind::Itself, function, Some(place)),
            Name::Called {
                name,
                package,
                place,
            } => (PartKind::Library, calls::called(&name, &package), place),
            Name::Collection { place } => (PartKind::Collection, String::new(), place),
            Name::Builtin(name) => (PartKind::Builtin, name, None),
            Name::ThreadsWait => (PartKind::ThreadsWait, String::new(), None),
        };
        let place = place.map(|place| (place.file, place.line));
        Self {
            kind,
            name,
            line: place
                .as_ref()
                .map(|(_, line)| *line)
                .filter(|line| *line > 0),
            file: place.map(|(file, _)| file),
            ratio,
            is_several_at_once: false,
            is_work_alone: false,
            mostly: None,
        }
    }
}
