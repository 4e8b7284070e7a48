//! What `laptime run` was asked to run: its typed arguments, as a request that a target is found for.

use super::target::Request;
use crate::args::RunArgs;

impl RunArgs {
    /// What is to be run: code, a module, or else a program.
    pub fn request(&self) -> Request<'_> {
        match (&self.module[..], &self.code[..]) {
            ([], []) => Request::Program(&self.program),
            ([], code) => Request::Code(code),
            (module, _) => Request::Module(module),
        }
    }
}
