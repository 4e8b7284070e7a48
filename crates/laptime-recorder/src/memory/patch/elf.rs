//! The loaded objects and the entries of their relocation tables that hold functions.
//!
//! Only what the loader itself keeps in memory is read: program headers, the dynamic section,
//! the symbol table. Files are not opened, so objects that were deleted or replaced meanwhile
//! are no matter.

use std::ffi::{CStr, c_int, c_void};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::relro::Protected;
use crate::guard::guard;

/// Relocations that hold a function's address: by entry of the global offset table, of the
/// procedure linkage table, and in data.
#[cfg(target_arch = "x86_64")]
const KINDS: [u32; 3] = [6, 7, 1];
#[cfg(target_arch = "aarch64")]
const KINDS: [u32; 3] = [1025, 1026, 257];

const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;
const DT_RELACOUNT: i64 = 0x6fff_fff9;

/// A relocation with addend; the only kind on these processors.
#[repr(C)]
struct Relocation {
    offset: u64,
    information: u64,
    addend: i64,
}

/// One loaded object.
#[derive(Debug)]
pub struct Object<'a> {
    /// What addresses in its tables are relative to; 0 for a program at fixed addresses.
    pub base: usize,
    /// Whether the object is the main program.
    pub is_first: bool,
    /// How many objects have been opened and closed so far.
    pub changes: (u64, u64),
    name: &'a CStr,
    headers: &'a [libc::Elf64_Phdr],
}

/// An entry that holds a function's address.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'a> {
    /// The function's name.
    pub name: &'a CStr,
    /// Whether the entry serves calls alone; others may be read to learn the function's address.
    pub is_call: bool,
    /// Whether the loader may fill it in at the first call only.
    pub is_lazy: bool,
    place: *mut usize,
}

impl Slot<'_> {
    fn cell(&self) -> &AtomicUsize {
        // SAFETY: an aligned word of the object's tables, which the loader writes word by word too.
        unsafe { AtomicUsize::from_ptr(self.place) }
    }

    /// The address that the entry holds.
    pub fn value(&self) -> usize {
        self.cell().load(Ordering::Relaxed)
    }
}

/// Calls `run` with every loaded object, the main program first, until it breaks off; none is
/// closed meanwhile. Other threads' calls of the loader wait for it: `run` touches no thread-local,
/// which may need the loader's locks in another order.
pub fn for_each_object(mut run: impl FnMut(&Object<'_>) -> ControlFlow<()>) {
    struct Visit<'r> {
        run: &'r mut dyn FnMut(&Object<'_>) -> ControlFlow<()>,
        is_first: bool,
    }
    unsafe extern "C" fn visit(
        information: *mut libc::dl_phdr_info,
        _size: usize,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes a description that is valid during the call, and our own data.
        unsafe {
            let visit = &mut *data.cast::<Visit<'_>>();
            let information = &*information;
            let name = if information.dlpi_name.is_null() {
                c""
            } else {
                CStr::from_ptr(information.dlpi_name)
            };
            let headers = std::slice::from_raw_parts(
                information.dlpi_phdr,
                usize::from(information.dlpi_phnum),
            );
            let object = Object {
                base: information.dlpi_addr as usize,
                is_first: std::mem::take(&mut visit.is_first),
                changes: (information.dlpi_adds, information.dlpi_subs),
                name,
                headers,
            };
            let flow = guard(ControlFlow::Break(()), || (visit.run)(&object));
            c_int::from(flow.is_break())
        }
    }
    let mut data = Visit {
        run: &mut run,
        is_first: true,
    };
    // SAFETY: the callback has the right type and does not unwind.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut data).cast()) };
}

/// Where an object's tables lie.
#[derive(Default)]
struct Tables {
    strings: usize,
    symbols: usize,
    relocations: [(usize, usize); 2],
    relative: usize,
}

impl Object<'_> {
    /// Whether an address lies in it.
    pub fn holds(&self, address: usize) -> bool {
        self.headers
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD)
            .any(|header| self.range(header).contains(&address))
    }

    /// Whether an address lies in a part of it that stays writable.
    fn can_write(&self, address: usize) -> bool {
        let flags = libc::PF_R | libc::PF_W;
        self.headers
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & flags == flags)
            .any(|header| self.range(header).contains(&address))
    }

    /// The object's addresses, from the first to the last.
    pub fn extent(&self) -> Option<std::ops::Range<usize>> {
        let mut parts = self
            .headers
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD);
        let first = self.range(parts.next()?);
        let end = parts
            .map(|header| self.range(header).end)
            .fold(first.end, usize::max);
        Some(first.start..end)
    }

    /// Whether this code is in it.
    pub fn is_own(&self) -> bool {
        self.holds(Self::is_own as *const () as usize)
    }

    /// Whether the object is the loader.
    pub fn is_loader(&self) -> bool {
        self.file_name().starts_with(b"ld-linux")
    }

    fn range(&self, header: &libc::Elf64_Phdr) -> std::ops::Range<usize> {
        let start = self.base.wrapping_add(header.p_vaddr as usize);
        start..start.wrapping_add(header.p_memsz as usize)
    }

    /// A pointer of the dynamic section; the loader makes most of them absolute, but not all.
    fn pointer(&self, value: u64) -> usize {
        let value = value as usize;
        if value < self.base {
            self.base.wrapping_add(value)
        } else {
            value
        }
    }

    fn tables(&self) -> Option<Tables> {
        let dynamic = self
            .headers
            .iter()
            .find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let mut tables = Tables::default();
        let mut entry = self.range(dynamic).start as *const [i64; 2];
        loop {
            // SAFETY: the dynamic section is mapped and ends with an entry of kind 0.
            let [kind, value] = unsafe { *entry };
            let value = value as u64;
            match kind {
                0 => break,
                DT_STRTAB => tables.strings = self.pointer(value),
                DT_SYMTAB => tables.symbols = self.pointer(value),
                DT_RELA => tables.relocations[0].0 = self.pointer(value),
                DT_RELASZ => tables.relocations[0].1 = value as usize,
                DT_JMPREL => tables.relocations[1].0 = self.pointer(value),
                DT_PLTRELSZ => tables.relocations[1].1 = value as usize,
                DT_RELACOUNT => tables.relative = value as usize,
                _ => {}
            }
            // SAFETY: not the last entry.
            entry = unsafe { entry.add(1) };
        }
        (tables.strings != 0 && tables.symbols != 0).then_some(tables)
    }

    /// Calls `run` with every entry that holds the address of a function of another object.
    pub fn for_each_slot(&self, mut run: impl FnMut(Slot<'_>)) {
        let Some(tables) = self.tables() else { return };
        for (index, (start, bytes)) in tables.relocations.into_iter().enumerate() {
            let is_call = index == 1;
            // Those that name no symbol come first; big libraries have a million of them.
            let skipped = if is_call { 0 } else { tables.relative };
            let count = bytes / size_of::<Relocation>();
            if start == 0 || count <= skipped {
                continue;
            }
            // SAFETY: the loader's own table, mapped as long as the object is.
            let relocations = unsafe {
                std::slice::from_raw_parts(
                    (start as *const Relocation).add(skipped),
                    count - skipped,
                )
            };
            for relocation in relocations {
                let kind = relocation.information as u32;
                let symbol = (relocation.information >> 32) as usize;
                if !KINDS.contains(&kind) || symbol == 0 || relocation.addend != 0 {
                    continue;
                }
                // SAFETY: the index comes from the object's own table; names end with a zero.
                let (symbol, name) = unsafe {
                    let symbol = &*(tables.symbols as *const libc::Elf64_Sym).add(symbol);
                    let name = (tables.strings + symbol.st_name as usize) as *const libc::c_char;
                    (symbol, CStr::from_ptr(name))
                };
                let place = self.base.wrapping_add(relocation.offset as usize);
                let is_aligned = place.is_multiple_of(align_of::<usize>());
                if is_aligned && self.holds(place) {
                    run(Slot {
                        name,
                        is_call,
                        is_lazy: is_call && symbol.st_shndx == 0,
                        place: place as *mut usize,
                    });
                }
            }
        }
    }

    /// Whether the loader is done with its tables, as far as that can be seen.
    pub fn is_finished(&self) -> bool {
        self.protected().is_none_or(|pages| pages.are_closed())
    }

    /// Whether it can be seen when the loader is done with the object's tables.
    pub fn is_protected(&self) -> bool {
        self.protected().is_some()
    }

    /// Name of its file, without folders; empty for the main program.
    pub fn file_name(&self) -> &[u8] {
        let name = self.name.to_bytes();
        name.rsplit(|byte| *byte == b'/').next().unwrap_or(name)
    }

    fn protected(&self) -> Option<Protected> {
        let mut headers = self.headers.iter();
        let asked = headers.find(|header| header.p_type == libc::PT_GNU_RELRO)?;
        Protected::of(&self.range(asked))
    }

    /// What writes to the entries of an object that is finished.
    pub fn pen(&self) -> Pen<'_> {
        Pen {
            object: self,
            protected: self.protected(),
            is_open: false,
        }
    }
}

/// Writes to an object's entries; when it is dropped, what was protected is so again.
#[derive(Debug)]
pub struct Pen<'a> {
    object: &'a Object<'a>,
    protected: Option<Protected>,
    is_open: bool,
}

impl Pen<'_> {
    /// Writes an entry. Whether that was possible: code that was relocated in place stays as it is.
    pub fn write(&mut self, slot: Slot<'_>, value: usize) -> bool {
        let place = slot.place as usize;
        if let Some(pages) = self.protected.as_ref().filter(|pages| pages.hold(place)) {
            self.is_open = self.is_open || pages.open();
            if !self.is_open {
                return false;
            }
        } else if !self.object.can_write(place) {
            return false;
        }
        slot.cell().store(value, Ordering::Relaxed);
        true
    }
}

impl Drop for Pen<'_> {
    fn drop(&mut self) {
        if let Some(pages) = self.protected.as_ref().filter(|_| self.is_open) {
            pages.close();
        }
    }
}
