//! Memory that rises without steps, and memory that is told without an option: resident, and in use on a device.

use laptime_analysis::{Finding, MainFunction};

const MS: u64 = 1_000_000;

/// Findings of all shapes; `load` is the function that they name.
pub fn uncounted_memory(load: &MainFunction) -> Vec<Finding> {
    let load = || Some(load.clone());
    vec![
        resident(Some("step"), false),
        resident(Some("step"), true),
        resident(None, false),
        on_device(true),
        on_device(false),
        resident_in("step", load(), None),
        resident_in("", load(), None),
        resident_in("", None, load()),
        resting(),
        beside_counts(None),
        beside_counts(Some(1_500_000_000)),
    ]
}

/// Counted memory that rises in a program without steps; `load` is the function that they name.
pub fn rises(load: &MainFunction) -> Vec<Finding> {
    let load = || Some(load.clone());
    vec![
        rise(None, None, false),
        rise(None, load(), true),
        rise(None, None, true),
        rise(load(), None, true),
    ]
}

/// Such memory, with the function that it rises in or the one that mostly runs.
fn rise(of: Option<MainFunction>, busy: Option<MainFunction>, is_sampled: bool) -> Finding {
    Finding::MemoryRise {
        per_second_bytes: 9_700_000,
        uncertainty_bytes: 120_000,
        risen_bytes: 46_500_000,
        during_ns: 4_790 * MS,
        function: of,
        busy_function: busy,
        is_sampled,
    }
}

/// Resident memory that grows.
fn resident(path: Option<&str>, is_counted: bool) -> Finding {
    Finding::ResidentGrowth {
        path: path.map(str::to_owned),
        step_count: path.map(|_| 1_200),
        each_bytes: 1_258_291,
        uncertainty_bytes: 31_000,
        risen_bytes: 1_509_949_200,
        during_ns: path.is_none().then_some(12_400 * MS),
        before_end_ns: None,
        is_counted,
        counted_bytes: is_counted.then_some(2 << 20),
        function: None,
        busy_function: None,
    }
}

/// Such memory, with the function that it rises in or the one that mostly runs; without steps where the path is empty.
fn resident_in(path: &str, of: Option<MainFunction>, busy: Option<MainFunction>) -> Finding {
    let mut finding = resident(Some(path).filter(|path| !path.is_empty()), false);
    if let Finding::ResidentGrowth {
        function,
        busy_function,
        ..
    } = &mut finding
    {
        (*function, *busy_function) = (of, busy);
    }
    finding
}

/// Memory that rises until a while before the end.
fn resting() -> Finding {
    let mut finding = resident(None, false);
    if let Finding::ResidentGrowth { before_end_ns, .. } = &mut finding {
        *before_end_ns = Some(1_010 * MS);
    }
    finding
}

/// Memory that rises beside allocations that were counted.
fn beside_counts(counted: Option<u64>) -> Finding {
    let mut finding = resident(None, true);
    if let Finding::ResidentGrowth { counted_bytes, .. } = &mut finding {
        *counted_bytes = counted;
    }
    finding
}

/// Memory of a device that grows.
fn on_device(is_own: bool) -> Finding {
    Finding::DeviceGrowth {
        path: "step".to_owned(),
        step_count: 300,
        each_bytes: 12_582_912,
        uncertainty_bytes: 1_048_576,
        risen_bytes: 3_774_873_600,
        device: 1,
        name: "NVIDIA H200".to_owned(),
        is_own,
        is_counted: !is_own,
    }
}
