//! An allocator as torch's is, for tests: pools, blocks that are split and merged, frees that other
//! streams delay, counters, and the history of its calls.

use std::collections::BTreeMap;

use super::counter::Counter;
use super::history::{Block, Entry, Flow, Look, Segment};

const MIB: u64 = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Live,
    /// Given back, and in use on another stream.
    Waiting,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    bytes: u64,
    /// Where its segment begins.
    segment: u64,
    state: State,
}

#[derive(Debug, Default)]
pub struct Allocator {
    pieces: BTreeMap<u64, Piece>,
    /// By address: how large.
    segments: BTreeMap<u64, u64>,
    next: u64,
    pub look: Look,
    pub history: Vec<Entry>,
    /// What the program would see of its peaks, had nobody else reset them.
    pub alone: [u64; 2],
}

fn add(flow: &mut Flow, bytes: u64) {
    flow.added += bytes;
    flow.counter.now += bytes;
    flow.counter.peak = flow.counter.peak.max(flow.counter.now);
}

fn take(flow: &mut Flow, bytes: u64) {
    flow.taken += bytes;
    flow.counter.now -= bytes;
}

impl Allocator {
    fn note_peaks(&mut self) {
        let [allocated, reserved] = &mut self.alone;
        *allocated = (*allocated).max(self.look.allocated.counter.now);
        *reserved = (*reserved).max(self.look.reserved.counter.now);
    }

    /// Segments are neighbours in addresses, and none in the allocator.
    fn reserve(&mut self, bytes: u64) -> u64 {
        let address = self.next.max(1 << 40);
        self.next = address + bytes;
        self.segments.insert(address, bytes);
        let piece = Piece {
            bytes,
            segment: address,
            state: State::Free,
        };
        self.pieces.insert(address, piece);
        add(&mut self.look.reserved, bytes);
        self.history.push(Entry::Reserved {
            address,
            bytes,
            grows: false,
        });
        address
    }

    /// Where so much is live from now on.
    pub fn allocate(&mut self, asked: u64) -> u64 {
        let bytes = asked.next_multiple_of(512).max(512);
        let is_small = bytes <= MIB;
        let segment = match bytes {
            _ if is_small => 2 * MIB,
            _ if bytes < 10 * MIB => 20 * MIB,
            _ => bytes.next_multiple_of(2 * MIB),
        };
        let fits = self.pieces.iter().filter(|(_, piece)| {
            piece.state == State::Free
                && piece.bytes >= bytes
                && (self.segments[&piece.segment] == 2 * MIB) == is_small
        });
        let best = fits.min_by_key(|(address, piece)| (piece.bytes, **address));
        let best = best.map(|(address, _)| *address);
        let address = best.unwrap_or_else(|| self.reserve(segment));
        let piece = self.pieces.get_mut(&address).unwrap();
        let rest = piece.bytes - bytes;
        piece.state = State::Live;
        let is_split = if is_small { rest >= 512 } else { rest > MIB };
        if is_split {
            piece.bytes = bytes;
            let rest = Piece {
                bytes: rest,
                state: State::Free,
                ..*piece
            };
            self.pieces.insert(address + bytes, rest);
        }
        let size = self.pieces[&address].bytes;
        add(&mut self.look.allocated, size);
        self.look.active += size;
        self.look.allocations += 1;
        self.history.push(Entry::Allocated {
            address,
            bytes: asked,
        });
        self.note_peaks();
        address
    }

    /// Gives it back; another stream may still use it.
    pub fn free(&mut self, address: u64, waits: bool) {
        let piece = self.pieces.get_mut(&address).unwrap();
        assert_eq!(piece.state, State::Live);
        piece.state = State::Waiting;
        let bytes = piece.bytes;
        take(&mut self.look.allocated, bytes);
        self.look.frees += 1;
        self.history.push(Entry::FreeRequested { address });
        if !waits {
            self.complete(address);
        }
    }

    fn complete(&mut self, address: u64) {
        let mut piece = self.pieces.remove(&address).unwrap();
        self.look.active -= piece.bytes;
        self.history.push(Entry::FreeCompleted { address });
        piece.state = State::Free;
        let mut start = address;
        if let Some((before, known)) = self.pieces.range(..address).next_back()
            && known.segment == piece.segment
            && known.state == State::Free
        {
            (start, piece.bytes) = (*before, known.bytes + piece.bytes);
        }
        let end = start + piece.bytes;
        if let Some(next) = self.pieces.get(&end).copied()
            && next.segment == piece.segment
            && next.state == State::Free
        {
            self.pieces.remove(&end);
            piece.bytes += next.bytes;
        }
        self.pieces.insert(start, piece);
    }

    /// Other streams are done with all that waits.
    pub fn catch_up(&mut self) {
        let waiting = self
            .pieces
            .iter()
            .filter(|(_, piece)| piece.state == State::Waiting);
        let waiting: Vec<u64> = waiting.map(|(address, _)| *address).collect();
        for address in waiting {
            self.complete(address);
        }
    }

    /// Gives free segments back to the device.
    pub fn empty_cache(&mut self) {
        self.catch_up();
        let whole = self.segments.iter().filter(|(address, bytes)| {
            let piece = &self.pieces[address];
            piece.state == State::Free && piece.bytes == **bytes
        });
        let whole: Vec<(u64, u64)> = whole.map(|(address, bytes)| (*address, *bytes)).collect();
        for (address, bytes) in whole {
            self.pieces.remove(&address);
            self.segments.remove(&address);
            take(&mut self.look.reserved, bytes);
            self.history.push(Entry::Released { address, bytes });
        }
    }

    /// The allocator's peaks begin anew.
    pub fn reset_peaks(&mut self) {
        for flow in [&mut self.look.allocated, &mut self.look.reserved] {
            flow.counter = flow.counter.reset();
        }
    }

    pub fn counters(&self) -> [Counter; 2] {
        [self.look.allocated.counter, self.look.reserved.counter]
    }

    /// All segments with what is not free in them.
    pub fn segments(&self) -> Vec<Segment> {
        let each = self.segments.iter().map(|(address, bytes)| Segment {
            address: *address,
            bytes: *bytes,
            grows: false,
            blocks: self
                .pieces
                .iter()
                .filter(|(_, piece)| piece.segment == *address && piece.state != State::Free)
                .map(|(address, piece)| Block {
                    address: *address,
                    bytes: piece.bytes,
                    is_live: piece.state == State::Live,
                })
                .collect(),
        });
        each.collect()
    }
}
