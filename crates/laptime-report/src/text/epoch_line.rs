//! The lines of a loop over epochs: `Epoch 1/5 | Test Acc: 0.920 | Epoch Time: 6.482 sec`.

use crate::document::names::visible;

/// An epoch that is over.
#[derive(Debug, Clone, Default)]
pub struct EpochEnd<'e> {
    /// The lap's name.
    pub name: &'e str,
    /// Number of the epoch, from 1.
    pub number: u64,
    /// Number of all epochs, if that is known.
    pub of: Option<u64>,
    /// The epoch's metrics: names and last values.
    pub metrics: &'e [(String, f64)],
    /// The epoch's duration.
    pub seconds: f64,
    /// Estimated duration of the remaining epochs, if that is worth a word.
    pub left_seconds: Option<f64>,
}

/// Least remaining time that is told, in seconds.
const LEAST_LEFT: f64 = 30.0;

/// Writes the line of an epoch.
pub fn epoch_line(epoch: &EpochEnd<'_>) -> String {
    let name = title(epoch.name);
    let of = epoch.of.map_or_else(String::new, |of| format!("/{of}"));
    let mut parts = vec![format!("{name} {}{of}", epoch.number)];
    for (metric, value) in epoch.metrics {
        parts.push(format!("{}: {}", title(metric), number(*value)));
    }
    parts.push(format!("{name} Time: {:.3} sec", epoch.seconds));
    if let Some(left) = epoch.left_seconds.filter(|left| *left > LEAST_LEFT) {
        parts.push(format!("ETA {}", left_time(left)));
    }
    parts.join(" | ")
}

/// Writes the last line, with the total time.
pub fn total_line(seconds: f64) -> String {
    format!("Total Time: {seconds:.3} sec")
}

/// Returns a name as people write it: `test_acc` is `Test Acc`.
fn title(name: &str) -> String {
    let words = name.split(['_', ' ']).filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    });
    visible(&words.collect::<Vec<_>>().join(" "))
}

/// Formats a number with three decimals, or with an exponent where they would say nothing.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) || !value.is_finite() {
        format!("{value:.3}")
    } else {
        format!("{value:.3e}")
    }
}

/// Formats a remaining time: `45s`, `3m 20s`, `2h 05m`.
fn left_time(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m {s:02}s"),
        (h, m, _) => format!("{h}h {m:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_is_told_with_its_metrics_and_its_time() {
        let metrics = [("test_acc".to_owned(), 0.92), ("lr".to_owned(), 3e-5)];
        let epoch = EpochEnd {
            name: "epoch",
            number: 1,
            of: Some(5),
            metrics: &metrics,
            seconds: 6.4821,
            left_seconds: Some(25.9),
        };
        insta::assert_snapshot!(epoch_line(&epoch), @"Epoch 1/5 | Test Acc: 0.920 | Lr: 3.000e-5 | Epoch Time: 6.482 sec");
        let long = EpochEnd {
            of: None,
            metrics: &metrics[..1],
            left_seconds: Some(200.2),
            ..epoch
        };
        insta::assert_snapshot!(epoch_line(&long), @"Epoch 1 | Test Acc: 0.920 | Epoch Time: 6.482 sec | ETA 3m 20s");
        insta::assert_snapshot!(total_line(32.01), @"Total Time: 32.010 sec");
    }

    #[test]
    fn what_is_left_is_told_in_the_two_units_that_matter() {
        let told = [31.0, 200.0, 3_599.6, 7_500.0].map(left_time);
        assert_eq!(told, ["31s", "3m 20s", "1h 00m", "2h 05m"]);
    }
}
