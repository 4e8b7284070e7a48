//! What the machine can do at most, measured once before a program whose operations are counted.
//!
//! Beforehand, so that it is no part of the program's time. The program's own interpreter does
//! it, since what a model can reach is what its `PyTorch` reaches.

use std::io::Write;
use std::process::Stdio;

use laptime_core::ceilings::{Ceilings, Origin};
use laptime_recorder::ceilings;

use super::target::Target;
use crate::messages::say;
use crate::own_code;
use crate::variables;

/// Measures and keeps; torch's products too where there is torch.
const MEASURE: &str = "\
import importlib.util, laptime
if importlib.util.find_spec('torch'):
    import torch
laptime.ceilings()
";

/// Measures the machine unless that was done before. What goes wrong costs the shares of the peak.
pub fn measure_once(target: &Target, err: &mut dyn Write) {
    if !target.is_python() || ceilings::load().is_some_and(|kept| knows_products(&kept)) {
        return;
    }
    say(
        err,
        format_args!("laptime: measuring what this machine reaches at most, once (some 15 s)"),
    );
    let _ = own_code::command(&target.executable, MEASURE)
        .env_remove(variables::RUN)
        .env_remove(variables::AUTO)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

fn knows_products(kept: &Ceilings) -> bool {
    let mut all = kept.all.iter();
    all.any(|ceiling| matches!(ceiling.origin, Origin::Framework(_)))
}
