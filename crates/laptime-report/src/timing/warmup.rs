//! `print_warmup_analysis`: what the first epoch cost beyond the others.

use super::layout::rule;
use crate::name::visible;

/// Width of the rules.
const WIDTH: usize = 40;
/// Width of the labels.
const LABEL: usize = 25;

/// What the layout shows: seconds, and percent of the steady state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The first epoch.
    pub first_seconds: f64,
    /// Mean of the others, when there are any.
    pub steady_seconds: Option<f64>,
    /// The first less that mean.
    pub overhead_seconds: Option<f64>,
    /// The overhead over that mean, 1.0 for all of it.
    pub overhead_ratio: Option<f64>,
}

/// The analysis of a model's epochs.
pub fn warmup(name: &str, figures: &Figures) -> String {
    let line = |label: &str, said: &str| format!("{:<LABEL$}{said}", format!("  {label}:"));
    let seconds = |seconds: Option<f64>| match seconds {
        Some(seconds) => format!("{seconds:.3}s"),
        None => "– (there is only one epoch)".to_owned(),
    };
    let percent = match (figures.overhead_seconds, figures.overhead_ratio) {
        (None, _) => String::new(),
        (_, Some(ratio)) => format!(" ({:5.1}%)", ratio * 100.0),
        (_, None) => " (    –%)".to_owned(),
    };
    let overhead = seconds(figures.overhead_seconds) + &percent;
    let lines = [
        format!("{} - Warmup Analysis:", visible(name)),
        rule("-", WIDTH),
        line("First epoch", &seconds(Some(figures.first_seconds))),
        line("Steady state", &seconds(figures.steady_seconds)),
        line("Warmup overhead", &overhead),
        rule("-", WIDTH),
    ];
    lines.join("\n")
}
