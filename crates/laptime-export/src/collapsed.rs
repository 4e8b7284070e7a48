//! Collapsed stacks, a line each: `step;forward 1234567`, the names from the outermost and the own
//! time of the path in nanoseconds.
//!
//! Flame graph programs add the lines up. Paths merge over threads and processes and the own time
//! is that of the report: the time of a path less the time of those inside that ran on its track.
//! In a name `;` is written `\x3b`, a newline `\n`, a backslash twice, so that it stays one name on one line.

use std::collections::HashMap;
use std::io;

use laptime_core::{PathId, is_hidden};

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

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let mut inner_ns = vec![0_u64; self.nodes.len()];
        for node in &self.nodes[1..] {
            let inner = &mut inner_ns[node.parent];
            *inner = inner.saturating_add(node.nested_ns);
        }
        for (place, inner_ns) in inner_ns.into_iter().enumerate().skip(1) {
            let own_ns = self.nodes[place].total_ns.saturating_sub(inner_ns);
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
