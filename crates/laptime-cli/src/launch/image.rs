//! What a process becomes: a program, its words and its environment, as the kernel takes them.
//!
//! The standard library's own way asks the C library, which gives what the kernel can't run to a shell, be it a binary of
//! another machine.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

/// A program that is ready to be run.
#[derive(Debug)]
pub struct Image {
    program: CString,
    words: Words,
    environment: Words,
}

/// Texts, and a list of where they are that ends with nothing.
#[derive(Debug)]
struct Words {
    _texts: Vec<CString>,
    pointers: Vec<*const libc::c_char>,
}

// SAFETY: the pointers are to the texts beside them, which nobody changes.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// What a command starts; `called` is its first word, the program's path without. **Errors** where a word holds a zero byte.
    pub fn of(command: &Command, called: Option<&OsStr>) -> io::Result<Self> {
        let program = command.get_program();
        let words = std::iter::once(called.unwrap_or(program)).chain(command.get_args());
        let mut environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => environment.insert(name.to_owned(), value.to_owned()),
                None => environment.remove(name),
            };
        }
        let environment = environment.into_iter().map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            name
        });
        Ok(Self {
            program: text(program)?,
            words: Words::new(words)?,
            environment: Words::new(environment)?,
        })
    }

    /// Becomes it. Returns only where that can't be, with the reason. Allowed between fork and exec.
    pub fn run(&self) -> io::Error {
        let words = self.words.pointers.as_ptr();
        let environment = self.environment.pointers.as_ptr();
        // SAFETY: texts that end with a zero, in lists that end with nothing.
        unsafe { libc::execve(self.program.as_ptr(), words, environment) };
        io::Error::last_os_error()
    }
}

impl Words {
    fn new(words: impl Iterator<Item = impl AsRef<OsStr>>) -> io::Result<Self> {
        let texts = words.map(text).collect::<io::Result<Vec<_>>>()?;
        let pointers = texts.iter().map(|text| text.as_ptr());
        Ok(Self {
            pointers: pointers.chain([std::ptr::null()]).collect(),
            _texts: texts,
        })
    }
}

fn text(word: impl AsRef<OsStr>) -> io::Result<CString> {
    Ok(CString::new(word.as_ref().as_bytes())?)
}
