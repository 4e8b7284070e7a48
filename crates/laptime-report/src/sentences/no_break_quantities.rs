//! Quantities in a sentence in which no line breaks between a number and its unit.

use crate::quantity;
use crate::sentences::headline::UNBROKEN;

/// Writes a time.
pub fn time(ns: f64) -> String {
    unbroken(&quantity::measured(ns).inline())
}

/// Writes a percentage: with a decimal below 10 %.
pub fn percent(percent: f64) -> String {
    unbroken(&if percent < 9.95 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    })
}

/// Joins words so that no line breaks between them.
pub fn unbroken(text: &str) -> String {
    text.replace(' ', &UNBROKEN.to_string())
}
