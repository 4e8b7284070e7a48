//! Functions and lines of code objects, read once each.
//!
//! A code object may be freed and its place be another one's, and so may be its strings: what was
//! read counts while the object, its line table, and the characters of its names look the same.

use std::collections::HashMap;
use std::sync::Arc;

use laptime_recorder::stacks::SeenFunction;

use super::event_loop::Round;
use super::layout::{self, Layout, TABLE_ROOM};
use super::peek::{peek_all, word_at};
use super::text::{Text, bytes_of, bytes_of_mut, copy};
use crate::file_names::FileNames;

/// Code objects that are remembered; with more, all are forgotten.
const MOST_CODES: usize = 16_384;
/// Bytes of a line table that are read: more is none.
const MOST_TABLE: u64 = 1 << 20;

/// A code object, as it was read.
struct Known {
    /// The look that saw it last: one look reads it once.
    look: u64,
    /// Copies of the object and of its line table, in words, and the table's bytes.
    code: Vec<u64>,
    table: Vec<u64>,
    /// Where the table stands, and how long it is.
    table_at: u64,
    table_len: usize,
    /// The strings of its name and of its file.
    strings: [Text; 2],
    function: Arc<SeenFunction>,
    /// The variables of a round of an event loop, if it is that.
    round: Option<Round>,
}

/// What was read of code objects, by their addresses.
#[derive(Default)]
pub struct Codes {
    known: HashMap<u64, Known>,
    look: u64,
    /// Room for what is read again to be held against what is known.
    room: Vec<u8>,
    /// What their files are called.
    names: FileNames,
}

impl Codes {
    /// Another look begins.
    pub fn begin(&mut self) {
        self.look += 1;
        if self.known.len() > MOST_CODES {
            self.known.clear();
        }
    }

    /// The function of a code object and the line of an instruction in it; `None` for what isn't code.
    pub fn of(&mut self, address: u64, instruction: u64) -> Option<(Arc<SeenFunction>, u32)> {
        let (look, room) = (self.look, &mut self.room);
        let is_fresh = |known: &Known| known.look == look || known.is_as_read(address, room);
        if !self.known.get(&address).is_some_and(is_fresh) {
            let known = Known::read(address, &mut self.names)?;
            self.known.insert(address, known);
        }
        let known = self.known.get_mut(&address)?;
        known.look = look;
        let line = layout::line(&mut known.code, address, &mut known.table, instruction);
        Some((Arc::clone(&known.function), line))
    }

    /// The variables of a round of an event loop, if a code that was read is that.
    pub fn round(&self, address: u64) -> Option<Round> {
        self.known.get(&address)?.round
    }
}

impl Known {
    fn read(address: u64, names: &mut FileNames) -> Option<Self> {
        let layout = layout::layout();
        let code = copy(address, layout.code_len as usize, 0)?;
        let bytes = bytes_of(&code);
        let name = Text::read(word_at(bytes, layout.code_name))?;
        let file = Text::read(word_at(bytes, layout.code_filename))?;
        let function = SeenFunction {
            name: name.characters(),
            file: names.name(&file.characters()),
        };
        let locals = word_at(bytes, layout.code_locals);
        let round = Round::of_code(&function.name, &function.file, locals, layout);
        let table_at = word_at(bytes, layout.code_table);
        let (table, table_len) = table(table_at, layout)?;
        Some(Self {
            look: 0,
            code,
            table,
            table_at,
            table_len,
            strings: [name, file],
            function: Arc::new(function),
            round,
        })
    }

    /// Whether the object and its table still are what they were. All of it is read by one call of the
    /// system: every code object of every stack is looked at again a hundred times a second.
    fn is_as_read(&self, address: u64, room: &mut Vec<u8>) -> bool {
        let layout = layout::layout();
        let [name, file] = &self.strings;
        let lens = [layout.code_len as usize, name.bytes.len(), file.bytes.len()];
        room.resize(lens.iter().sum::<usize>() + self.table_len, 0);
        let (code, rest) = room.split_at_mut(lens[0]);
        let (name_now, rest) = rest.split_at_mut(lens[1]);
        let (file_now, table) = rest.split_at_mut(lens[2]);
        let pieces = [
            (address, &mut *code),
            (name.at, &mut *name_now),
            (file.at, &mut *file_now),
            (self.table_at, &mut *table),
        ];
        if !peek_all(pieces) || name_now != name.bytes || file_now != file.bytes {
            return false;
        }
        // What the object begins with counts references. The line table's place in the copy was
        // taken by that of its own copy.
        let before = bytes_of(&self.code);
        let is_same = |offset| word_at(code, offset) == word_at(before, offset);
        let from = layout.bytes_len as usize;
        [layout.code_filename, layout.code_name, layout.code_first]
            .into_iter()
            .all(is_same)
            && word_at(code, layout.code_table) == self.table_at
            && table[from..] == bytes_of(&self.table)[from..self.table_len]
    }
}

fn table(address: u64, layout: &Layout) -> Option<(Vec<u64>, usize)> {
    let head = copy(address, layout.bytes_data as usize, 0)?;
    let len = word_at(bytes_of(&head), layout.bytes_len);
    if len > MOST_TABLE {
        return None;
    }
    let copy_len = (layout.bytes_data + len) as usize;
    let mut table = copy(address, copy_len, TABLE_ROOM)?;
    // Its length was read before it, and may be another one's since: nothing is read beyond the copy.
    let says_len = layout.bytes_len as usize;
    bytes_of_mut(&mut table)[says_len..says_len + 8].copy_from_slice(&len.to_ne_bytes());
    Some((table, copy_len))
}
