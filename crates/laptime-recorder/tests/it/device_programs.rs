//! Whatever a program does with its spans, each is told with the time that its device took, once.
//!
//! Random programs open and close spans in any order on a fake device, whose clock stands still until the
//! program moves it. A model of two streams says what every span that closes has to be told as.

use std::collections::HashMap;
use std::path::Path;

use laptime_core::format::record::Record;
use laptime_core::{DeviceSpan, NoDeviceTime, Span, SpanWork};
use laptime_fakes::{Fake, GLOBAL};
use laptime_recorder::device::Stream;
use laptime_recorder::device::here::{self, Place};
use laptime_recorder::{
    Extra, Open, RecordOptions, Site, current_path, emit_under, enter, enter_automatic, exit,
    exit_site, give, leave_devices, record, rename, suspend_piece, time_on_devices_with,
};
use proptest::prelude::*;

use crate::own_process;
use crate::windows::each_window;

const MS: u64 = 1_000_000;
const NAMES: [&str; 3] = ["step", "forward", "load"];

/// What a program does next. Numbers are taken as far as they go.
#[derive(Debug, Clone)]
enum Act {
    Enter(usize),
    EnterAutomatic(usize),
    /// The innermost one, or one further out.
    Exit(usize),
    /// The innermost one of a name.
    ExitNamed(usize),
    /// Takes the innermost one off its stack, and tells it right after that.
    Suspend,
    Rename(usize),
    /// Says what the innermost one does.
    Give,
    /// Milliseconds of work.
    Work(u64),
    /// Milliseconds pass.
    Pass(u64),
    /// What follows goes to one of two streams, or to none.
    Use(usize),
    BeginCapture,
    EndCapture,
    TimesOn,
    TimesOff,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => any::<usize>().prop_map(Act::Enter),
        1 => any::<usize>().prop_map(Act::EnterAutomatic),
        6 => prop_oneof![3 => Just(0_usize), 1 => 0..3_usize].prop_map(Act::Exit),
        1 => any::<usize>().prop_map(Act::ExitNamed),
        1 => Just(Act::Suspend),
        1 => any::<usize>().prop_map(Act::Rename),
        1 => Just(Act::Give),
        4 => (1..9_u64).prop_map(Act::Work),
        3 => (1..20_u64).prop_map(Act::Pass),
        1 => (0..3_usize).prop_map(Act::Use),
        1 => Just(Act::BeginCapture),
        1 => Just(Act::EndCapture),
        1 => Just(Act::TimesOn),
        1 => Just(Act::TimesOff),
    ]
}

/// What has to be told of a span, if anything is.
type Expected = Option<Result<u64, NoDeviceTime>>;

/// A span that is open.
struct Lap {
    open: Open,
    name: usize,
    is_automatic: bool,
    /// One around it closed before.
    is_stray: bool,
    /// Its stream, and when that got to its start.
    begun: Option<(usize, Result<u64, NoDeviceTime>)>,
}

/// The program, and the model of its device.
struct World<'f> {
    fake: &'f Fake,
    streams: [usize; 2],
    /// Until when each has work.
    busy: [u64; 2],
    is_captured: [bool; 2],
    used: Option<(usize, here::On)>,
    is_timed: bool,
    /// Outermost first.
    open: Vec<Lap>,
    told: Vec<Expected>,
}

impl<'f> World<'f> {
    fn new(fake: &'f Fake) -> Self {
        let mut world = Self {
            fake,
            streams: [fake.stream(), fake.stream()],
            busy: [0; 2],
            is_captured: [false; 2],
            used: None,
            is_timed: false,
            open: Vec::new(),
            told: Vec::new(),
        };
        world.use_stream(0);
        world.time(true);
        world
    }

    fn use_stream(&mut self, stream: usize) {
        self.used = None;
        if let Some(handle) = self.streams.get(stream) {
            let place = Place {
                device: 0,
                stream: Stream(*handle),
            };
            // SAFETY: a stream of the fake, which never ends.
            self.used = Some((stream, unsafe { here::on(place) }));
        }
    }

    fn time(&mut self, is_timed: bool) {
        if is_timed {
            time_on_devices_with(self.fake.path().as_os_str());
        } else {
            leave_devices();
        }
        self.is_timed = is_timed;
    }

    /// When a stream gets to what is enqueued now.
    fn reached(&self, stream: usize) -> Result<u64, NoDeviceTime> {
        if self.is_captured[stream] {
            return Err(NoDeviceTime::Captured);
        }
        Ok(self.busy[stream].max(self.fake.now()))
    }

    fn entered(&mut self, open: Option<Open>, name: usize, is_automatic: bool) {
        let stream = self.used.as_ref().filter(|_| self.is_timed);
        let begun = stream.map(|(stream, _)| (*stream, self.reached(*stream)));
        self.open.push(Lap {
            open: open.unwrap(),
            name,
            is_automatic,
            is_stray: false,
            begun,
        });
    }

    fn close(&mut self, lap: &Lap) {
        let expected = lap.begun.map(|(stream, start)| {
            let end = self.reached(stream);
            start.and_then(|start| Ok(end? - start))
        });
        self.told.push(expected);
    }

    /// What closes with the lap at a place, and the lap itself; others inside of it are left over.
    fn exited(&mut self, at: usize) {
        if !self.open[at].is_stray {
            let inside = self.open.split_off(at + 1);
            let (with_it, left): (Vec<Lap>, Vec<Lap>) = inside
                .into_iter()
                .partition(|lap| lap.is_automatic && !lap.is_stray);
            for lap in with_it.iter().rev() {
                self.close(lap);
            }
            let (before, new): (Vec<Lap>, Vec<Lap>) =
                left.into_iter().partition(|lap| lap.is_stray);
            self.open.extend(before);
            // By its name the one is found that was left over last, which is the outermost.
            self.open.extend(new.into_iter().rev().map(|lap| Lap {
                is_stray: true,
                ..lap
            }));
        }
        let lap = self.open.remove(at);
        self.close(&lap);
    }

    /// The innermost one that isn't left over.
    fn innermost(&self) -> Option<usize> {
        self.open.iter().rposition(|lap| !lap.is_stray)
    }

    fn act(&mut self, act: &Act) {
        let name = |name: &usize| name % NAMES.len();
        let site = |name: usize| Site::intern(NAMES[name]);
        match act {
            Act::Enter(which) => {
                let open = enter(site(name(which)));
                self.entered(open, name(which), false);
            }
            Act::EnterAutomatic(which) => {
                let open = enter_automatic(site(name(which)), None);
                self.entered(open, name(which), true);
            }
            Act::Exit(further) => {
                if let Some(last) = self.open.len().checked_sub(1) {
                    let at = last - further.min(&last);
                    exit(self.open[at].open).unwrap();
                    self.exited(at);
                }
            }
            Act::ExitNamed(which) => {
                let last = |is_stray: bool| {
                    let is_it = |lap: &Lap| lap.name == name(which) && lap.is_stray == is_stray;
                    self.open.iter().rposition(is_it)
                };
                let at = last(false).or_else(|| last(true));
                assert_eq!(exit_site(site(name(which))).is_some(), at.is_some());
                if let Some(at) = at {
                    self.exited(at);
                }
            }
            Act::Suspend => {
                if let Some(at) = self.innermost() {
                    let lap = &self.open[at];
                    let (_, start) = lap.open.to_raw();
                    let piece = suspend_piece(lap.open).unwrap();
                    let extra = Extra {
                        device_time: piece.device_time,
                        ..Extra::default()
                    };
                    emit_under(current_path(), site(lap.name), start, piece.ticks, extra);
                    let lap = self.open.remove(at);
                    self.close(&lap);
                }
            }
            Act::Rename(which) => {
                if let Some(at) = self.innermost() {
                    rename(self.open[at].open, site(name(which)));
                    self.open[at].name = name(which);
                }
            }
            Act::Give => {
                if let Some(at) = self.innermost() {
                    let work = SpanWork {
                        flop: Some(7),
                        bytes: None,
                    };
                    assert!(give(self.open[at].open, work));
                }
            }
            Act::Work(ms) => {
                if let Some((stream, _)) = self.used {
                    self.fake.work(self.streams[stream], ms * MS);
                    if let Ok(from) = self.reached(stream) {
                        self.busy[stream] = from + ms * MS;
                    }
                }
            }
            Act::Pass(ms) => self.fake.advance(ms * MS),
            Act::Use(stream) => self.use_stream(*stream),
            Act::BeginCapture => {
                // Another mode than a global one lets others record meanwhile.
                if let Some((stream, _)) = self.used
                    && self.is_captured == [false; 2]
                {
                    self.fake.begin_capture(self.streams[stream], GLOBAL);
                    self.is_captured[stream] = true;
                }
            }
            Act::EndCapture => self.end_capture(),
            Act::TimesOn => self.time(true),
            Act::TimesOff => self.time(false),
        }
    }

    fn end_capture(&mut self) {
        if let Some(stream) = self.is_captured.iter().position(|is| *is) {
            assert!(self.fake.end_capture(self.streams[stream]), "it was broken");
            self.is_captured[stream] = false;
        }
    }
}

/// The spans of a recording in the order in which they closed, and what was told of each.
fn read(recording: &Path) -> Vec<(Span, Vec<DeviceSpan>)> {
    let mut spans = Vec::new();
    let mut told: HashMap<_, Vec<DeviceSpan>> = HashMap::new();
    each_window(recording, |_, window| {
        let each = window.for_each(|record| match record {
            Record::Span(span) => spans.push(span),
            Record::DeviceSpan(span) => {
                let of = (span.path, span.start, span.duration, span.track);
                told.entry(of).or_default().push(span);
            }
            _ => {}
        });
        each.unwrap();
    });
    let with = |span: Span| {
        let of = (span.path, span.start, span.duration, span.track);
        let told = told.remove(&of).unwrap_or_default();
        (span, told)
    };
    let all = spans.into_iter().map(with).collect();
    assert!(told.is_empty(), "told of no span: {told:?}");
    all
}

#[test]
fn every_span_is_told_with_what_its_device_took() {
    own_process::run(|| {
        let config = ProptestConfig {
            cases: 100,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let fake = Fake::new();
        fake.use_device(0);
        proptest!(config, |(
            program in prop::collection::vec(act(), 1..120),
            // About as deep as the black box has room for.
            depth in prop_oneof![9 => Just(0_usize), 1 => 60..70_usize],
        )| {
            let folder = tempfile::tempdir().unwrap();
            let recording = record(&folder.path().join("a.lap"), &RecordOptions::default()).unwrap();
            let mut world = World::new(&fake);
            let deep: Vec<Act> = (0..depth).map(Act::Enter).collect();
            for act in deep.iter().chain(&program) {
                world.act(act);
            }
            while let Some(last) = world.open.len().checked_sub(1) {
                world.act(&Act::Exit(last));
            }
            world.end_capture();
            fake.advance(20_000 * MS);
            world.used = None;
            world.time(false);
            let read = read(&recording.finish().unwrap());
            let times: Vec<Vec<_>> = read
                .iter()
                .map(|(_, told)| told.iter().map(|span| span.times.map(|times| times.duration_ns)).collect())
                .collect();
            let expected: Vec<Vec<_>> = world.told.iter().map(|told| told.iter().copied().collect()).collect();
            prop_assert_eq!(times, expected);
        });
    });
}
