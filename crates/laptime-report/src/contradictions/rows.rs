//! Rows: statistics in their order, parts within their whole, rates over the time of what they are of.

use std::collections::HashMap;

use laptime_analysis::{RowKind, SpanRow, Summary, WallSource};

/// Codes of warnings that say that spans don't add up.
const DOUBTS: [&str; 7] = [
    "children-exceed",
    "doubled",
    "overlap",
    "unbalanced",
    "clamped-durations",
    "deep-recursion",
    "lost-spans",
];
/// Tolerance between times: they are whole nanoseconds, and clocks are read at different moments.
pub const SLACK_NS: f64 = 2e6;
/// Tolerance between ratios, which are rounded to decimals.
const ROUNDING: f64 = 1e-6;

/// Returns all contradictions of the rows.
pub fn all(summary: &Summary) -> Vec<String> {
    let mut found = Vec::new();
    each_table(summary, |rows, wall_ns| {
        for row in rows {
            found.extend(statistics(row));
            found.extend(shares(row, wall_ns));
            found.extend(rates(summary, row));
        }
        if adds_up(summary) {
            found.extend(sums(rows));
        }
    });
    found.extend(steady(summary));
    found
}

fn each_table(summary: &Summary, mut tell: impl FnMut(&[SpanRow], u64)) {
    tell(&summary.rows, summary.measured_ns);
    if let Some(steady) = &summary.steady {
        tell(&steady.rows, steady.wall_ns);
    }
    for process in &summary.by_process {
        tell(&process.rows, process.wall_ns);
    }
}

/// Tells whether durations of rows can be added up: they are of one thread, and nothing about them is doubtful.
pub fn adds_up(summary: &Summary) -> bool {
    let is_run = matches!(
        summary.wall_source,
        WallSource::Launcher | WallSource::Process | WallSource::Recording
    );
    let mut warnings = summary.warnings.iter();
    is_run
        && summary.parallel_ns == 0
        && summary.processes.len() == 1
        && !summary.tracks.iter().any(|track| track.is_task)
        && !warnings.any(|one| DOUBTS.contains(&one.code()))
}

/// Checks that percentiles are in order, and the mean is between the shortest and the longest.
fn statistics(row: &SpanRow) -> Vec<String> {
    let mut found = Vec::new();
    let named = [
        ("min_ns", row.min_ns),
        ("p50_ns", row.p50_ns),
        ("p90_ns", row.p90_ns),
        ("p95_ns", row.p95_ns),
        ("p99_ns", row.p99_ns),
        ("max_ns", row.max_ns),
    ];
    let known: Vec<(&str, u64)> = named
        .into_iter()
        .filter_map(|(name, ns)| Some((name, ns?)))
        .collect();
    for pair in known.windows(2) {
        let [(less, low), (more, high)] = pair else {
            continue;
        };
        if low > high {
            found.push(format!("{}: {less} {low} above {more} {high}", row.path));
        }
    }
    if let (Some(min_ns), Some(mean_ns), Some(max_ns)) = (row.min_ns, row.mean_ns, row.max_ns)
        && !(min_ns..=max_ns).contains(&mean_ns)
    {
        let range = format!("{min_ns} to {max_ns}");
        found.push(format!(
            "{}: a mean of {mean_ns} outside of {range}",
            row.path
        ));
    }
    if row.self_ns > row.total_ns {
        let (own, all) = (row.self_ns, row.total_ns);
        found.push(format!("{}: {own} ns of its own in {all}", row.path));
    }
    if let (Some(count), Some(mean_ns)) = (row.count, row.mean_ns) {
        let finished_ns = row.total_ns.saturating_sub(row.partial_ns) as f64;
        if (finished_ns - mean_ns as f64 * count as f64).abs() > count as f64 + 1.0 {
            found.push(format!(
                "{}: {count} times {mean_ns} ns are not {finished_ns}",
                row.path
            ));
        }
    }
    found
}

fn shares(row: &SpanRow, wall_ns: u64) -> Option<String> {
    let (told, is) = (
        row.share_ratio?,
        row.total_ns as f64 / wall_ns.max(1) as f64,
    );
    let is_off = (told - is).abs() > ROUNDING * is.max(1.0);
    is_off.then(|| format!("{}: a share of {told}, which is {is}", row.path))
}

/// Checks that a rate times the time is the work, where all of the work is known for all of the time.
fn rates(summary: &Summary, row: &SpanRow) -> Vec<String> {
    let mut found = Vec::new();
    let is_of_all = row.work.operations_coverage_ratio == Some(1.0)
        && row.work.mac.is_some()
        && row.device.device_ns.is_none();
    let seconds = row.total_ns as f64 / 1e9;
    for (what, amount, per_s) in [
        ("FLOP", row.work.flop, row.work.flop_per_s),
        ("bytes", row.work.bytes_moved, row.work.bytes_moved_per_s),
    ] {
        if let (Some(amount), Some(per_s)) = (amount.filter(|_| is_of_all), per_s)
            && (per_s * seconds - amount as f64).abs() > 1e-3 * amount as f64 + 1.0
        {
            let path = &row.path;
            found.push(format!(
                "{path}: {per_s} {what} a second in {seconds} s are not {amount}"
            ));
        }
    }
    let peaks = summary.operations.iter().flat_map(|one| &one.flop_peaks);
    let peaks: Vec<f64> = peaks.map(|peak| peak.per_s).collect();
    if let (Some(mfu), Some(per_s)) = (row.work.mfu_ratio, row.work.flop_per_s)
        && !peaks.is_empty()
        && !peaks
            .iter()
            .any(|peak| (mfu * peak / per_s.max(1e-300) - 1.0).abs() < 1e-3)
        && per_s > 0.0
    {
        let path = &row.path;
        found.push(format!(
            "{path}: an MFU of {mfu} at {per_s} FLOP/s is that of no peak"
        ));
    }
    found
}

/// Checks that children lie within their parent, and all rows within the run.
fn sums(rows: &[SpanRow]) -> Vec<String> {
    let mut found = Vec::new();
    let outermost = rows.iter().filter(|row| row.depth() == 0);
    let inside = |row: &SpanRow| 1.0 - row.apart_ns as f64 / row.total_ns.max(1) as f64;
    let shares = outermost.filter_map(|row| Some(row.share_ratio? * inside(row)));
    let whole: f64 = shares.sum();
    let first = rows.iter().find_map(|row| {
        let ratio = row.share_ratio.filter(|ratio| *ratio > 0.0)?;
        Some(row.total_ns as f64 / ratio)
    });
    let slack = SLACK_NS / first.unwrap_or(1.0).max(1.0);
    if whole > 1.01 + slack {
        found.push(format!(
            "the outermost rows are {:.1} % of the run",
            100.0 * whole
        ));
    }
    let spans = || rows.iter().filter(|row| row.kind == RowKind::Span);
    let mut inside: HashMap<&[String], f64> = HashMap::new();
    for (around, row) in spans().filter_map(|row| Some((row.names.split_last()?.1, row))) {
        *inside.entry(around).or_default() += (row.total_ns - row.apart_ns) as f64;
    }
    for row in spans() {
        let inside_ns = inside.get(row.names.as_slice()).copied().unwrap_or(0.0);
        let has_time = row.count.unwrap_or(0) + row.partial_count > 0;
        if has_time && inside_ns > 1.01 * row.total_ns as f64 + SLACK_NS {
            let (path, all) = (&row.path, row.total_ns);
            found.push(format!("{path}: {inside_ns} ns inside of {all}"));
        }
    }
    found
}

/// Checks that the steady state is a part of the run.
fn steady(summary: &Summary) -> Vec<String> {
    let mut found = Vec::new();
    let Some(steady) = &summary.steady else {
        return found;
    };
    let mut of_run: HashMap<&str, &SpanRow> = HashMap::new();
    for row in &summary.rows {
        of_run.entry(&row.path).or_insert(row);
    }
    for row in steady.rows.iter().filter(|row| row.kind == RowKind::Span) {
        let Some(whole) = of_run.get(row.path.as_str()) else {
            found.push(format!(
                "{} is in the steady state and not in the run",
                row.path
            ));
            continue;
        };
        if row.count > whole.count {
            let (some, all) = (row.count, whole.count);
            found.push(format!("{}: {some:?} steady ones of {all:?}", row.path));
        }
        if row.total_ns as f64 > whole.total_ns as f64 + SLACK_NS {
            let (some, all) = (row.total_ns, whole.total_ns);
            found.push(format!("{}: {some} steady ns of {all}", row.path));
        }
    }
    found
}
