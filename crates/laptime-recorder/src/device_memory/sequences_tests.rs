//! Twenty thousand random programs, each read in both ways, beside laps that remember everything.

use laptime_core::DeviceMemory;

use super::allocator_model::Allocator;
use super::counter::Mode;
use super::frames::{Frames, Reading};

const PROGRAMS: u64 = 20_000;
const STEPS: u64 = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Bounds,
    Fold,
}

/// Random numbers (xorshift*, Vigna 2016).
struct Random(u64);

impl Random {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end
    }

    /// Small ones, large ones, and such as leave a remainder that is not split off.
    fn size(&mut self) -> u64 {
        let most = [2_000, 1 << 20, 12 << 20, 40 << 20][self.below(4)];
        1 + self.below(most) as u64
    }
}

/// A device as the door reads it.
struct Device {
    allocator: Allocator,
    frames: Frames,
    /// What the door folded into the program's peaks.
    folded: [u64; 2],
    held: Vec<u64>,
}

impl Device {
    fn new() -> Self {
        Self {
            allocator: Allocator::default(),
            frames: Frames::new(),
            folded: [0; 2],
            held: Vec::new(),
        }
    }

    fn levels(&self) -> [u64; 2] {
        self.allocator.counters().map(|counter| counter.now)
    }

    fn reading(&self) -> Reading {
        let [allocated, reserved] = self.allocator.counters();
        Reading {
            allocated,
            reserved,
        }
    }

    fn look(&mut self, way: Way) {
        let reading = self.reading();
        match way {
            Way::Bounds => self.frames.look(reading, Mode::Bounds),
            Way::Fold => {
                self.frames.look(reading, Mode::Fold);
                for (folded, counter) in self.folded.iter_mut().zip(self.allocator.counters()) {
                    *folded = counter.peak.max(*folded);
                }
                self.allocator.reset_peaks();
                self.frames.was_reset();
            }
        }
    }

    /// The program resets its peaks, where the door sees it.
    fn reset(&mut self, way: Way) {
        self.look(way);
        self.allocator.reset_peaks();
        self.allocator.alone = self.levels();
        self.folded = [0; 2];
        self.frames.was_reset();
    }

    fn check_the_programs_peaks(&self) {
        let peaks = self.allocator.counters().map(|counter| counter.peak);
        for ((peak, folded), alone) in peaks.iter().zip(self.folded).zip(self.allocator.alone) {
            assert_eq!(folded.max(*peak), alone, "the program sees its own peak");
        }
    }
}

/// A lap that remembers everything, of each device.
struct Remembered {
    lap: u64,
    seen: Vec<([u64; 2], [u64; 2])>,
}

fn check(way: Way, told: DeviceMemory, start: [u64; 2], most: [u64; 2], end: [u64; 2]) {
    let peak = most[0] - start[0];
    assert_eq!(told.net_bytes, end[0] as i64 - start[0] as i64);
    assert_eq!(told.reserved_net_bytes, end[1] as i64 - start[1] as i64);
    assert!(
        told.peak_least_bytes <= peak && peak <= told.peak_most_bytes,
        "{told:?} has not {peak}"
    );
    assert!(
        told.reserved_peak_bytes
            .is_none_or(|bytes| bytes == most[1])
    );
    if way == Way::Fold {
        assert!(told.is_exact(), "{told:?} is not exact");
        assert_eq!(told.reserved_peak_bytes, Some(most[1]));
    }
}

/// Runs one program. How many of its laps were exact, of how many.
fn run(seed: u64, way: Way) -> (usize, usize) {
    let mut random = Random::of(seed);
    let mut devices: Vec<Device> = (0..=seed % 2).map(|_| Device::new()).collect();
    let mut laps: Vec<Remembered> = Vec::new();
    let (mut exact, mut all) = (0, 0);
    for step in 0..STEPS {
        let chosen = random.below(devices.len());
        let device = &mut devices[chosen];
        let is_full = device.held.len() > 12;
        match random.below(20) {
            0..=6 if !is_full => {
                let address = device.allocator.allocate(random.size());
                device.held.push(address);
            }
            0..=11 if !device.held.is_empty() => {
                let which = random.below(device.held.len());
                let address = device.held.swap_remove(which);
                device.allocator.free(address);
            }
            13 => device.allocator.empty_cache(),
            14 => device.reset(way),
            15..=17 if laps.len() < 8 => {
                for device in &mut devices {
                    device.look(way);
                    device.frames.open(step);
                }
                let levels = devices
                    .iter()
                    .map(|device| (device.levels(), device.levels()));
                laps.push(Remembered {
                    lap: step,
                    seen: levels.collect(),
                });
            }
            _ if !laps.is_empty() => {
                // Mostly the innermost; laps of other threads and tasks close in any order.
                let last = laps.len() - 1;
                let which = if random.below(4) == 0 {
                    random.below(laps.len())
                } else {
                    last
                };
                let lap = laps.remove(which);
                for (device, (start, most)) in devices.iter_mut().zip(lap.seen) {
                    device.look(way);
                    let told = device
                        .frames
                        .close(lap.lap)
                        .expect("something limits its peak");
                    check(way, told, start, most, device.levels());
                    exact += usize::from(told.is_exact());
                    all += 1;
                }
            }
            _ => {}
        }
        for lap in &mut laps {
            for (device, (_, most)) in devices.iter().zip(&mut lap.seen) {
                let now = device.levels();
                *most = [most[0].max(now[0]), most[1].max(now[1])];
            }
        }
        devices.iter().for_each(Device::check_the_programs_peaks);
    }
    (exact, all)
}

/// Runs them all, and names the one that fails. How many laps were exact, of how many.
fn run_all(way: Way) -> (usize, usize) {
    let (mut exact, mut all) = (0, 0);
    for seed in 0..PROGRAMS {
        let done = std::panic::catch_unwind(|| run(seed, way));
        let (more, laps) =
            done.unwrap_or_else(|_| panic!("program {seed} failed, read by {way:?}"));
        exact += more;
        all += laps;
    }
    assert!(all > PROGRAMS as usize, "the programs have laps");
    (exact, all)
}

#[test]
fn folded_laps_are_exact_in_twenty_thousand_programs() {
    let (exact, all) = run_all(Way::Fold);
    assert_eq!(exact, all);
}

#[test]
fn bounds_hold_the_truth_in_twenty_thousand_programs() {
    let (exact, all) = run_all(Way::Bounds);
    assert!(exact < all, "some are not exact");
}
