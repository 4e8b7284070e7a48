//! What `cProfile` writes: read by Python's `pstats`, by snakeviz and others.
//!
//! A marshalled dict, a function after the other:
//! `{(file, first line, name): (primitive calls, calls, own seconds, total seconds, callers)}`, where
//! `callers` is `{(file, first line, name): (calls, primitive calls, own seconds, total seconds)}`. All
//! processes, threads and laps are added up, and a script that is told by two paths is one ([`Files`]).
//!
//! `cProfile` calls a function by its plain name, a recording by its qualified one: the end of it.

use std::collections::BTreeMap;
use std::io;

use laptime_core::{CallSums, CalledFunction, Files, FunctionCalls};

use crate::about::Output;
use crate::marshal::Marshal;
use crate::process::Process;
use crate::sink::Sink;
use crate::span::SpanAt;

/// A function as `pstats` tells them apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    file: String,
    line: u32,
    name: String,
}

/// Sums of one function, or of its calls from one caller; times are in nanoseconds.
#[derive(Debug, Default)]
struct Function {
    sums: CallSums,
    callers: BTreeMap<Key, CallSums>,
}

/// Adds up, and writes at the end.
pub struct Pstats<'w> {
    out: Output<'w>,
    functions: BTreeMap<Key, Function>,
    /// By number in the process being read.
    keys: BTreeMap<u32, Key>,
    /// Of the process being read, by caller and function: a function may be named after its first use.
    calls: BTreeMap<(u32, u32), CallSums>,
}

impl<'w> Pstats<'w> {
    /// Nothing yet.
    pub fn begin(out: Output<'w>) -> Self {
        Self {
            out,
            functions: BTreeMap::new(),
            keys: BTreeMap::new(),
            calls: BTreeMap::new(),
        }
    }
}

/// The functions with each file under one name.
fn merged(functions: BTreeMap<Key, Function>) -> BTreeMap<Key, Function> {
    let mut files = Files::default();
    for key in functions.keys() {
        files.learn(&key.file, key.line, &key.name);
    }
    let renamed = |key: Key| Key {
        file: files.of(&key.file, key.line, &key.name),
        ..key
    };
    let mut merged: BTreeMap<Key, Function> = BTreeMap::new();
    for (key, function) in functions {
        let sum = merged.entry(renamed(key)).or_default();
        sum.sums.add(&function.sums);
        for (caller, sums) in function.callers {
            sum.callers.entry(renamed(caller)).or_default().add(&sums);
        }
    }
    merged
}

impl Sink for Pstats<'_> {
    fn process(&mut self, _: &Process) -> io::Result<()> {
        self.keys.clear();
        self.calls.clear();
        Ok(())
    }

    fn span(&mut self, _: &Process, _: &SpanAt) -> io::Result<()> {
        Ok(())
    }

    fn function(&mut self, _: &Process, function: &CalledFunction<'_>) -> io::Result<()> {
        let is_python = function.line > 0;
        let plain = function.name.rsplit('.').next().filter(|_| is_python);
        self.keys.entry(function.id).or_insert_with(|| Key {
            file: function.file.to_owned(),
            line: function.line,
            name: plain.unwrap_or(function.name).to_owned(),
        });
        Ok(())
    }

    fn calls(&mut self, process: &Process, calls: &FunctionCalls) -> io::Result<()> {
        let way = (calls.caller, calls.function);
        self.calls.entry(way).or_default().add(&CallSums {
            own: process.ns(calls.sums.own),
            total: process.ns(calls.sums.total),
            total_from: process.ns(calls.sums.total_from),
            ..calls.sums
        });
        Ok(())
    }

    fn pass_end(&mut self, _: &Process, _: usize) -> io::Result<()> {
        for ((caller, function), sums) in std::mem::take(&mut self.calls) {
            let Some(key) = self.keys.get(&function) else {
                continue;
            };
            let function = self.functions.entry(key.clone()).or_default();
            function.sums.add(&sums);
            if let Some(caller) = self.keys.get(&caller) {
                function
                    .callers
                    .entry(caller.clone())
                    .or_default()
                    .add(&sums);
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.functions.is_empty() {
            return Err(io::Error::other(
                "no calls were counted: record them with `laptime run --calls`",
            ));
        }
        let mut written = Marshal::default();
        written.dict();
        for (key, Function { sums, callers }) in &merged(self.functions) {
            push_key(&mut written, key);
            written.tuple(5);
            written.integer(sums.primitive);
            written.integer(sums.calls);
            written.float(seconds(sums.own));
            written.float(seconds(sums.total));
            written.dict();
            for (caller, sums) in callers {
                push_key(&mut written, caller);
                written.tuple(4);
                // In this order, unlike above: so does `cProfile`.
                written.integer(sums.calls);
                written.integer(sums.primitive_from);
                written.float(seconds(sums.own));
                written.float(seconds(sums.total_from));
            }
            written.end();
        }
        written.end();
        self.out.write_all(&written.bytes)?;
        self.out.flush()
    }
}

fn push_key(written: &mut Marshal, key: &Key) {
    written.tuple(3);
    written.text(&key.file);
    written.integer(u64::from(key.line));
    written.text(&key.name);
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
