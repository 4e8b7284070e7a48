//! The functions of the slowest lap, a few lines: what somebody who asked for functions looks for first.
//!
//! Of a program without laps they are those of the program. `--functions` shows all laps.

use laptime_analysis::{Functions, Summary};

use crate::document::{Content, Section};
use crate::view::View;
use crate::{calls, functions, name, quantity};

/// Functions that are shown.
const MOST: usize = 5;

/// What was sampled and what was counted; nothing where neither was, or other rows are asked for.
pub fn sections(summary: &Summary, view: &View) -> Vec<Section> {
    let Some(all) = &summary.functions else {
        return Vec::new();
    };
    let (sampled, counted) = (sampled(summary, all, view), counted(all, view));
    sampled.into_iter().chain(counted).collect()
}

fn sampled(summary: &Summary, all: &Functions, view: &View) -> Option<Section> {
    let lap = all.main_lap()?;
    let beside = all.busier_beside(lap);
    let samples = lap.sample_count + beside.map_or(0, |beside| beside.sample_count);
    let ratio = Functions::uncertainty(0.5, samples);
    let sure = format!(
        "{}: shares are ± {:.0} points",
        quantity::plural(samples, "stack sampled", "stacks sampled"),
        100.0 * ratio,
    );
    let said = [Some(sure), functions::unread(all)];
    let most = view.top.unwrap_or(MOST);
    let laps: Vec<_> = [lap].into_iter().chain(beside).collect();
    let shown = match &laps[..] {
        [_] => heading("functions", &lap.path, all.laps.len()),
        _ => "functions".to_owned(),
    };
    Some(Section {
        heading: Some(shown),
        remark: Some(said.into_iter().flatten().collect::<Vec<_>>().join(". ")),
        content: Content::Table(functions::table(summary, all, &laps, most, view)),
    })
}

fn counted(all: &Functions, view: &View) -> Option<Section> {
    let exact = all.exact.as_ref()?;
    let lap = exact.main_lap()?;
    let most = view.top.unwrap_or(MOST);
    Some(Section {
        heading: Some(heading("calls", &lap.path, exact.laps.len())),
        remark: Some(calls::LONGER.to_owned()),
        content: Content::Table(calls::table(exact, &[lap], most, view)),
    })
}

/// Which lap it is: of several the slowest.
fn heading(what: &str, path: &str, laps: usize) -> String {
    if laps == 1 {
        return what.to_owned();
    }
    format!("{what} of {}", name::short(path))
}
