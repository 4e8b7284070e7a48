//! speedscope's file format: one evented profile per lane, times in nanoseconds.
//!
//! Its events must stand in order of time, and a recording has spans in the order of their ends. So a
//! profile is put in order in memory, and the records are read as often as a bounded
//! number of spans at a time asks for. A track with more than that, which the page couldn't open,
//! becomes a profile of sums: one sample per path, weighed by its own time.
//!
//! A thread whose stacks were sampled has a profile of these too: each sample is the laps and the functions that
//! it was in, weighed by the time that it stands for. The page opens with the first of them.

use std::collections::{BTreeMap, HashMap};
use std::io;

use laptime_core::{PathId, Sample, SamplePlace, Sampled, SpanFlags};

use crate::about::{About, Output};
use crate::lanes::{Kind, Lanes, label};
use crate::process::Process;
use crate::sink::Sink;
use crate::span::SpanAt;
use crate::stacks;
use crate::text::{Text, json};

/// Spans held at a time, 32 bytes each.
const MOST_SPANS: u64 = 2_000_000;

/// A bar of an evented profile.
#[derive(Debug, Clone, Copy)]
struct Event {
    start_ns: u64,
    end_ns: u64,
    depth: u32,
    frame: u32,
}

/// Total and nested time of a path.
type Sums = BTreeMap<u32, (u64, u64)>;

/// Writes profiles.
pub struct Speedscope<'w> {
    text: Text<'w>,
    most: u64,
    title: String,
    /// Profiles that were begun.
    begun: usize,
    /// The first one of functions.
    opens_with: Option<usize>,
    /// As objects, and their numbers.
    frames: Vec<String>,
    frame_of: HashMap<String, u32>,
    /// By path of the process being read.
    frame: Vec<u32>,
    lanes: Lanes,
    /// The pass in which a track is written.
    turns: HashMap<u32, usize>,
    passes: usize,
    pass: usize,
    /// By the order of the tracks, then by lane: what to call it, and its bars.
    profiles: BTreeMap<(usize, u32), (String, Vec<Event>)>,
    /// Tracks with too many spans, by their order.
    sums: BTreeMap<usize, (u32, Sums)>,
    order: HashMap<u32, usize>,
}

impl<'w> Speedscope<'w> {
    /// Begins the object.
    pub fn begin(out: Output<'w>, about: &About) -> Self {
        Self::with_room(out, about, MOST_SPANS)
    }

    fn with_room(out: Output<'w>, about: &About, most: u64) -> Self {
        let mut text = Text::new(out);
        text.push(
            "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"profiles\":[",
        );
        Self {
            text,
            most,
            title: about.program.clone(),
            begun: 0,
            opens_with: None,
            frames: Vec::new(),
            frame_of: HashMap::new(),
            frame: Vec::new(),
            lanes: Lanes::new(0),
            turns: HashMap::new(),
            passes: 0,
            pass: 0,
            profiles: BTreeMap::new(),
            sums: BTreeMap::new(),
            order: HashMap::new(),
        }
    }

    fn begin_profile(&mut self, kind: &str, name: &str, end: u64) {
        let comma = if self.begun == 0 { "" } else { "," };
        self.begun += 1;
        self.text.push(&format!(
            "{comma}\n{{\"type\":\"{kind}\",\"name\":{},\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":{end}",
            json(name)
        ));
    }

    /// The number of a frame, which is an object.
    fn frame(&mut self, object: String) -> u32 {
        let frames = &mut self.frames;
        *self.frame_of.entry(object).or_insert_with_key(|object| {
            frames.push(object.clone());
            frames.len() as u32 - 1
        })
    }

    /// The frames of a sample, the outermost first.
    fn stack(
        &mut self,
        process: &Process,
        functions: &[u32],
        sampled: &Sampled,
        at: &Sample,
    ) -> Vec<u32> {
        let mut stack = Vec::new();
        match at.place {
            SamplePlace::Lap(mut path) => {
                while path != PathId::ROOT
                    && let Some(entry) = process.paths.get(path)
                {
                    stack.push(self.frame[path.index()]);
                    path = entry.parent;
                }
                stack.reverse();
            }
            SamplePlace::Outside(name) => {
                stack.extend(name.map(|name| self.frame(named(name))));
            }
        }
        let calls = sampled.way(at.call).into_iter();
        let calls = calls.filter_map(|call| sampled.calls.get(call as usize));
        stack.extend(calls.filter_map(|call| functions.get(call.function as usize)));
        stack
    }

    fn evented(&mut self, name: &str, mut events: Vec<Event>) -> io::Result<()> {
        events.sort_by_key(|event| {
            let length = event.end_ns - event.start_ns;
            (event.start_ns, event.depth, u64::MAX - length)
        });
        let end = events.iter().map(|event| event.end_ns).max();
        self.begin_profile("evented", name, end.unwrap_or(0));
        self.text.push(",\"events\":[");
        let mut is_first = true;
        let mut open: Vec<Event> = Vec::new();
        // No event before the one before it, and nothing that outlives what it is inside of,
        // whatever a recording holds: the page refuses the whole file otherwise.
        let mut at = 0;
        for mut event in events {
            while let Some(last) = open.last().copied() {
                let touches = last.end_ns == event.start_ns && last.depth >= event.depth;
                if last.end_ns > event.start_ns || (last.end_ns == event.start_ns && !touches) {
                    break;
                }
                open.pop();
                at = at.max(last.end_ns);
                self.edge(&mut is_first, 'C', last.frame, at);
            }
            at = at.max(event.start_ns);
            event.end_ns = event.end_ns.max(at);
            if let Some(last) = open.last() {
                event.end_ns = event.end_ns.min(last.end_ns);
            }
            self.edge(&mut is_first, 'O', event.frame, at);
            open.push(event);
            self.text.settle()?;
        }
        while let Some(last) = open.pop() {
            at = at.max(last.end_ns);
            self.edge(&mut is_first, 'C', last.frame, at);
        }
        self.text.push("]}");
        self.text.settle()
    }

    fn edge(&mut self, is_first: &mut bool, kind: char, frame: u32, at: u64) {
        if !std::mem::take(is_first) {
            self.text.push(",");
        }
        self.text.push("{\"type\":\"");
        self.text.buffer.push(kind as u8);
        self.text.push("\",\"frame\":");
        self.text.number(frame);
        self.text.push(",\"at\":");
        self.text.number(at);
        self.text.push("}");
    }

    fn sampled(&mut self, process: &Process, track: u32, sums: &Sums) -> io::Result<()> {
        let mut own: BTreeMap<u32, u64> = BTreeMap::new();
        for (path, (total_ns, _)) in sums {
            own.insert(*path, *total_ns);
        }
        for (path, (_, nested_ns)) in sums {
            let entry = process.paths.get(laptime_core::PathId(*path));
            let parent = entry.and_then(|entry| own.get_mut(&entry.parent.0));
            if let Some(own_ns) = parent {
                *own_ns = own_ns.saturating_sub(*nested_ns);
            }
        }
        own.retain(|_, own_ns| *own_ns > 0);
        let end = own.values().fold(0, |sum: u64, ns| sum.saturating_add(*ns));
        let name = format!("{} · sums: too many spans for a line of time", {
            title(process, &process.track_label(track))
        });
        self.begin_profile("sampled", &name, end);
        let stacks = own.keys().map(|path| {
            let mut stack = Vec::new();
            let mut at = *path;
            while let Some(entry) = process.paths.get(laptime_core::PathId(at)) {
                stack.push(self.frame[at as usize].to_string());
                at = entry.parent.0;
            }
            stack.reverse();
            format!("[{}]", stack.join(","))
        });
        let stacks: Vec<String> = stacks.collect();
        let weights: Vec<String> = own.values().map(u64::to_string).collect();
        self.text.push(&format!(
            ",\"samples\":[{}],\"weights\":[{}]}}",
            stacks.join(","),
            weights.join(",")
        ));
        self.text.settle()
    }
}

/// A frame that has a name only.
fn named(name: &str) -> String {
    format!("{{\"name\":{}}}", json(name))
}

/// A lane among those of all processes.
fn title(process: &Process, lane: &str) -> String {
    format!("{} {} · {lane}", process.label(), process.pid)
}

impl Sink for Speedscope<'_> {
    fn process(&mut self, process: &Process) -> io::Result<()> {
        let last = process.tracks.keys().last().copied();
        self.lanes = Lanes::new(last.unwrap_or(0).max(process.main_track));
        self.frame.clear();
        for path in &process.names {
            let frame = self.frame(named(&path.name));
            self.frame.push(frame);
        }
        self.turns.clear();
        self.order.clear();
        let (mut turn, mut held) = (0, 0_u64);
        for (order, track) in process.used_tracks().into_iter().enumerate() {
            let known = process.tracks.get(&track);
            let records = known.map_or(0, |known| known.records);
            self.order.insert(track, order);
            if records > self.most {
                self.sums.insert(order, (track, Sums::new()));
            } else if held + records > self.most {
                (turn, held) = (turn + 1, records);
            } else {
                held += records;
            }
            self.turns.insert(track, turn);
        }
        (self.passes, self.pass) = (turn + 1, 0);
        Ok(())
    }

    fn passes(&self) -> usize {
        self.passes
    }

    #[inline]
    fn span(&mut self, process: &Process, span: &SpanAt) -> io::Result<()> {
        // Spans that were open alone on their track are told in the last pass.
        let turn = self.turns.get(&span.track).copied();
        if turn.unwrap_or(self.passes - 1) != self.pass {
            return Ok(());
        }
        let order = self.order.get(&span.track).copied().unwrap_or(usize::MAX);
        if let Some((_, sums)) = self.sums.get_mut(&order) {
            let (total_ns, nested_ns) = sums.entry(span.path.0).or_default();
            *total_ns = total_ns.saturating_add(span.duration_ns);
            if !span.flags.is_apart() {
                *nested_ns = nested_ns.saturating_add(span.duration_ns);
            }
            return Ok(());
        }
        let depth = process.named(span.path).depth;
        let placed = self.lanes.place(span, depth);
        let kind = placed.is_new.unwrap_or(Kind::Spans);
        let profile = self.profiles.entry((order, placed.lane));
        let (_, events) = profile.or_insert_with(|| {
            let lane = label(&process.track_label(span.track), kind);
            (title(process, &lane), Vec::new())
        });
        let frame = self.frame.get(span.path.index()).copied();
        events.push(Event {
            start_ns: placed.start_ns,
            end_ns: placed.end_ns,
            depth: if span.flags.has(SpanFlags::ASIDE) {
                0
            } else {
                depth as u32
            },
            frame: frame.unwrap_or(0),
        });
        Ok(())
    }

    fn pass_end(&mut self, process: &Process, _: usize) -> io::Result<()> {
        for (name, events) in std::mem::take(&mut self.profiles).into_values() {
            self.evented(&name, events)?;
        }
        self.pass += 1;
        if self.pass == self.passes {
            for (track, sums) in std::mem::take(&mut self.sums).into_values() {
                self.sampled(process, track, &sums)?;
            }
        }
        Ok(())
    }

    fn sampled(&mut self, process: &Process, sampled: &Sampled) -> io::Result<()> {
        let functions = sampled.functions.iter().map(|function| {
            let (name, file) = (json(&function.name), json(&function.file));
            format!("{{\"name\":{name},\"file\":{file}}}")
        });
        let functions: Vec<String> = functions.collect();
        let functions: Vec<u32> = (functions.into_iter())
            .map(|object| self.frame(object))
            .collect();
        for (thread, samples) in stacks::by_thread(sampled) {
            let weights = samples.iter().map(|sample| sample.stands_for_ns);
            let end = weights.fold(0, u64::saturating_add);
            let lane = format!("{} · {}", process.thread_label(thread), stacks::LANE);
            self.opens_with.get_or_insert(self.begun);
            self.begin_profile("sampled", &title(process, &lane), end);
            self.text.push(",\"samples\":[");
            for (at, sample) in samples.iter().enumerate() {
                let stack = self.stack(process, &functions, sampled, sample);
                let stack: Vec<String> = stack.iter().map(u32::to_string).collect();
                let comma = if at == 0 { "" } else { "," };
                self.text.push(&format!("{comma}[{}]", stack.join(",")));
                self.text.settle()?;
            }
            self.text.push("],\"weights\":[");
            for (at, sample) in samples.iter().enumerate() {
                self.text.push(if at == 0 { "" } else { "," });
                self.text.number(sample.stands_for_ns);
            }
            self.text.push("]}");
            self.text.settle()?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut text = self.text;
        let opens_with = self.opens_with.map_or_else(String::new, |index| {
            format!("\"activeProfileIndex\":{index},")
        });
        text.push(&format!(
            "],\n\"shared\":{{\"frames\":[{}]}},\n{opens_with}\"name\":{},\"exporter\":\"laptime {}\"}}\n",
            self.frames.join(","),
            json(&self.title),
            env!("CARGO_PKG_VERSION"),
        ));
        text.finish()
    }
}

#[cfg(test)]
#[path = "speedscope_tests.rs"]
mod tests;
