//! Moments that the viewer draws besides spans: where to look first, marks, and metrics over time.

use laptime_analysis::{Metric, Summary};
use serde_json::{Value, json};

use super::timeline::TimelinePanel;
use crate::document::names;

/// Most marks that are drawn; the tables have all.
const MOST_MARKS: usize = 500;
const MOST_METRICS: usize = 6;
/// Most values of a metric that are drawn: more than a screen has pixels for.
const MOST_VALUES: usize = 2_000;
/// Share of the run that the steps take from which on the page opens on the whole run.
const NEARLY_ALL: f64 = 0.9;
/// Room at both sides of the steps, as a share of their length.
const ROOM: f64 = 0.02;

/// Moments of a run; empty for a page that is about none.
#[derive(Debug, Clone, Default)]
pub struct Moments {
    /// Name of the spans that the page opens on.
    pub steps: Option<String>,
    /// Times of marks in nanoseconds since the page's time 0, with their names.
    pub marks: Vec<(u64, String)>,
    /// Values of metrics over time.
    pub metrics: Vec<(String, Vec<(u64, f64)>)>,
}

impl Moments {
    /// Collects the moments of a run.
    pub fn of_run(summary: &Summary) -> Self {
        let steady = summary.steady.as_ref();
        let of_steady = steady.and_then(|steady| steady.step_path.rsplit('/').next());
        let mut marks: Vec<(u64, String)> = summary
            .marks
            .iter()
            .flat_map(|mark| mark.at_ns.iter().map(|at| (*at, mark.name.clone())))
            .collect();
        marks.sort();
        marks.truncate(MOST_MARKS);
        let metrics = summary.metrics.iter().take(MOST_METRICS);
        Self {
            steps: Some(of_steady.unwrap_or("step").to_owned()),
            marks,
            metrics: metrics
                .map(|metric| (metric.name.clone(), values(metric)))
                .filter(|(_, values)| values.len() > 1)
                .collect(),
        }
    }

    /// Returns the moments' part of the page's header.
    pub fn header(&self, panels: &[TimelinePanel]) -> Value {
        let marks = self.marks.iter();
        let marks: Vec<Value> = marks
            .map(|(at, mark)| json!([at, names::visible(mark)]))
            .collect();
        let metrics = self.metrics.iter().map(|(metric, values)| {
            let at: Vec<u64> = values.iter().map(|(at, _)| *at).collect();
            let of: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
            json!({ "name": names::visible(metric), "at": at, "values": of })
        });
        json!({
            "first": self.first(panels).map(|(from, to)| [from, to]),
            "marks": marks,
            "metrics": metrics.collect::<Vec<_>>(),
        })
    }

    /// Returns the stretch from the first step's start to the last one's end, where that is clearly less than the
    /// whole.
    fn first(&self, panels: &[TimelinePanel]) -> Option<(u64, u64)> {
        let wanted = self.steps.as_deref()?;
        let steps = panels.iter().flat_map(|panel| {
            let index = panel.names.iter().position(|name| name == wanted);
            let bars = panel.lanes.iter().flat_map(|lane| &lane.bars);
            bars.filter(move |bar| index == Some(bar.name as usize))
        });
        let (from, to) = steps.fold((u64::MAX, 0), |(from, to), bar| {
            (from.min(bar.start_ns), to.max(bar.end_ns()))
        });
        let end = panels.iter().map(|panel| panel.end_ns).max()?;
        let of_steps = to.checked_sub(from).filter(|width| *width > 0)? as f64;
        let room = (of_steps * ROOM) as u64;
        (of_steps < NEARLY_ALL * end as f64)
            .then(|| (from.saturating_sub(room), to.saturating_add(room).min(end)))
    }
}

/// Returns the finite values of a metric, thinned out evenly.
fn values(metric: &Metric) -> Vec<(u64, f64)> {
    let each = metric.series.iter();
    let all: Vec<(u64, f64)> = each
        .filter_map(|point| Some((point.at_ns, point.value?)))
        .collect();
    let every = all.len().div_ceil(MOST_VALUES).max(1);
    all.into_iter().step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use laptime_analysis::Bar;
    use laptime_core::Unavailable;

    use super::*;
    use crate::html::timeline::TimelineLane;

    fn panel(bars: Vec<Bar>, end_ns: u64) -> TimelinePanel {
        TimelinePanel {
            title: String::new(),
            end_ns,
            names: ["setup", "step"].map(str::to_owned).to_vec(),
            memory: Err(Unavailable(String::new())),
            lanes: vec![TimelineLane {
                track: "main".to_owned(),
                depth: 0,
                bars,
                memory: Vec::new(),
            }],
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_page_opens_on_its_steps_where_they_are_a_part() {
        let moments = Moments {
            steps: Some("step".to_owned()),
            ..Moments::default()
        };
        let bars = vec![
            Bar::new(0, 500, 0),
            Bar::new(5_000, 1_000, 1),
            Bar::new(6_000, 1_000, 1),
        ];
        let first = |end_ns| moments.first(&[panel(bars.clone(), end_ns)]);
        assert_eq!(first(10_000), Some((4_960, 7_040)));
        assert_eq!(first(7_010), Some((4_960, 7_010)));
        assert_eq!(first(2_100), None, "nearly all of the run");
        let other = Moments {
            steps: Some("request".to_owned()),
            ..Moments::default()
        };
        assert_eq!(other.first(&[panel(bars, 10_000)]), None);
        assert_eq!(Moments::default().first(&[]), None);
    }
}
