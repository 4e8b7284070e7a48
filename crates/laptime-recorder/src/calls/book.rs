//! The functions of a process that were called, by number, and which of them a window defines.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use laptime_core::CalledFunction;
use laptime_core::format::record::{Cursor, Record, encode};

use super::table::{FunctionKey, QuickHasher};

/// Functions that get a number of their own.
const MOST_FUNCTIONS: usize = 65_536;
/// Bytes of a name or of a file's path that are kept: the end tells most.
const MOST_BYTES: usize = 512;
/// The function that stands for all others.
pub const OTHER: u32 = 1;
/// The function that stands for those of this package.
pub const OWN: u32 = 2;

/// What a function is called and where it stands. Two with the same are one function: code that is
/// compiled again and again has another key each time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NewFunction {
    /// Its qualified name.
    pub name: String,
    /// The file that it stands in; `~` for one that isn't Python.
    pub file: String,
    /// The line at which it begins; 0 for one that isn't Python.
    pub line: u32,
}

impl NewFunction {
    /// What stands for all functions of this package: they are no part of the program.
    pub fn own() -> Self {
        Self::group("<laptime>")
    }

    fn group(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            file: "~".to_owned(),
            line: 0,
        }
    }
}

/// The functions of this process.
#[derive(Debug)]
pub struct Book {
    /// Of functions that are alive.
    numbers: HashMap<FunctionKey, u32, BuildHasherDefault<QuickHasher>>,
    by_place: HashMap<NewFunction, u32>,
    functions: Vec<NewFunction>,
    is_full: bool,
}

impl Default for Book {
    fn default() -> Self {
        let functions = vec![NewFunction::group("<other functions>"), NewFunction::own()];
        Self {
            numbers: HashMap::default(),
            by_place: HashMap::from([(NewFunction::own(), OWN)]),
            functions,
            is_full: false,
        }
    }
}

impl Book {
    /// A function's number, if it has one.
    pub fn number(&self, key: FunctionKey) -> Option<u32> {
        self.numbers.get(&key).copied()
    }

    /// Gives a function a number. What no longer fits gets the one of all others.
    pub fn add(&mut self, key: FunctionKey, function: &NewFunction) -> u32 {
        let function = NewFunction {
            name: kept(&function.name),
            file: kept(&function.file),
            line: function.line,
        };
        let number = self.by_place.get(&function).copied();
        let number = number.unwrap_or_else(|| self.append(function));
        self.numbers.insert(key, number);
        number
    }

    fn append(&mut self, function: NewFunction) -> u32 {
        if self.functions.len() >= MOST_FUNCTIONS {
            self.is_full = true;
            return OTHER;
        }
        self.functions.push(function.clone());
        let number = self.functions.len() as u32;
        self.by_place.insert(function, number);
        number
    }

    /// A function is no more: its key may become another one's.
    pub fn forget(&mut self, key: FunctionKey) {
        self.numbers.remove(&key);
    }

    /// Whether there were functions that got no number of their own.
    pub fn is_full(&self) -> bool {
        self.is_full
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
