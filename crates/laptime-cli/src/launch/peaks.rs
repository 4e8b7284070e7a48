//! What the machine can do at most, measured once before a program whose operations are counted.
//!
//! Beforehand, so that it is no part of the program's time. The program's own interpreter does
//! it, since what a model can reach is what its `PyTorch` reaches.

use std::io::Read;
use std::process::Stdio;

use laptime_core::ceilings::{Ceiling, Ceilings, Origin};
use laptime_recorder::ceilings;
use laptime_recorder::environment::{AUTO_VARIABLE, RUN_VARIABLE};

use super::target::Target;
use crate::messages::say;
use crate::outlet::Outlet;
use crate::own_code;

/// Measures and keeps what isn't known, and says so first; torch's products too where there is torch.
const MEASURE: &str = "\
import importlib.util, sys
has_torch = importlib.util.find_spec('torch') is not None
if has_torch or sys.argv[1] == 'unknown':
    print(flush=True)
    import laptime
    if has_torch:
        import torch
    laptime.ceilings()
";

/// Measures the machine unless that was done before on a quiet machine. What goes wrong costs the shares of the peak.
pub fn measure_once(target: &Target, err: &mut Outlet<'_>) {
    let kept = ceilings::load();
    if !target.is_python() || kept.as_ref().is_some_and(knows_products) {
        return;
    }
    let known = if kept.is_some() { "known" } else { "unknown" };
    let is_again = kept.as_ref().is_some_and(has_products);
    let measuring = own_code::command(&target.executable, MEASURE)
        .arg(known)
        .env_remove(RUN_VARIABLE)
        .env_remove(AUTO_VARIABLE)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut measuring) = measuring else {
        return;
    };
    let mut begun = [0];
    let stdout = measuring.stdout.as_mut();
    if stdout.is_some_and(|stdout| stdout.read_exact(&mut begun).is_ok()) {
        let said = if is_again {
            "laptime: measuring again what this machine reaches at most, since it was busy the last \
             time (some 10 s)"
        } else {
            "laptime: measuring what this machine reaches at most, once (up to a minute)"
        };
        say(err, format_args!("{said}"));
    }
    let _ = measuring.wait();
}

fn knows_products(kept: &Ceilings) -> bool {
    let again = kept.all.iter().any(Ceiling::is_to_measure_again);
    has_products(kept) && !again
}

fn has_products(kept: &Ceilings) -> bool {
    let mut all = kept.all.iter();
    all.any(|ceiling| matches!(ceiling.origin, Origin::Framework(_)))
}
