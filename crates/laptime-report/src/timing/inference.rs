//! `print_inference_benchmark`: latency and throughput of a model.

use laptime_analysis::timing::{Latency, Steadiness};

use super::layout::rule;
use crate::name::visible;

/// Width of the rules.
const WIDTH: usize = 40;
/// Width of the labels.
const LABEL: usize = 23;

/// The layout of people's own helpers, and below it, with `details`, what goes beyond.
pub fn inference(name: &str, latency: &Latency, details: bool) -> String {
    let title = format!("{} Inference Benchmark:", visible(name));
    let mut lines = vec![title, rule("-", WIDTH)];
    let line = |label: &str, said: &str| format!("{:<LABEL$}{said}", format!("  {label}:"));
    let ms = |ns: f64| format!("{:.3} ms", ns / 1e6);
    lines.push(line("Mean latency", &ms(latency.mean_ns)));
    lines.push(line("Min latency", &ms(latency.min_ns)));
    lines.push(line("Max latency", &ms(latency.max_ns)));
    let rate = match latency.samples_per_s {
        Some(rate) => format!("{rate:.1} samples/sec"),
        None => "– (the calls took no time)".to_owned(),
    };
    lines.push(line("Throughput", &rate));
    if details {
        lines.push(line("Median latency", &ms(latency.p50_ns)));
        let interval = match &latency.interval_ns {
            Ok((low, high)) => format!("{:.3} to {:.3} ms", low / 1e6, high / 1e6),
            Err(why) => format!("– ({why})"),
        };
        lines.push(line("95% CI of median", &interval));
        lines.push(line("p90 latency", &ms(latency.p90_ns)));
        lines.push(line("p99 latency", &ms(latency.p99_ns)));
        let steady = match &latency.steadiness {
            Steadiness::Steady => "yes".to_owned(),
            Steadiness::Drifting(why) => format!("no ({why})"),
            Steadiness::Unknown(why) => format!("– ({why})"),
        };
        lines.push(line("Steady", &steady));
    }
    lines.push(rule("-", WIDTH));
    lines.join("\n")
}
