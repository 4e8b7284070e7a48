//! A recording on disk: its summary, its page, its spans, and answers to questions.
//!
//! The reader hands out the records, the analysis takes them in, the report shows what came of
//! it; here they meet. Files are opened when they are asked for and hold nothing in between.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use laptime_analysis::compare::Run;
use laptime_analysis::ranks::RankSteps;
use laptime_analysis::{
    Analyzer, LaneBudget, Options, ProcessKey, ReadAgain, SpanLanes, Summary, Until, UntilReader,
    UntilSummary,
};
use laptime_core::format::reader::VisitProcess;
use laptime_core::{Live, Unavailable, Warning};
use laptime_reader::{
    LeftOut, ProcessReader, ReadError, RecordedProcess, RecordingFiles, SpanRows,
};
use laptime_recorder::keeper;
use laptime_report::html::{self, Page, TimelinePanel};
use laptime_report::{Document, Shown, View};

use crate::report::Report;

/// Processes that get a panel on a page; more would hold nobody's attention.
const MOST_PANELS: usize = 64;
/// Tracks that a process has room for on a page, however many processes there are.
const LEAST_TRACKS: usize = 8;

/// The report of a recording on disk: a folder, a packed file, a process's file or a reference.
///
/// ```
/// let error = laptime::open("no/such.lap").unwrap_err();
/// assert_eq!(error.to_string(), "no/such.lap: no such file");
/// ```
///
/// **Errors** when nothing is there, when it is no recording or a newer one, or when it is
/// damaged; with the file and the offset. [`Recorded`] reads what is intact of a damaged one.
pub fn open(path: impl AsRef<Path>) -> Result<Report, ReadError> {
    Recorded::new(path.as_ref()).summary().map(Report::new)
}

/// A recording on disk, and how it is to be read.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Where it is.
    pub path: PathBuf,
    /// Whether damage becomes a warning, and what is intact is read.
    pub salvage: bool,
    /// Whether the summary has each process's rows by themselves too.
    pub by_process: bool,
}

impl Recorded {
    /// A recording that is to be read whole.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            salvage: false,
            by_process: false,
        }
    }

    /// Sums up the recording.
    ///
    /// **Cost** one buffer of 64 KiB and the totals of each path, however long the recording is.
    ///
    /// **Errors** as [`open`] says.
    pub fn summary(&self) -> Result<Summary, ReadError> {
        let (analyzer, _) = self.analyzed()?;
        Ok(analyzer.finish())
    }

    /// The summary, and how long each path took in each step: what recordings are compared by.
    ///
    /// **Cost** as [`Self::summary`], and about 100 kB a path; the recording is read twice more.
    ///
    /// **Errors** as [`open`] says.
    pub fn run(&self) -> Result<Run, ReadError> {
        let (analyzer, mut processes) = self.analyzed()?;
        let durations = analyzer.durations(&mut processes)?;
        Ok(Run {
            name: self.path.display().to_string(),
            summary: analyzer.finish(),
            durations,
        })
    }

    /// The steps of each process that told its rank, by rank.
    ///
    /// **Cost** as [`Self::summary`], and 120 B a step; the recording is read once more.
    ///
    /// **Errors** as [`open`] says.
    pub fn rank_steps(&self) -> Result<Vec<RankSteps>, ReadError> {
        let (analyzer, mut processes) = self.analyzed()?;
        analyzer.rank_steps(&mut processes)
    }

    /// What the analysis makes of all records, and the processes in the order of the files.
    pub(crate) fn analyzed(&self) -> Result<(Analyzer, Vec<(Readable, ProcessKey)>), ReadError> {
        let (files, processes) = self.begin()?;
        let mut analyzer = Analyzer::new(Options {
            run: files.run.clone(),
            by_process: self.by_process,
        });
        for left_out in &files.left_out {
            analyzer.warn(warning(left_out));
        }
        let mut read = Vec::new();
        for mut process in processes {
            let mut facts = process.reader.facts();
            facts.is_running = keeper::is_running(&facts.header);
            let key = analyzer.process(facts);
            process.read(&mut analyzer.first_pass(key))?;
            analyzer.end(key, process.reader.facts());
            for damage in &process.left_out {
                let text = format!("{}: {damage}", process.file.name);
                analyzer.warn(Warning::new("damaged", text).with_hint(
                    "what was read before the damage counts; the rest of that window does not",
                ));
            }
            read.push((Readable(process), key));
        }
        analyzer.read_again(&mut read)?;
        Ok((analyzer, read))
    }

    /// The page of the recording, whose summary is known.
    ///
    /// **Cost** 32 bytes per span, up to a bound; beyond it short neighbours are merged.
    ///
    /// **Errors** as [`open`] says.
    pub fn page(&self, summary: &Summary, view: &View) -> Result<Shown, ReadError> {
        let (files, processes) = self.begin()?;
        let zero_ns = files.zero_ns(&processes);
        let further = processes.len().saturating_sub(MOST_PANELS);
        let mut panels = panels(processes, zero_ns)?;
        if let Some(last) = panels.last_mut().filter(|_| further > 0) {
            let note = format!("{further} further processes are not drawn");
            last.notes.push(note);
        }
        let why = panels
            .is_empty()
            .then(|| Unavailable("the recording holds no span".to_owned()));
        Ok(html::render(&Page {
            title: summary.program.clone(),
            documents: vec![Document::of_page(summary, view)],
            panels,
            moments: html::Moments::of_run(summary),
            why,
            size: None,
        }))
    }

    /// When a metric first reached a threshold, in two passes over the windows.
    ///
    /// **Errors** as [`open`] says.
    pub fn until(&self, question: &Until) -> Result<UntilSummary, ReadError> {
        let (files, mut processes) = self.begin()?;
        let zero_ns = files.zero_ns(&processes);
        let mut answers = Vec::new();
        for process in &mut processes {
            let mut until = UntilReader::new(process.reader.facts().anchors, question);
            process.read(&mut until.search())?;
            if let Some(mut count) = until.count(process.reader.facts().anchors) {
                process.read(&mut count)?;
            }
            answers.push(until);
        }
        Ok(UntilReader::answer(question, &answers, zero_ns))
    }

    /// The single spans of every process, to be read window by window.
    ///
    /// **Errors** as [`open`] says.
    pub fn spans(
        &self,
    ) -> Result<impl Iterator<Item = Result<SpanRows, ReadError>> + Send + use<>, ReadError> {
        let (files, processes) = self.begin()?;
        let zero_ns = files.zero_ns(&processes);
        let rows = move |process| SpanRows::new(process, zero_ns);
        Ok(processes.into_iter().map(rows))
    }

    pub(crate) fn begin(&self) -> Result<(RecordingFiles, Vec<RecordedProcess>), ReadError> {
        let mut files = RecordingFiles::open(&self.path, self.salvage)?;
        let processes = files.begin()?;
        Ok((files, processes))
    }
}

/// A recorded process, for the analysis to read again.
pub(crate) struct Readable(pub RecordedProcess);

impl ReadAgain for Readable {
    type Error = ReadError;

    fn read_again(&mut self, visit: &mut impl VisitProcess) -> Result<(), ReadError> {
        self.0.read(visit)
    }
}

/// The windows of a running process, for the analysis to read again.
struct LiveWindows<'l> {
    reader: &'l mut ProcessReader,
    live: &'l Live,
}

impl ReadAgain for LiveWindows<'_> {
    type Error = Infallible;

    fn read_again(&mut self, visit: &mut impl VisitProcess) -> Result<(), Infallible> {
        // What is wrong with it was told in the first pass.
        let _ = self.reader.live_windows(self.live, visit);
        Ok(())
    }
}

/// The summary of a running process, steady state included where it can be told.
pub fn summarize_live(live: &Live) -> Summary {
    let mut analyzer = Analyzer::new(Options::default());
    let mut reader = ProcessReader::of_live(live);
    let key = analyzer.process(reader.facts());
    let outcome = reader.live_windows(live, &mut analyzer.first_pass(key));
    if let Err(damage) = outcome {
        analyzer.warn(Warning::new("damaged", damage.to_string()));
    }
    analyzer.live(key, &reader.folded(live));
    analyzer.end(key, reader.facts());
    let windows = LiveWindows {
        reader: &mut reader,
        live,
    };
    let Ok(()) = analyzer.read_steady_again(&mut [(windows, key)]);
    analyzer.finish()
}

fn panels(processes: Vec<RecordedProcess>, zero_ns: u64) -> Result<Vec<TimelinePanel>, ReadError> {
    let drawn = processes.len().clamp(1, MOST_PANELS);
    let whole = LaneBudget::default();
    let budget = LaneBudget {
        bars: whole.bars / drawn,
        tracks: (whole.tracks / drawn).max(LEAST_TRACKS),
    };
    let mut panels = Vec::new();
    for mut process in processes.into_iter().take(drawn) {
        let rate = process.reader.facts().anchors.rate();
        let mut lanes = SpanLanes::new(budget, rate);
        process.read(&mut lanes)?;
        let facts = process.reader.facts();
        let drawn = lanes.finish(&facts, zero_ns);
        if !drawn.lanes.is_empty() {
            let title = format!("{} · process {}", facts.header.program, facts.header.pid);
            panels.push(TimelinePanel::of_process(title, drawn));
        }
    }
    Ok(panels)
}

fn warning(left_out: &LeftOut) -> Warning {
    match left_out {
        LeftOut::Damage(error) => Warning::new("damaged", format!("{error}; left out")),
        LeftOut::Foreign(error) => Warning::new("unreadable-file", format!("{error}; left out")),
        LeftOut::NotBegun(name) => Warning::new(
            "process-not-begun",
            format!("{name} ended before its recording began"),
        ),
        LeftOut::Copied { name, read } => Warning::new(
            "copied-process",
            format!("{name} is the same process as {read}; left out"),
        ),
        LeftOut::Cut(length) => Warning::new(
            "truncated",
            format!(
                "the packed recording is cut off at byte {length}: what stood behind is missing"
            ),
        )
        .with_hint("copy the recording again"),
        LeftOut::Reference(target) => Warning::new(
            "reference",
            format!(
                "this recording was begun inside of another one, which is shown: {}, of the whole program",
                target.display(),
            ),
        ),
        LeftOut::Missing(missing, before) => Warning::new(
            "missing-processes",
            format!(
                "{missing} of {before} {} recorded and {} no file here: what they did is missing",
                if *before == 1 { "process" } else { "processes" },
                if *missing == 1 { "has" } else { "have" },
            ),
        )
        .with_hint("copy the recording again"),
        LeftOut::Run(wrong) => Warning::new(
            "doubtful-run",
            format!(
                "run.json is damaged or of another recording: {wrong}; the run's start and end are those of its program"
            ),
        ),
    }
}
