//! Scripted processes for tests: records at exact times, read as those of a real recording are.

pub mod analyzed;
pub mod scripted;

use crate::compare::Run;
use crate::{Analyzer, Options, ProcessKey, ReadAgain, Summary};
