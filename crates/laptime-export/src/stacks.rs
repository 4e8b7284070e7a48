//! Sampled stacks of one thread as bars that nest: a call that is on consecutive samples is one bar.
//!
//! A sample stands for the time up to its moment, so that is where its calls are drawn. Perfetto's page
//! shows no samples of Trace Event JSON, and speedscope shows nothing else of a file that has some: bars are
//! what all of them read.

use std::collections::BTreeMap;
use std::io;

use laptime_core::{Sample, Sampled};

use crate::process::Process;

/// What a lane of them is called, after its thread.
pub const LANE: &str = "sampled functions";
/// Between samples that are further apart nothing was read, and bars end.
const GAP_NS: u64 = 1_000_000;

/// A call on consecutive samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// The call's number.
    pub call: u32,
    /// Where it begins.
    pub start_ns: u64,
    /// Where it ends.
    pub end_ns: u64,
    /// Samples that it is on.
    pub samples: u64,
    /// The part in which the thread waited.
    pub waiting_ns: u64,
}

/// One end of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// A call begins, at a moment.
    Begin(u32, u64),
    /// It ends.
    End(Bar),
}

/// The samples of each thread, in order of time.
pub fn by_thread(sampled: &Sampled) -> BTreeMap<u64, Vec<&Sample>> {
    let mut threads: BTreeMap<u64, Vec<&Sample>> = BTreeMap::new();
    for sample in &sampled.samples {
        threads.entry(sample.thread).or_default().push(sample);
    }
    threads
}

/// Tells the bars of a thread as beginnings and ends in the order in which they nest.
pub fn edges(
    process: &Process,
    sampled: &Sampled,
    of_thread: &[&Sample],
    mut tell: impl FnMut(Edge) -> io::Result<()>,
) -> io::Result<()> {
    let mut open: Vec<Bar> = Vec::new();
    let mut until_ns = 0;
    for sample in of_thread {
        let end_ns = process.since(sample.ticks).max(until_ns);
        let own_ns = end_ns.saturating_sub(sample.stands_for_ns).max(until_ns);
        let is_apart = open.is_empty() || own_ns > until_ns.saturating_add(GAP_NS);
        let way = sampled.way(sample.call);
        let same = open.iter().zip(&way);
        let same = same.take_while(|(bar, call)| bar.call == **call).count();
        let kept = if is_apart { 0 } else { same };
        for bar in open.drain(kept..).rev() {
            tell(Edge::End(Bar {
                end_ns: until_ns,
                ..bar
            }))?;
        }
        let start_ns = if is_apart { own_ns } else { until_ns };
        for call in &way[kept..] {
            tell(Edge::Begin(*call, start_ns))?;
            open.push(Bar {
                call: *call,
                start_ns,
                end_ns: start_ns,
                samples: 0,
                waiting_ns: 0,
            });
        }
        for bar in &mut open {
            bar.samples += 1;
            bar.waiting_ns += if sample.is_running {
                0
            } else {
                end_ns - start_ns
            };
        }
        until_ns = end_ns;
    }
    for bar in open.into_iter().rev() {
        tell(Edge::End(Bar {
            end_ns: until_ns,
            ..bar
        }))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "stacks_tests.rs"]
mod tests;
