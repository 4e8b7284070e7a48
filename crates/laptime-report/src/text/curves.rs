//! Marks and metrics: a line each, with its curve and its facts.

use super::column_widths::pad_end;
use super::renderer::Text;
use crate::document::Figure;
use crate::document::names;
use crate::text::paint::Style;

/// Widest curve of a metric, in columns.
const MOST_CURVE: usize = 20;

impl Text {
    /// Writes the lines of all figures.
    pub(super) fn figures(&self, figures: &[Figure]) -> String {
        let label = |figure: &Figure| {
            let label = self.glyphs.plain(&names::visible(&figure.label));
            names::fitted(&label, self.width / 3, self.glyphs.ellipsis)
        };
        let widest = figures
            .iter()
            .map(|figure| names::columns(&label(figure)))
            .max();
        let widest = widest.unwrap_or(0);
        let curve_width = figures
            .iter()
            .map(|figure| figure.values.len())
            .max()
            .unwrap_or(0)
            .min(MOST_CURVE);
        let mut out = String::new();
        for figure in figures {
            let mut line = pad_end(&label(figure), widest) + "  ";
            let mut room = self.width.saturating_sub(widest + 2);
            if curve_width > 1 {
                let curve = self.glyphs.curve(&figure.values, curve_width);
                line += &self.paint.with(Style::Bar, &pad_end(&curve, curve_width));
                line += "  ";
                room = room.saturating_sub(curve_width + 2);
            }
            line += &names::fitted(&names::visible(&figure.facts), room, self.glyphs.ellipsis);
            out += &line;
            out += "\n";
        }
        out
    }
}
