//! The functions of a process that were called, by number, and which of them a window defines.

use std::collections::{HashMap, HashSet};

use laptime_core::CalledFunction;
use laptime_core::format::record::{Cursor, Record, encode};

use super::table::FunctionKey;

/// Functions that get a number of their own.
const MOST_FUNCTIONS: usize = 65_536;
/// Bytes of a name or of a file's path that are kept: the end tells most.
const MOST_BYTES: usize = 512;
/// The function that stands for all others.
pub const OTHER: u32 = 1;

/// What a function is called and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFunction {
    /// Its qualified name.
    pub name: String,
    /// The file that it stands in; `~` for one that isn't Python.
    pub file: String,
    /// The line at which it begins; 0 for one that isn't Python.
    pub line: u32,
}

/// The functions of this process.
#[derive(Debug, Default)]
pub struct Book {
    numbers: HashMap<FunctionKey, u32>,
    functions: Vec<NewFunction>,
}

impl Book {
    /// A function's number, if it has one.
    pub fn number(&self, key: FunctionKey) -> Option<u32> {
        self.numbers.get(&key).copied()
    }

    /// Whether a function would get a number of its own.
    pub fn has_room(&self) -> bool {
        self.functions.len() < MOST_FUNCTIONS
    }

    /// Gives a function a number. What no longer fits gets the one of all others.
    pub fn add(&mut self, key: FunctionKey, function: &NewFunction) -> u32 {
        if self.functions.is_empty() {
            self.functions.push(NewFunction {
                name: "<other functions>".to_owned(),
                file: "~".to_owned(),
                line: 0,
            });
        }
        if let Some(known) = self.number(key) {
            return known;
        }
        if !self.has_room() {
            return OTHER;
        }
        self.functions.push(NewFunction {
            name: kept(&function.name),
            file: kept(&function.file),
            line: function.line,
        });
        let id = self.functions.len() as u32;
        self.numbers.insert(key, id);
        id
    }

    /// A function by its number.
    pub fn get(&self, id: u32) -> Option<&NewFunction> {
        self.functions.get((id as usize).checked_sub(1)?)
    }
}

/// What is defined in the window of one writer.
#[derive(Debug, Default)]
pub struct Defined {
    generation: Option<u32>,
    functions: HashSet<u32>,
}

impl Defined {
    /// Appends the definitions of functions that a window lacks.
    pub fn define(
        &mut self,
        book: &Book,
        functions: [u32; 2],
        generation: u32,
        bytes: &mut Vec<u8>,
        cursor: &mut Cursor,
    ) {
        if self.generation != Some(generation) {
            self.generation = Some(generation);
            self.functions.clear();
        }
        for id in functions {
            if let Some(function) = book.get(id)
                && self.functions.insert(id)
            {
                let NewFunction { name, file, line } = function;
                let line = *line;
                let function = CalledFunction {
                    id,
                    line,
                    name,
                    file,
                };
                encode(bytes, cursor, &Record::CalledFunction(function));
            }
        }
    }
}

/// The end of a text, without the byte that parts texts.
fn kept(text: &str) -> String {
    let mut from = text.len().saturating_sub(MOST_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].replace('\0', "\u{fffd}")
}
