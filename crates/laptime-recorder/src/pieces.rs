//! A span that runs in pieces: a future, a generator, a span of `tracing`.
//!
//! Each piece stands on the stack while it runs, so what it does is filed under it, and is taken
//! off in between, so what others do meanwhile is not. At the end the sum of the pieces is written
//! as one span, under what was open when the first one began.

use laptime_core::{MemoryOnDevice, PathId, SpanMemory};

use crate::emit::{Extra, emit_under};
use crate::site::Site;
use crate::span::{Open, current_path, enter_piece, suspend_piece};

/// What ran so far.
#[derive(Debug)]
pub struct Pieces {
    site: &'static Site,
    /// The piece that runs.
    open: Option<Open>,
    /// What was open when the first piece began, and when that was.
    first: Option<(PathId, u64)>,
    /// When the last piece ended.
    last: u64,
    /// Ticks of all pieces.
    ran: u64,
    count: u32,
    /// Memory of all pieces, if it was counted in each.
    memory: Option<SpanMemory>,
    /// Memory of all pieces on one device, if it was read in each.
    device_memory: Option<MemoryOnDevice>,
}

impl Pieces {
    /// A span of which no piece has begun.
    pub fn new(site: &'static Site) -> Self {
        Self {
            site,
            open: None,
            first: None,
            last: 0,
            ran: 0,
            count: 0,
            memory: Some(SpanMemory::default()),
            device_memory: None,
        }
    }

    /// Begins a piece on the stack in use. `None` when recording is off.
    pub fn resume(&mut self) -> Option<Open> {
        let outside = current_path();
        let id = self.first.map(|(_, start)| start);
        self.open = enter_piece(self.site, id);
        if let Some(open) = self.open {
            self.count += 1;
            self.first.get_or_insert((outside, open.start()));
        }
        self.open
    }

    /// Ends the piece that runs, if one does.
    pub fn pause(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let piece = suspend_piece(open).inspect(|piece| {
            piece.without_device_time();
        });
        let whole = self.memory.zip(piece.and_then(|piece| piece.memory));
        self.memory = whole.map(|(before, next)| before.then(next));
        let on_device = piece.and_then(|piece| piece.device_memory);
        self.device_memory = match self.count {
            1 => on_device,
            _ => (self.device_memory.zip(on_device)).and_then(|(before, next)| before.then(next)),
        };
        if let Some(piece) = piece {
            self.ran += piece.ticks;
            self.last = open.start() + piece.ticks;
        }
    }

    /// How many pieces began.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// When the first piece began, in ticks.
    pub fn began(&self) -> Option<u64> {
        self.first.map(|(_, start)| start)
    }

    /// Ticks from the start of the first piece to the end of the last one.
    pub fn wall(&self) -> u64 {
        self.last.saturating_sub(self.began().unwrap_or(self.last))
    }

    /// Writes the span, with the memory of the pieces and what `extra` says besides. Does nothing
    /// where no piece began, or a second time.
    pub fn finish(&mut self, extra: Extra) {
        if let Some((outside, start)) = self.first.take() {
            let extra = Extra {
                memory: self.memory.take(),
                device_memory: self.device_memory.take(),
                ..extra
            };
            emit_under(outside, self.site, start, self.ran, extra);
        }
    }
}
