use super::*;
use proptest::prelude::*;

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Allocates so much.
    Allocate(u64),
    /// Frees so many of 256 equal parts of what there is.
    Free(u8),
    Open,
    /// Closes one of the open laps, not always the innermost.
    Close(usize),
    /// The program resets its peak, where we see it.
    Reset,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_u64..1_000).prop_map(Step::Allocate),
        4 => any::<u8>().prop_map(Step::Free),
        3 => Just(Step::Open),
        2 => Just(Step::Close(0)),
        1 => any::<usize>().prop_map(Step::Close),
        1 => Just(Step::Reset),
    ];
    proptest::collection::vec(step, 0..200)
}

/// An allocator with the program's own view of its peak.
#[derive(Debug, Default)]
struct Allocator {
    counter: Counter,
    /// What was folded into the program's peak at our resets.
    folded: u64,
    /// What the program would see without us.
    alone: u64,
}

impl Allocator {
    fn set(&mut self, now: u64) {
        self.counter.now = now;
        self.counter.peak = self.counter.peak.max(now);
        self.alone = self.alone.max(now);
    }

    /// A look at it, as the door looks.
    fn look(&mut self, frames: &mut Frames, mode: Mode) {
        let reading = Reading {
            allocated: self.counter,
            reserved: self.counter,
        };
        frames.look(reading, mode);
        if mode == Mode::Fold && self.counter.peak > self.counter.now {
            self.folded = self.folded.max(self.counter.peak);
            self.counter = self.counter.reset();
            frames.was_reset();
        }
    }
}

/// A lap with every value that it saw.
struct Remembered {
    lap: u64,
    values: Vec<u64>,
}

/// What laps were told in each mode, and what they saw.
fn play(steps: &[Step], mode: Mode, mut check: impl FnMut(&Remembered, DeviceMemory)) -> Allocator {
    let mut frames = Frames::default();
    let mut allocator = Allocator::default();
    let mut model: Vec<Remembered> = Vec::new();
    for (lap, step) in (0_u64..).zip(steps) {
        let now = allocator.counter.now;
        let after = match *step {
            Step::Allocate(bytes) => now + bytes,
            Step::Free(part) => now - now * u64::from(part) / 256,
            _ => now,
        };
        allocator.set(after);
        for lap in &mut model {
            lap.values.push(after);
        }
        match *step {
            Step::Open => {
                allocator.look(&mut frames, mode);
                frames.open(lap);
                model.push(Remembered {
                    lap,
                    values: vec![now],
                });
            }
            Step::Close(which) if !model.is_empty() => {
                allocator.look(&mut frames, mode);
                let seen = model.remove(model.len() - 1 - which % model.len());
                check(&seen, frames.close(seen.lap).expect("it is open"));
                assert_eq!(frames.close(seen.lap), None, "it is closed");
            }
            Step::Reset => {
                allocator.look(&mut frames, mode);
                allocator.counter = allocator.counter.reset();
                (allocator.folded, allocator.alone) = (0, allocator.counter.now);
                frames.was_reset();
            }
            _ => {}
        }
        let told = allocator.counter.peak.max(allocator.folded);
        assert_eq!(told, allocator.alone, "what the program sees is its own");
    }
    assert_eq!(frames.is_empty(), model.is_empty());
    allocator
}

fn truth(seen: &Remembered) -> (i64, u64, u64) {
    let (start, most) = (seen.values[0], *seen.values.iter().max().unwrap());
    let end = *seen.values.last().unwrap();
    (end as i64 - start as i64, most - start, most)
}

proptest! {
    #[test]
    fn folded_peaks_are_those_of_a_lap_that_remembers_everything(steps in steps()) {
        play(&steps, Mode::Fold, |seen, told| {
            let (net, peak, most) = truth(seen);
            let expected = DeviceMemory {
                net_bytes: net,
                peak_least_bytes: peak,
                peak_most_bytes: peak,
                reserved_net_bytes: net,
                reserved_peak_bytes: Some(most),
            };
            assert_eq!(told, expected);
        });
    }

    #[test]
    fn the_truth_is_inside_bounds_and_nothing_is_reset(steps in steps()) {
        let allocator = play(&steps, Mode::Bounds, |seen, told| {
            let (net, peak, most) = truth(seen);
            assert_eq!(told.net_bytes, net);
            assert!(told.peak_least_bytes <= peak && peak <= told.peak_most_bytes, "{told:?} {peak}");
            assert!(told.reserved_peak_bytes.is_none_or(|bytes| bytes == most));
        });
        prop_assert_eq!(allocator.counter.peak, allocator.alone);
    }
}

#[test]
fn a_peak_that_is_new_is_exact_without_a_reset() {
    let steps = [
        Step::Open,
        Step::Allocate(7),
        Step::Free(255),
        Step::Close(0),
    ];
    play(&steps, Mode::Bounds, |_, told| {
        assert!(told.is_exact());
        assert_eq!(told.peak_most_bytes, 7);
    });
}

#[test]
fn a_reset_out_of_sight_leaves_nothing_that_limits_the_peak() {
    let mut frames = Frames::default();
    let reading = |now, peak| Reading {
        allocated: Counter { now, peak },
        ..Reading::default()
    };
    frames.look(reading(5, 100), Mode::Bounds);
    frames.open(1);
    frames.look(reading(5, 9), Mode::Bounds);
    assert_eq!(frames.close(1), None);
}
