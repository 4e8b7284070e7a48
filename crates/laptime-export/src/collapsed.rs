//! Collapsed stacks, a line each: `step;forward 1234567`, the names from the outermost and the own
//! time of the path in nanoseconds.
//!
//! Flame graph programs add the lines up. Paths merge over threads and processes and the own time
//! is that of the report: the time of a path less the time of those inside that ran on its track.
//! Where stacks were sampled, the functions stand below the lap that they were in, with the time that their
//! samples stand for; a lap's own line has what no sample stands for.
//! In a name `;` is written `\x3b`, a newline `\n`, a backslash twice, so that it stays one name on one line.

use std::collections::HashMap;
use std::io;

use laptime_core::{PathId, SamplePlace, Sampled, is_hidden, short_file};

use crate::about::Output;
use crate::process::Process;
use crate::sink::Sink;
use crate::span::SpanAt;
use crate::text::Text;

/// A path of all processes.
#[derive(Debug, Default)]
struct Node {
    parent: usize,
    name: String,
    total_ns: u64,
    /// What its parent's own time loses to it.
    nested_ns: u64,
    /// What samples in it stand for, without those in paths inside.
    sampled_ns: u64,
    /// Of a function, the part in which it was innermost.
    innermost_ns: u64,
}

/// Adds up, and writes at the end.
pub struct Collapsed<'w> {
    text: Text<'w>,
    /// The first is the root.
    nodes: Vec<Node>,
    index_of: HashMap<(usize, String), usize>,
    /// By path of the process being read.
    places: Vec<usize>,
}

impl<'w> Collapsed<'w> {
    /// Nothing yet.
    pub fn begin(out: Output<'w>) -> Self {
        Self {
            text: Text::new(out),
            nodes: vec![Node::default()],
            index_of: HashMap::new(),
            places: Vec::new(),
        }
    }

    fn place(&mut self, parent: usize, name: &str) -> usize {
        let nodes = &mut self.nodes;
        let place = self.index_of.entry((parent, name.to_owned()));
        *place.or_insert_with(|| {
            nodes.push(Node {
                parent,
                name: name.to_owned(),
                ..Node::default()
            });
            nodes.len() - 1
        })
    }

    fn line(&self, place: usize, own_ns: u64) -> String {
        let mut names = Vec::new();
        let mut at = place;
        while at != 0 {
            names.push(escaped(&self.nodes[at].name));
            at = self.nodes[at].parent;
        }
        names.reverse();
        format!("{} {own_ns}\n", names.join(";"))
    }
}

impl Sink for Collapsed<'_> {
    fn process(&mut self, process: &Process) -> io::Result<()> {
        self.places = vec![0; process.paths.len()];
        // A parent's number is smaller than its children's.
        for (id, entry) in process.paths.iter() {
            let parent = self.places.get(entry.parent.index()).copied();
            let place = self.place(parent.unwrap_or(0), &entry.name);
            self.places[id.index()] = place;
        }
        Ok(())
    }

    #[inline]
    fn span(&mut self, _: &Process, span: &SpanAt) -> io::Result<()> {
        let place = self.places.get(span.path.index()).copied();
        let node = &mut self.nodes[place.unwrap_or(PathId::ROOT.index())];
        node.total_ns = node.total_ns.saturating_add(span.duration_ns);
        if !span.flags.is_apart() {
            node.nested_ns = node.nested_ns.saturating_add(span.duration_ns);
        }
        Ok(())
    }

    fn sampled(&mut self, _: &Process, sampled: &Sampled) -> io::Result<()> {
        for sample in &sampled.samples {
            let mut at = match sample.place {
                SamplePlace::Lap(path) => self.places.get(path.index()).copied().unwrap_or(0),
                SamplePlace::Outside(name) => name.map_or(0, |name| self.place(0, name)),
            };
            let ns = sample.stands_for_ns;
            let of_lap = &mut self.nodes[at].sampled_ns;
            *of_lap = of_lap.saturating_add(ns);
            for call in sampled.way(sample.call) {
                if let Some(function) = sampled.function_of(call) {
                    let label = format!("{} ({})", function.name, short_file(&function.file));
                    at = self.place(at, &label);
                }
            }
            let innermost = &mut self.nodes[at].innermost_ns;
            *innermost = innermost.saturating_add(ns);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let mut inner_ns = vec![0_u64; self.nodes.len()];
        for node in &self.nodes[1..] {
            let inner = &mut inner_ns[node.parent];
            *inner = inner.saturating_add(node.nested_ns);
        }
        for (place, inner_ns) in inner_ns.into_iter().enumerate().skip(1) {
            let node = &self.nodes[place];
            let of_lap_ns = node.total_ns.saturating_sub(inner_ns);
            let own_ns = of_lap_ns.saturating_sub(node.sampled_ns) + node.innermost_ns;
            if own_ns > 0 {
                let line = self.line(place, own_ns);
                self.text.push(&line);
                self.text.settle()?;
            }
        }
        self.text.finish()
    }
}

/// A name without what ends a name or a line.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            ';' => text.push_str("\\x3b"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            character if is_hidden(character) => text.extend(character.escape_unicode()),
            character => text.push(character),
        }
    }
    text
}
