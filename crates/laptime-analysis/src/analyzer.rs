//! Takes in process files window by window and ends in a [`Summary`].

use std::collections::BTreeMap;

use laptime_core::{ClockKind, Live, RunInfo, Warning};

use crate::error::AnalysisError;
use crate::summary::{ClockSummary, SCHEMA, SCHEMA_VERSION, Summary, WallSource};

/// What the caller knows and wants.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The launcher's description of the run.
    pub run: Option<RunInfo>,
    /// Whether damage is an error rather than a warning.
    pub strict: bool,
}

/// One process of the run being analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessKey(usize);

/// Sums up a recording; its memory does not grow with the number of spans.
#[derive(Debug)]
pub struct Analyzer {
    options: Options,
    warnings: Vec<Warning>,
}

impl Analyzer {
    /// Nothing taken in yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            warnings: Vec::new(),
        }
    }

    /// Begins a process file with its first `PREFIX_LEN` bytes, or as many as it has.
    pub fn process(&mut self, _prefix: &[u8], _name: &str) -> Result<ProcessKey, AnalysisError> {
        Ok(ProcessKey(0))
    }

    /// Takes in the slot at `offset` of the process's file.
    pub fn window(
        &mut self,
        _process: ProcessKey,
        _bytes: &[u8],
        _offset: u64,
    ) -> Result<(), AnalysisError> {
        Ok(())
    }

    /// Takes in a snapshot of the running process.
    pub fn live(&mut self, _live: &Live) -> ProcessKey {
        ProcessKey(0)
    }

    /// Adds a reason for doubt that the caller found, such as a process file it had to leave out.
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    /// Whether a steady state was found whose numbers need the same windows once more.
    pub fn wants_second_pass(&self) -> bool {
        false
    }

    /// From here on the windows of all processes are fed again, with the same keys.
    pub fn begin_second_pass(&mut self) {}

    /// Everything known about the run.
    pub fn finish(self) -> Summary {
        Summary {
            schema: SCHEMA.to_owned(),
            version: SCHEMA_VERSION,
            program: self
                .options
                .run
                .as_ref()
                .map(|run| run.program.clone())
                .unwrap_or_default(),
            run: self.options.run,
            wall_ns: 0,
            wall_source: WallSource::Recording,
            span_count: 0,
            clock: ClockSummary {
                kind: ClockKind::Monotonic,
                ns_per_tick: 1.0,
                is_measured: true,
            },
            processes: Vec::new(),
            rows: Vec::new(),
            steady: None,
            steady_why: None,
            marks: Vec::new(),
            metrics: Vec::new(),
            tracks: Vec::new(),
            environment: BTreeMap::new(),
            warnings: self.warnings,
            unavailable: BTreeMap::new(),
        }
    }
}

/// The summary of a running process.
pub fn summarize_live(live: &Live, run: Option<RunInfo>) -> Summary {
    let mut analyzer = Analyzer::new(Options {
        run,
        ..Options::default()
    });
    analyzer.live(live);
    analyzer.finish()
}
