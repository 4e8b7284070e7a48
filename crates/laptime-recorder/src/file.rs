//! One process's file: its prefix, and windows set aside in it ahead of need.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use laptime_core::format::process::{
    BLACK_BOX_OFFSET, CLAMPED_OFFSET, CLOSED_OFFSET, END_ANCHOR_OFFSET, END_CHECK_OFFSET,
    LENGTH_OFFSET, LOSS_REASON_OFFSET, LOST_OFFSET, PREFIX_LEN, ProcessHeader, SLOT_LEN, SLOTS,
    end_check, window_offset,
};
use laptime_core::format::window::WINDOW_LEN;
use laptime_core::run::PROCESS_EXTENSION;
use laptime_core::{Anchor, PathTable};

use crate::lock::Lock;
use crate::own_file::OwnFile;
use crate::platform;
use crate::stack::Slot;
use crate::window::{Destination, Window};

/// How windows reach the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backing {
    /// Mapped, or written where the file system cannot map.
    Auto,
    /// Mapped, or not at all.
    Mapped,
    /// Written about ten times a second: a kill may cost what came since.
    Written,
}

/// Windows at the start of a file that use a part of their slots only: those of the first thread and
/// of the collector, which are all that a process needs that lives shortly.
pub const SHORT_WINDOWS: u64 = 2;
/// Bytes that these use: more than the longest path takes with all that it stands under.
const SHORT_LEN: usize = 24 << 10;
const _: () = assert!(SHORT_LEN > PathTable::CHAIN_LIMIT + (4 << 10));
/// Slots of the black box for which there is room on disk from the start; a page each time after that.
const FIRST_SLOTS: usize = 4;

#[derive(Debug)]
pub struct ProcessFile {
    file: OwnFile,
    mapped: bool,
    prefix: NonNull<u8>,
    slots_taken: u32,
    next_slot: u64,
    ready: VecDeque<Window>,
    epoch: u64,
}

// SAFETY: the prefix is plain memory; fields in it are written by whoever holds the file, slots by
// the thread whose stack lies in them.
unsafe impl Send for ProcessFile {}

const _: () = assert!(SLOTS <= 32);

/// Prefixes on the heap live as long as the process: a thread that has not noticed the end of a
/// recording yet goes on using its slot.
static KEPT: Lock<Vec<Kept>> = Lock::new(Vec::new());

#[derive(Debug)]
struct Kept(#[expect(dead_code, reason = "kept, not read")] NonNull<u8>);

// SAFETY: never dereferenced.
unsafe impl Send for Kept {}

impl ProcessFile {
    /// Makes the file in a recording's folder and writes its prefix.
    ///
    /// With [`Backing::Auto`], falls back to plain writes where the file cannot be mapped.
    pub fn create(
        folder: &Path,
        header: &ProcessHeader,
        backing: Backing,
        epoch: u64,
    ) -> io::Result<Self> {
        let (path, file) = create_file(folder, header)?;
        // Under another name until it has its header: readers find whole headers only.
        let first = BLACK_BOX_OFFSET + FIRST_SLOTS * SLOT_LEN;
        let prepared = platform::reserve(&file, 0, first)
            .and_then(|()| platform::write_at(&file, 0, &header.to_bytes()[..first]))
            .and_then(|()| file.set_len(PREFIX_LEN as u64))
            .and_then(|()| std::fs::rename(&path, path.with_extension(PROCESS_EXTENSION)));
        if let Err(error) = prepared {
            let _ = std::fs::remove_file(&path);
            return Err(error);
        }
        let map = match backing {
            Backing::Written => Err(io::ErrorKind::Unsupported.into()),
            Backing::Auto | Backing::Mapped => platform::map(&file, 0, PREFIX_LEN),
        };
        let mapped = map.is_ok();
        let prefix = match map {
            Ok(prefix) => prefix,
            Err(error) if backing == Backing::Mapped => return Err(error),
            Err(_) => {
                let bytes: &'static mut [u64] =
                    Box::leak(vec![0_u64; PREFIX_LEN / 8].into_boxed_slice());
                let prefix = NonNull::from(bytes).cast::<u8>();
                KEPT.lock().push(Kept(prefix));
                let bytes = header.to_bytes();
                // SAFETY: both are a prefix long.
                unsafe {
                    prefix.copy_from_nonoverlapping(NonNull::from(&bytes[..]).cast(), PREFIX_LEN);
                }
                prefix
            }
        };
        Ok(Self {
            file: OwnFile::new(file)?,
            mapped,
            prefix,
            slots_taken: 0,
            next_slot: 0,
            ready: VecDeque::new(),
            epoch,
        })
    }

    /// A window, from those set aside or made now.
    pub fn take_window(&mut self) -> io::Result<Window> {
        match self.ready.pop_front() {
            Some(window) => Ok(window),
            None => self.make_window(),
        }
    }

    /// How many windows are set aside.
    pub fn ready(&self) -> usize {
        self.ready.len()
    }

    /// Sets one more window aside.
    pub fn set_aside(&mut self) -> io::Result<()> {
        let window = self.make_window()?;
        self.ready.push_back(window);
        Ok(())
    }

    fn make_window(&mut self) -> io::Result<Window> {
        let slot = self.next_slot;
        let offset = window_offset(slot);
        let file = self.file.get()?;
        let length = if slot < SHORT_WINDOWS {
            SHORT_LEN
        } else {
            WINDOW_LEN
        };
        platform::reserve(file, offset, length)?;
        let window = if self.mapped {
            let base = platform::map(file, offset, WINDOW_LEN)?;
            Window::on_map(base, slot, length, self.epoch)
        } else {
            Window::on_heap(Destination::Written { slot }, length, self.epoch)
        };
        self.next_slot += 1;
        Ok(window)
    }

    /// Writes a window out, where the file is not mapped.
    pub fn write_out(&self, window: &Window) -> io::Result<()> {
        match window.destination() {
            Destination::Written { slot } => {
                platform::write_at(self.file.get()?, window_offset(slot), &window.copy())
            }
            Destination::Mapped { .. } | Destination::Nowhere => Ok(()),
        }
    }

    /// Writes the final bytes of a sealed window out, where the file is not mapped.
    pub fn write_sealed(&self, slot: u64, bytes: &[u8]) -> io::Result<()> {
        if self.mapped {
            return Ok(());
        }
        platform::write_at(self.file.get()?, window_offset(slot), bytes)
    }

    /// Writes the prefix out, where the file is not mapped.
    pub fn write_prefix(&self) -> io::Result<()> {
        if self.mapped {
            return Ok(());
        }
        let mut bytes = vec![0; PREFIX_LEN];
        let (head, slots) = bytes.split_at_mut(BLACK_BOX_OFFSET);
        // SAFETY: a prefix long. Its fields are written only by whoever holds the file; slots may change meanwhile,
        // which a reader tolerates.
        unsafe {
            head.copy_from_slice(std::slice::from_raw_parts(self.prefix.as_ptr(), head.len()));
            for (at, to) in slots.chunks_exact_mut(SLOT_LEN).enumerate() {
                to.copy_from_slice(&self.slot(at).as_ref().to_bytes());
            }
        }
        platform::write_at(self.file.get()?, 0, &bytes)
    }

    /// Whether windows and the prefix must be written out now and then.
    pub fn needs_writing(&self) -> bool {
        !self.mapped
    }

    /// A free slot of the black box.
    pub fn take_slot(&mut self) -> Option<NonNull<Slot>> {
        let free = (0..SLOTS).find(|slot| self.slots_taken & (1 << slot) == 0)?;
        if free >= FIRST_SLOTS && free.is_multiple_of(FIRST_SLOTS) {
            let offset = (BLACK_BOX_OFFSET + free * SLOT_LEN) as u64;
            let file = self.file.get().ok()?;
            platform::reserve(file, offset, FIRST_SLOTS * SLOT_LEN).ok()?;
        }
        self.slots_taken |= 1 << free;
        Some(self.slot(free))
    }

    fn slot(&self, number: usize) -> NonNull<Slot> {
        debug_assert!(number < SLOTS);
        // SAFETY: inside the prefix, aligned to 1,024.
        unsafe { self.prefix.add(BLACK_BOX_OFFSET + number * SLOT_LEN) }.cast()
    }

    /// In a forked child: lets go of the parent's file. The prefix becomes memory of the child's own,
    /// for whatever may still point there.
    pub fn leave_to_parent(mut self) {
        if self.mapped {
            platform::make_private(self.prefix, PREFIX_LEN);
        }
        self.slots_taken = u32::MAX;
        // Windows that were set aside stay mapped; nothing leads to them.
        std::mem::forget(std::mem::take(&mut self.ready));
    }

    /// Gives a slot back; does nothing for memory that is not of this black box.
    pub fn free_slot(&mut self, slot: NonNull<Slot>) {
        let offset = slot
            .addr()
            .get()
            .wrapping_sub(self.prefix.addr().get() + BLACK_BOX_OFFSET);
        if offset < SLOTS * SLOT_LEN {
            self.slots_taken &= !(1 << (offset / SLOT_LEN));
        }
    }

    fn store(&self, offset: usize, bytes: &[u8]) {
        // SAFETY: fields of the prefix, written only by whoever holds the file.
        unsafe {
            self.prefix
                .add(offset)
                .copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
        }
    }

    /// Notes how many spans were lost and clamped so far, and why.
    pub fn store_losses(&self, lost: u64, clamped: u64, reason: Option<i32>) {
        self.store(LOST_OFFSET, &lost.to_le_bytes());
        self.store(CLAMPED_OFFSET, &clamped.to_le_bytes());
        if let Some(reason) = reason {
            self.store(LOSS_REASON_OFFSET, &reason.to_le_bytes());
        }
    }

    /// Marks the file as closed and cuts off what was set aside behind `end`.
    pub fn close(&self, anchor: Anchor, end: u64) -> io::Result<()> {
        self.store(END_ANCHOR_OFFSET, &anchor.to_bytes());
        self.store(LENGTH_OFFSET, &end.to_le_bytes());
        let check = end_check(&anchor.to_bytes(), end);
        self.store(END_CHECK_OFFSET, &check.to_le_bytes());
        self.store(CLOSED_OFFSET, &1_u64.to_le_bytes());
        self.write_prefix()?;
        self.file.get()?.set_len(end)
    }
}

impl Drop for ProcessFile {
    fn drop(&mut self) {
        // A thread that has not noticed the end of the recording yet goes on using its slot.
        if self.mapped && self.slots_taken == 0 {
            // SAFETY: mapped in `create`, and no stack lies in it: those that do have their slots taken.
            unsafe { platform::unmap(self.prefix, PREFIX_LEN) };
        }
    }
}

fn create_file(folder: &Path, header: &ProcessHeader) -> io::Result<(PathBuf, File)> {
    let mut nonce = header.anchor.realtime_ns;
    loop {
        let path = folder.join(format!("{}-{:08x}.new", header.pid, nonce as u32));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let taken = path.with_extension(PROCESS_EXTENSION).exists();
        match options.open(&path) {
            Ok(file) if !taken => return Ok((path, file)),
            Ok(_) => std::fs::remove_file(&path)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        nonce += 1;
    }
}
