//! The calls that a report shows without being asked: of a program without laps, or of the time between laps where it
//! worked longer than in any. The tree has those of laps too.

use laptime_core::Total;

use laptime_analysis::{Functions, LapFunctions, RowKind, Summary};

use crate::document::names;
use crate::document::view::View;
use crate::document::{Content, Section};
use crate::tables::functions::{call_tree, counted_calls, sampled_functions};

/// Number of counted functions that are shown.
const MOST: usize = 5;
/// Share of all time from which on the tree has a lap's calls.
const LEAST_RATIO: f64 = 0.02;
/// The least number of samples of which calls are told.
const LEAST_SAMPLES: u64 = 10;

/// Makes the sections of sampled and of counted calls; none where neither were recorded.
pub fn sections(summary: &Summary, view: &View) -> Vec<Section> {
    let Some(all) = &summary.functions else {
        return Vec::new();
    };
    let sampled = sampled(summary, all, view);
    sampled.into_iter().chain(counted(all, view)).collect()
}

/// Makes the section of sampled calls.
fn sampled(summary: &Summary, all: &Functions, view: &View) -> Option<Section> {
    if all.sample_count < LEAST_SAMPLES {
        return None;
    }
    let has_laps = all.laps.iter().any(|lap| lap.kind == RowKind::Span)
        || summary.rows.iter().any(|row| row.kind == RowKind::Span);
    let all_ns: u64 = all.laps.iter().map(|lap| lap.total_ns).total();
    let is_long = |lap: &&LapFunctions| lap.total_ns as f64 >= LEAST_RATIO * all_ns as f64;
    let (heading, table, samples) = if !has_laps {
        (
            "calls".to_owned(),
            call_tree::of_program(&all.laps),
            all.sample_count,
        )
    } else if view.tree {
        let laps: Vec<&LapFunctions> = all.laps.iter().filter(is_long).collect();
        (
            "calls".to_owned(),
            call_tree::of_laps(&laps, all_ns),
            all.sample_count,
        )
    } else {
        let gap = all.main_gap()?;
        let heading = match gap.path.as_str() {
            "other" => "calls outside of laps".to_owned(),
            _ => heading("calls", (&gap.path, gap.kind), all.laps.len()),
        };
        (
            heading,
            call_tree::of_laps(&[gap], all_ns),
            gap.sample_count,
        )
    };
    let sure = call_tree::remark(samples, Functions::uncertainty(0.5, samples));
    let said = [
        Some(sure),
        sampled_functions::unread(all),
        sampled_functions::cut_off(summary),
    ];
    let said = said.into_iter().flatten().collect::<Vec<_>>().join(". ");
    Some(Section::headed(heading, Content::Table(table)).remarked(said))
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
