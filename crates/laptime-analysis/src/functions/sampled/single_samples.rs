//! Samples one by one, each with its lap and its calls, as exports write them.

use std::collections::HashMap;

use laptime_core::{Sample, SamplePlace, Sampled, SampledCall, SampledFunction, SampledStack};

use super::folded_stack::{is_machinery, machinery};
use super::lap_of_sample::{Place, place_of_sample};
use crate::functions::stack_records::Function;
use crate::reading::process::Process;
use crate::summarize::wall_time::{AFTER, OTHER};
use crate::summary::functions::PROGRAM;

/// The numbers of functions and calls, given out as they are met.
#[derive(Debug, Default)]
struct Numbers {
    told: Sampled,
    functions: HashMap<Function, u32>,
    calls: HashMap<SampledCall, u32>,
    /// Number given to the call in each stack frame, by frame number.
    frames: HashMap<u32, Option<u32>>,
}

/// Returns the samples of a process, once their laps are known; those whose functions are not known are left out.
pub fn samples(process: &Process, is_measured: bool) -> Sampled {
    let mut numbers = Numbers::default();
    let stacks = &process.features.stacks;
    for (sample, lap) in stacks.samples.iter().zip(&stacks.laps) {
        let Some(call) = numbers.call(process, sample.frame) else {
            continue;
        };
        let place = match place_of_sample(process, is_measured, sample, *lap) {
            Place::Lap(path) => SamplePlace::Lap(path),
            Place::Outside(outside) => SamplePlace::Outside(outside_name(outside)),
        };
        numbers.told.samples.push(sample_at(sample, call, place));
    }
    let mut told = numbers.told;
    told.samples.sort_by_key(|sample| sample.ticks);
    told
}

/// Returns the name of the time outside of laps; nothing where the program has no lap.
fn outside_name(outside: &'static str) -> Option<&'static str> {
    match outside {
        PROGRAM => None,
        OTHER => Some("outside of laps"),
        AFTER => Some("after the last lap"),
        name => Some(name),
    }
}

fn sample_at(sample: &SampledStack, call: u32, place: SamplePlace) -> Sample {
    Sample {
        ticks: sample.ticks,
        thread: sample.thread,
        call,
        place,
        is_running: sample.is_running,
        stands_for_ns: sample.stands_for_ns,
    }
}

impl Numbers {
    /// Returns the call of a frame; `None` where it or one above it isn't defined.
    fn call(&mut self, process: &Process, innermost: u32) -> Option<u32> {
        let mut way = Vec::new();
        let mut at = innermost;
        // What is above a frame that was met before is known.
        while at != 0 && !self.frames.contains_key(&at) {
            way.push(at);
            at = process
                .features
                .stacks
                .frames
                .get(&at)
                .map_or(0, |frame| frame.parent);
        }
        let mut from = self.frames.get(&at).copied().flatten();
        let mut is_known = at == 0 || from.is_some();
        for frame in way.into_iter().rev() {
            let function = process.features.stacks.frames.get(&frame);
            let function =
                function.and_then(|frame| process.features.stacks.functions.get(&frame.function));
            from = function
                .filter(|_| is_known)
                .map(|function| self.called(from, function));
            is_known = from.is_some();
            self.frames.insert(frame, from);
        }
        from
    }

    fn called(&mut self, from: Option<u32>, function: &Function) -> u32 {
        let is_import = is_machinery(function);
        let function = if is_import {
            self.function(&machinery())
        } else {
            self.function(function)
        };
        // However many functions the import system calls itself by, it is one step of the way.
        if let Some(from) = from.filter(|_| is_import)
            && self.told.calls[from as usize].function == function
        {
            return from;
        }
        let calls = &mut self.told.calls;
        let call = SampledCall { from, function };
        *self.calls.entry(call).or_insert_with(|| {
            calls.push(call);
            calls.len() as u32 - 1
        })
    }

    fn function(&mut self, function: &Function) -> u32 {
        let functions = &mut self.told.functions;
        let known = self.functions.get(function).copied();
        known.unwrap_or_else(|| {
            let Function { name, file } = function.clone();
            functions.push(SampledFunction { name, file });
            let number = functions.len() as u32 - 1;
            self.functions.insert(function.clone(), number);
            number
        })
    }
}
