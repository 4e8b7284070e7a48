//! The functions of the slowest lap, a few lines: what somebody who asked for functions looks for first.
//!
//! Where the program worked longer between its laps, the functions of that gap stand above. Of a program without laps they are those of the program. `--functions` shows all laps.

use laptime_core::Total;

use laptime_analysis::{Functions, LapFunctions, RowKind, Summary};

use crate::document::names;
use crate::document::view::View;
use crate::document::{Content, Section};
use crate::quantity;
use crate::tables::functions::{counted_calls, sampled_functions};

/// Number of functions that are shown.
const MOST: usize = 5;
/// Share of all time from which on a lap is shown beside a gap.
const LEAST_RATIO: f64 = 0.01;

/// Makes the sections of sampled and of counted functions; none where neither were recorded, or other rows are asked
/// for.
pub fn sections(summary: &Summary, view: &View) -> Vec<Section> {
    let Some(all) = &summary.functions else {
        return Vec::new();
    };
    let all_ns: u64 = all.laps.iter().map(|lap| lap.total_ns).total();
    let gap = all.main_gap();
    // Beside a long gap a lap of a few samples says nothing.
    let is_told =
        |lap: &&LapFunctions| gap.is_none() || lap.total_ns as f64 >= LEAST_RATIO * all_ns as f64;
    let lap = all.main_lap().filter(is_told);
    let sampled = gap.into_iter().chain(lap);
    let sampled = sampled.map(|lap| sampled_of(summary, all, lap, view));
    sampled.chain(counted(all, view)).collect()
}

fn sampled_of(summary: &Summary, all: &Functions, lap: &LapFunctions, view: &View) -> Section {
    let beside = all.busier_beside(lap);
    let samples = lap.sample_count + beside.map_or(0, |beside| beside.sample_count);
    let ratio = Functions::uncertainty(0.5, samples);
    let sure = format!(
        "{}: shares are ± {:.0} points",
        quantity::plural(samples, "stack sampled", "stacks sampled"),
        100.0 * ratio,
    );
    let said = [Some(sure), sampled_functions::unread(all)];
    let most = view.top.unwrap_or(MOST);
    let laps: Vec<_> = [lap].into_iter().chain(beside).collect();
    let shown = match &laps[..] {
        [_] => heading("functions", (&lap.path, lap.kind), all.laps.len()),
        _ => "functions".to_owned(),
    };
    Section::headed(
        shown,
        Content::Table(sampled_functions::table(summary, all, &laps, most, view)),
    )
    .remarked(said.into_iter().flatten().collect::<Vec<_>>().join(". "))
}

fn counted(all: &Functions, view: &View) -> Option<Section> {
    let exact = all.exact.as_ref()?;
    let lap = exact.main_lap()?;
    let most = view.top.unwrap_or(MOST);
    Some(
        Section::headed(
            heading("calls", (&lap.path, lap.kind), exact.laps.len()),
            Content::Table(counted_calls::table(exact, &[lap], most, view)),
        )
        .remarked(counted_calls::LONGER),
    )
}

/// Writes the heading, which says which lap it is: of several the slowest.
fn heading(what: &str, (path, kind): (&str, RowKind), laps: usize) -> String {
    if laps == 1 {
        return what.to_owned();
    }
    if kind != RowKind::Span && path == "after" {
        return format!("{what} after the last lap");
    }
    format!("{what} of {}", names::path(path))
}
