//! Scripted processes, read as a recording is and given to an analyzer.

use std::convert::Infallible;

use laptime_core::format::process::window_offset;
use laptime_core::format::reader::VisitProcess;
use laptime_reader::ProcessReader;

use super::scripted::Script;
use super::{Analyzer, Options, ProcessKey, ReadAgain, Run, Summary};

/// A scripted process with its reader.
pub struct ScriptReader<'s> {
    script: &'s Script,
    /// The reader of its bytes.
    pub reader: ProcessReader,
}

impl ReadAgain for ScriptReader<'_> {
    type Error = Infallible;

    fn read_again(&mut self, visit: &mut impl VisitProcess) -> Result<(), Infallible> {
        read(self.script, &mut self.reader, visit);
        Ok(())
    }
}

/// Begins to read a script's bytes.
pub fn reader(script: &Script) -> ProcessReader {
    let name = format!("{}.proc", script.header.pid);
    let mut reader = ProcessReader::begin(&script.prefix(), &name).expect("a whole header");
    let windows = script.windows();
    let windows = windows.iter().enumerate();
    reader.settle(windows.map(|(index, window)| (window_offset(index as u64), &window[..])));
    reader
}

/// Hands a script's windows to a visitor, in order.
pub fn read(script: &Script, reader: &mut ProcessReader, visit: &mut impl VisitProcess) {
    for (index, window) in (0..).zip(script.windows()) {
        let offset = window_offset(index);
        if visit.wants(offset) {
            reader
                .window(&window, offset, visit)
                .expect("whole windows");
        }
    }
    reader.end_pass();
}

/// Tells an analyzer who a scripted process is.
pub fn begin<'s>(analyzer: &mut Analyzer, script: &'s Script) -> (ScriptReader<'s>, ProcessKey) {
    let reader = reader(script);
    let key = analyzer.process(reader.facts());
    (ScriptReader { script, reader }, key)
}

/// Gives a scripted process to the first pass.
pub fn first_pass<'s>(
    analyzer: &mut Analyzer,
    script: &'s Script,
) -> (ScriptReader<'s>, ProcessKey) {
    let (mut begun, key) = begin(analyzer, script);
    read(script, &mut begun.reader, &mut analyzer.first_pass(key));
    analyzer.end(key, begun.reader.facts());
    (begun, key)
}

/// Sums up scripted processes, the steady state where there is one.
pub fn summarize(scripts: &[Script], options: Options) -> Summary {
    analyzed(scripts, options).0.finish()
}

/// Makes scripted processes a run that can be compared.
pub fn run(name: &str, scripts: &[Script]) -> Run {
    let (analyzer, mut readers) = analyzed(scripts, Options::default());
    let Ok(durations) = analyzer.durations(&mut readers);
    Run {
        name: name.to_owned(),
        durations,
        summary: analyzer.finish(),
    }
}

/// Reads everything, by all passes.
fn analyzed(
    scripts: &[Script],
    options: Options,
) -> (Analyzer, Vec<(ScriptReader<'_>, ProcessKey)>) {
    let mut analyzer = Analyzer::new(options);
    let mut readers: Vec<_> = scripts
        .iter()
        .map(|script| first_pass(&mut analyzer, script))
        .collect();
    let Ok(()) = analyzer.read_again(&mut readers);
    (analyzer, readers)
}
