//! The calls that a report shows without being asked: of a program without laps, of the time between laps where it
//! worked longer than in any, or else of the lap that took most where no finding says what it does. The tree has those of
//! each lap.

use laptime_core::{Total, path};

use laptime_analysis::{Finding, Functions, LapFunctions, RowKind, Summary, whole_of_calls};

use crate::document::names;
use crate::document::view::View;
use crate::document::{Content, Section};
use crate::tables::functions::{call_tree, counted_calls, sampled_functions};
use crate::text::wrap;

/// Number of counted functions that are shown.
const MOST: usize = 5;
/// Share of all time from which on the tree has a lap's calls.
const LEAST_RATIO: f64 = 0.02;
/// The least number of samples of a lap in the tree: of fewer, its time is a guess.
const LEAST_OF_LAP: u64 = 4;
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
    let samples: u64 = all.laps.iter().map(LapFunctions::telling_count).total();
    if samples < LEAST_SAMPLES {
        return None;
    }
    let has_laps = all.laps.iter().any(|lap| lap.kind == RowKind::Span)
        || summary.rows.iter().any(|row| row.kind == RowKind::Span);
    let all_ns: u64 = all.laps.iter().map(|lap| lap.total_ns).total();
    let is_long = |lap: &&LapFunctions| lap.total_ns as f64 >= LEAST_RATIO * all_ns as f64;
    let (heading, table, samples) = if !has_laps {
        (
            "calls".to_owned(),
            call_tree::of_program(&all.laps, summary.wall_ns, summary.interpreter_ends),
            samples,
        )
    } else if view.tree {
        let is_told = |lap: &&LapFunctions| is_long(lap) && lap.sample_count >= LEAST_OF_LAP;
        let laps: Vec<&LapFunctions> = all.laps.iter().filter(is_told).collect();
        (
            "calls".to_owned(),
            // The base of the table of laps: what ran beside them can be above all of it.
            call_tree::of_laps(&laps, summary.measured_ns),
            samples,
        )
    } else if let Some(gap) = all.main_gap() {
        let heading = match gap.path.as_str() {
            "other" => "calls outside of laps".to_owned(),
            _ => heading("calls", (&gap.path, gap.kind), all.laps.len()),
        };
        let table = call_tree::of_laps(&[gap], gap.total_ns);
        (heading, table, gap.sample_count)
    } else if summary.findings.iter().all(is_no_answer) {
        let (lap, laps) = main_laps(all)?;
        let samples = laps.iter().map(|lap| lap.sample_count).total();
        let heading = format!("calls of {}", names::path(&lap));
        (heading, call_tree::of_lap(lap, &laps), samples)
    } else {
        return None;
    };
    if samples < LEAST_SAMPLES {
        return None;
    }
    let laps: Vec<&LapFunctions> = all.laps.iter().collect();
    // Of threads that worked longer together than the run took, shares are of all their work.
    let is_of_run = if has_laps {
        view.tree
    } else {
        whole_of_calls(&all.laps, summary.wall_ns) == summary.wall_ns
    };
    let beside = is_of_run.then(|| sampled_functions::shares_beside(summary, &laps));
    let beside = beside.flatten().map(|said| wrap::capitalised(&said));
    let sure = call_tree::remark(samples, Functions::uncertainty(0.5, samples));
    let said = [
        Some(sure),
        beside,
        sampled_functions::unread(all),
        sampled_functions::cut_off(summary),
    ];
    let said = said.into_iter().flatten().collect::<Vec<_>>().join(". ");
    Some(Section::headed(heading, Content::Table(table)).remarked(said))
}

/// Whether a finding says nothing of what the program spends its time with.
fn is_no_answer(finding: &Finding) -> bool {
    matches!(
        finding,
        Finding::Startup { .. }
            | Finding::Exit { .. }
            | Finding::Unsteady { .. }
            | Finding::WarmUp { .. }
    )
}

/// Returns the outermost of the laps that took most, and all laps in it; `None` where no calls are known of them.
fn main_laps(all: &Functions) -> Option<(String, Vec<&LapFunctions>)> {
    let outermost = |lap: &LapFunctions| path::split(&lap.path).into_iter().next();
    let main = all.main_lap().filter(|lap| lap.kind == RowKind::Span)?;
    let name = outermost(main)?;
    let laps = all.laps.iter();
    let laps =
        laps.filter(|lap| lap.kind == RowKind::Span && outermost(lap).as_ref() == Some(&name));
    let laps: Vec<&LapFunctions> = laps.collect();
    let has_calls = laps.iter().any(|lap| !lap.calls.is_empty());
    has_calls.then(|| (path::escape(&name), laps))
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
