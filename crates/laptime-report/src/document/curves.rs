//! Marks and metrics as series, with a few facts beside each.

use laptime_analysis::{Mark, Metric, Summary};

use crate::document::Figure;
use crate::quantity::{self, plural};

/// Makes figures of the marks and metrics of the whole run; epochs have a section of their own.
pub fn of_marks_and_metrics(summary: &Summary) -> Vec<Figure> {
    let is_told = |mark: &&Mark| mark.name == "epoch" && !summary.epochs.is_empty();
    let marks = summary.marks.iter().filter(|mark| !is_told(mark));
    let marks = marks.map(|mark| Figure {
        label: mark.path.clone(),
        values: Vec::new(),
        facts: format!("marked {}", times(mark.count)),
    });
    let metrics = summary.metrics.iter().map(|metric| Figure {
        label: metric.path.clone(),
        values: metric.series.iter().map(|point| point.value).collect(),
        facts: metric_facts(metric),
    });
    marks.chain(metrics).collect()
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{} times", quantity::thousands(count)),
    }
}

fn metric_facts(metric: &Metric) -> String {
    let shown = |value: Option<f64>, field: &str| {
        let why = metric.why.get(field);
        value.map_or_else(
            || why.map_or(quantity::ABSENT.to_owned(), |why| why.0.clone()),
            quantity::plain,
        )
    };
    let mut said = format!("last {}", shown(metric.last, "last"));
    let nan_count = metric.nan_count;
    if metric.count > 1 && nan_count < metric.count {
        let (min, max) = (shown(metric.min, "min"), shown(metric.max, "max"));
        said.extend([", ", &min, " to ", &max]);
    }
    let values = plural(metric.count, "value", "values");
    if nan_count > 0 {
        let are = if nan_count == 1 {
            "is not a number"
        } else {
            "are not numbers"
        };
        return format!(
            "{said}, {} of {values} {are}",
            quantity::thousands(nan_count)
        );
    }
    format!("{said}, {values}")
}
