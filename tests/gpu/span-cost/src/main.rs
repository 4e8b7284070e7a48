//! What a span costs from Rust: on the host alone, and timed on a device as well.
//!
//! ```text
//! span-cost RECORDING SPANS
//! ```
//!
//! Makes a context and a stream of its own, records SPANS spans of each kind in blocks, and prints one
//! line of JSON: nanoseconds a span, of each block, and beside them of the driver's own calls that record an
//! event pair and read it. The recording then says how many of the spans named `device` have a time there.

mod cuda;

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use cuda::Cuda;

/// Spans of a block: their events fit the queue of a stream, which takes a thousand. The device is waited for
/// between blocks, so that none of them waits for the events of another.
const BLOCK: usize = 300;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [path, spans] = arguments.as_slice() else {
        eprintln!("usage: span-cost RECORDING SPANS");
        return ExitCode::from(2);
    };
    let Ok(spans) = spans.parse() else {
        eprintln!("span-cost: {spans} is no number of spans");
        return ExitCode::from(2);
    };
    match measured(path, spans) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("span-cost: {why}");
            ExitCode::FAILURE
        }
    }
}

fn measured(path: &str, spans: usize) -> Result<String, String> {
    let cuda = Cuda::load()?;
    let stream = cuda.stream()?;
    let recording = laptime::record(path).map_err(|error| error.to_string())?;
    let count = (spans / BLOCK).max(1);

    let host = blocks(&cuda, stream, count, || {
        let _lap = laptime::lap!("host");
    })?;
    laptime::device::turn_on();
    // SAFETY: the stream lives as long as the process.
    let on = unsafe { laptime::device::on_cuda_stream(0, stream) };
    let device = blocks(&cuda, stream, count, || {
        let _lap = laptime::lap!("device");
    })?;
    drop(on);
    let mut pairs = cuda.pairs(BLOCK)?;
    let record = blocks(&cuda, stream, count, || pairs.record(stream))?;
    let read = blocks(&cuda, stream, count, || {
        black_box(pairs.read());
    })?;
    recording.finish().map_err(|error| error.to_string())?;
    Ok(format!(
        "{{\"spans\": {}, \"host_ns\": {host:?}, \"device_ns\": {device:?}, \
         \"record_ns\": {record:?}, \"read_ns\": {read:?}}}",
        count * BLOCK
    ))
}

/// Nanoseconds a call, block by block.
fn blocks(
    cuda: &Cuda,
    stream: cuda::Stream,
    count: usize,
    mut span: impl FnMut(),
) -> Result<Vec<f64>, String> {
    // What is made once, such as events and the place in the table of paths.
    for _ in 0..BLOCK {
        span();
    }
    let mut told = Vec::new();
    for _ in 0..count {
        cuda.synchronize(stream)?;
        let begun = Instant::now();
        for _ in 0..BLOCK {
            black_box(&mut span)();
        }
        told.push(begun.elapsed().as_nanos() as f64 / BLOCK as f64);
    }
    Ok(told)
}
