//! Scripted processes, read and fed to an analyzer.

use laptime_core::format::process::window_offset;
use laptime_core::format::reader::VisitProcess;
use laptime_reader::ProcessReader;

use super::scripted::Script;
use super::{Analyzer, Options, ProcessKey, Run, Summary};

/// A process that an analyzer is told of.
pub struct Fed {
    /// The process's key in the analyzer.
    pub key: ProcessKey,
    /// What reads it.
    pub reader: ProcessReader,
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
pub fn begin(analyzer: &mut Analyzer, script: &Script) -> Fed {
    let reader = reader(script);
    let key = analyzer.process(reader.facts());
    Fed { key, reader }
}

/// The first pass over a scripted process.
pub fn feed(analyzer: &mut Analyzer, script: &Script) -> Fed {
    let mut fed = begin(analyzer, script);
    read(script, &mut fed.reader, &mut analyzer.first_pass(fed.key));
    analyzer.end(fed.key, fed.reader.facts());
    fed
}

/// The second pass over it.
pub fn feed_again(analyzer: &mut Analyzer, script: &Script, fed: &mut Fed) {
    if let Some(mut pass) = analyzer.second_pass(fed.key) {
        read(script, &mut fed.reader, &mut pass);
    }
}

/// The summary of scripted processes, in two passes where there is a steady state.
pub fn summarize(scripts: &[Script], options: Options) -> Summary {
    analyzed(scripts, options).0.finish()
}

/// Scripted processes as a run that can be compared.
pub fn run(name: &str, scripts: &[Script]) -> Run {
    let (mut analyzer, mut fed) = analyzed(scripts, Options::default());
    analyzer.begin_durations();
    for (script, fed) in scripts.iter().zip(&mut fed) {
        if let Some(mut pass) = analyzer.step_pass(fed.key) {
            read(script, &mut fed.reader, &mut pass);
        }
        if let Some(mut pass) = analyzer.duration_pass(fed.key) {
            read(script, &mut fed.reader, &mut pass);
        }
    }
    Run {
        name: name.to_owned(),
        durations: analyzer.take_durations(),
        summary: analyzer.finish(),
    }
}

/// Everything read, up to the last number.
fn analyzed(scripts: &[Script], options: Options) -> (Analyzer, Vec<Fed>) {
    let mut analyzer = Analyzer::new(options);
    let mut fed: Vec<Fed> = scripts
        .iter()
        .map(|script| feed(&mut analyzer, script))
        .collect();
    if analyzer.wants_second_pass() {
        analyzer.begin_second_pass();
        for (script, fed) in scripts.iter().zip(&mut fed) {
            feed_again(&mut analyzer, script, fed);
        }
    }
    for (script, fed) in scripts.iter().zip(&mut fed) {
        if let Some(mut pass) = analyzer.stack_pass(fed.key) {
            read(script, &mut fed.reader, &mut pass);
            pass.finish();
        }
        if let Some(mut pass) = analyzer.operator_pass(fed.key) {
            read(script, &mut fed.reader, &mut pass);
            pass.finish();
        }
        if let Some(mut pass) = analyzer.left_out_pass(fed.key) {
            read(script, &mut fed.reader, &mut pass);
            pass.finish();
        }
        if let Some(mut pass) = analyzer.energy_pass(fed.key) {
            read(script, &mut fed.reader, &mut pass);
            pass.finish();
        }
    }
    (analyzer, fed)
}
