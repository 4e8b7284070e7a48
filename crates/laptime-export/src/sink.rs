//! What a format is: it takes in the records of one process after the other, and writes.

use std::io;

use laptime_core::{CalledFunction, FunctionCalls, PathId, ProcessMemory, Sampled};

use crate::process::Process;
use crate::span::SpanAt;

/// Writes one format. Moments are nanoseconds since the recording's time zero.
pub trait Sink {
    /// A process begins; it was surveyed.
    fn process(&mut self, process: &Process) -> io::Result<()>;

    /// How often the records of this process are to be read.
    fn passes(&self) -> usize {
        1
    }

    /// A window ends: the spans that come later ended later.
    fn window_end(&mut self, process: &Process) -> io::Result<()> {
        let _ = process;
        Ok(())
    }

    /// A pass ends, numbered from 0.
    fn pass_end(&mut self, process: &Process, number: usize) -> io::Result<()> {
        let _ = number;
        self.window_end(process)
    }

    /// A span: children before their parents. What was still open at the end comes last.
    fn span(&mut self, process: &Process, span: &SpanAt) -> io::Result<()>;

    /// A named instant.
    fn mark(&mut self, process: &Process, at: &Moment) -> io::Result<()> {
        let _ = (process, at);
        Ok(())
    }

    /// A named number at an instant; any IEEE 754 value.
    fn metric(&mut self, process: &Process, at: &Moment, value: f64) -> io::Result<()> {
        let _ = (process, at, value);
        Ok(())
    }

    /// Resident memory of the process.
    fn resident(&mut self, process: &Process, at_ns: u64, bytes: u64) -> io::Result<()> {
        let _ = (process, at_ns, bytes);
        Ok(())
    }

    /// Memory that the process allocated and has not freed since counting began.
    fn memory(&mut self, process: &Process, at_ns: u64, memory: ProcessMemory) -> io::Result<()> {
        let _ = (process, at_ns, memory);
        Ok(())
    }

    /// A function whose calls were counted. It may be told several times.
    fn function(&mut self, process: &Process, function: &CalledFunction<'_>) -> io::Result<()> {
        let _ = (process, function);
        Ok(())
    }

    /// What calls of a function came to; sums of the same caller and function add up.
    fn calls(&mut self, process: &Process, calls: &FunctionCalls) -> io::Result<()> {
        let _ = (process, calls);
        Ok(())
    }

    /// What was sampled of the process, if anything: once all passes are over.
    fn sampled(&mut self, process: &Process, sampled: &Sampled) -> io::Result<()> {
        let _ = (process, sampled);
        Ok(())
    }

    /// All processes were told.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Where and when a mark or a metric was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Its name, under the path that was open.
    pub path: PathId,
    /// Thread or task.
    pub track: u32,
    /// When.
    pub at_ns: u64,
}
