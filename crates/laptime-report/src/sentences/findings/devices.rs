//! Findings about devices: what slowed them, and whether they had enough to do.

use laptime_analysis::Finding;

use crate::document::names;

/// Writes a finding about a device.
pub fn device(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::Throttled {
            device,
            name,
            ratio,
            reasons,
            slower_ratio,
            is_steady,
            ..
        } => format!(
            "GPU {device} ({}) was throttled for {} of {}: {}.{} {}",
            names::short(name),
            percent(*ratio),
            stretch(*is_steady),
            reasons.join(", "),
            slower_ratio.map_or_else(String::new, |slower| format!(
                " Its clock was {} below its highest then.",
                percent(slower)
            )),
            advice(reasons.first().map_or("", String::as_str)),
        ),
        Finding::IdleDevice {
            device,
            name,
            utilization_ratio,
            ..
        } => format!(
            "GPU {device} ({}) ran a kernel for {} of the steady state and was idle for the rest. Larger batches, \
             fewer and larger kernels, or less work on the host between them keep it busy.",
            names::short(name),
            percent(*utilization_ratio),
        ),
        _ => return None,
    })
}

fn stretch(is_steady: bool) -> &'static str {
    if is_steady {
        "the steady state"
    } else {
        "the time in which it was used"
    }
}

fn percent(ratio: f64) -> String {
    format!("{:.0} %", 100.0 * ratio)
}

/// Returns advice about a reason for throttling.
fn advice(reason: &str) -> &'static str {
    if reason.starts_with("power limit") {
        "Running at the limit is usual at full load; compare runs only at the same limit (`nvidia-smi -q -d POWER`)."
    } else if reason.starts_with("heat") {
        "Look after its cooling: run again on a cool GPU before you compare times."
    } else {
        "`nvidia-smi -q -d PERFORMANCE` says more; compare times only with runs without it."
    }
}
