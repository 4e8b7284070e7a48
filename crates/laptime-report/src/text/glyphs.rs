//! The characters that tables are drawn with, beyond ASCII or within it.

use crate::document::Row;
use crate::quantity::ABSENT;

/// Eighths of a block, from one to eight.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Heights of a curve.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Heights of a sparkline in ASCII.
const ASCII_HEIGHTS: [char; 8] = ['_', '.', '.', '-', '-', '=', '=', '#'];

/// Digits of a footnote's mark.
const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// A set of characters.
#[derive(Debug, Clone, Copy)]
pub struct Glyphs {
    utf8: bool,
    /// Mark of text that was cut out.
    pub ellipsis: &'static str,
    /// Sign of an absent number.
    pub absent: &'static str,
    /// Separator of facts.
    pub dot: &'static str,
    /// Mark before one of several sentences.
    pub bullet: &'static str,
    /// Character of the rule below headings.
    pub rule: &'static str,
}

impl Glyphs {
    /// Makes the glyphs of an output that shows all characters, or ASCII alone.
    pub fn new(utf8: bool) -> Self {
        Self {
            utf8,
            ellipsis: if utf8 { "…" } else { "..." },
            absent: if utf8 { ABSENT } else { "-" },
            dot: if utf8 { "·" } else { "-" },
            bullet: if utf8 { "· " } else { "- " },
            rule: if utf8 { "─" } else { "-" },
        }
    }

    /// Tells whether the set goes beyond ASCII.
    pub fn is_utf8(&self) -> bool {
        self.utf8
    }

    /// Writes a text of any origin in these characters; a character that none stands for is written as its number.
    pub fn plain(&self, text: &str) -> String {
        if self.utf8 || text.is_ascii() {
            return text.to_owned();
        }
        let mut plain = String::new();
        for character in text.chars() {
            match character {
                'µ' => plain.push('u'),
                '–' | '·' => plain.push('-'),
                '…' => plain.push_str("..."),
                '→' => plain.push_str("->"),
                '×' => plain.push('x'),
                character if character.is_ascii() => plain.push(character),
                character => plain.extend(character.escape_unicode()),
            }
        }
        plain
    }

    /// Returns a number as a footnote's mark.
    pub fn raised(&self, number: usize) -> String {
        if !self.utf8 {
            return format!("({number})");
        }
        let digits = number.to_string();
        let digits = digits.chars().filter_map(|digit| digit.to_digit(10));
        digits.map(|digit| RAISED[digit as usize]).collect()
    }

    /// Returns the lines that lead to each row of a tree.
    pub fn branches(&self, rows: &[Row]) -> Vec<String> {
        let (through, none, fork, end) = if self.utf8 {
            ("│  ", "   ", "├─ ", "└─ ")
        } else {
            ("|  ", "   ", "|- ", "`- ")
        };
        // By level, whether a later row stands there, inside of the same ones.
        let mut is_followed: Vec<bool> = Vec::new();
        let mut branches = vec![String::new(); rows.len()];
        for (row, branch) in rows.iter().zip(&mut branches).rev() {
            is_followed.resize(row.depth + 1, false);
            for (level, is_followed) in is_followed.iter().enumerate().skip(1) {
                *branch += match (level == row.depth, is_followed) {
                    (false, true) => through,
                    (false, false) => none,
                    (true, true) => fork,
                    (true, false) => end,
                };
            }
            is_followed[row.depth] = true;
        }
        branches
    }

    /// Draws a bar of up to `width` columns for a share of 1.
    pub fn bar(&self, ratio: f64, width: usize) -> String {
        let ratio = ratio.clamp(0.0, 1.0);
        if !self.utf8 {
            return "#".repeat((ratio * width as f64).round() as usize);
        }
        let eighths = (ratio * width as f64 * 8.0).round() as usize;
        let mut bar = "█".repeat(eighths / 8);
        bar.extend((eighths % 8).checked_sub(1).map(|index| EIGHTHS[index]));
        bar
    }

    /// Draws a curve of at most `width` columns, with a gap where there is no number.
    pub fn curve(&self, values: &[Option<f64>], width: usize) -> String {
        let finite = || values.iter().flatten().copied();
        let (low, high) = (
            finite().fold(f64::INFINITY, f64::min),
            finite().fold(f64::NEG_INFINITY, f64::max),
        );
        if values.len() < 2 || low > high {
            return String::new();
        }
        let columns = values.len().min(width);
        let heights = if self.utf8 { HEIGHTS } else { ASCII_HEIGHTS };
        (0..columns)
            .map(|column| {
                let slice =
                    &values[column * values.len() / columns..(column + 1) * values.len() / columns];
                let known: Vec<f64> = slice.iter().flatten().copied().collect();
                if known.is_empty() {
                    return ' ';
                }
                let mean = known.iter().sum::<f64>() / known.len() as f64;
                let height = if high > low {
                    (mean - low) / (high - low)
                } else {
                    0.5
                };
                heights[(height * 7.0).round().clamp(0.0, 7.0) as usize]
            })
            .collect()
    }
}
