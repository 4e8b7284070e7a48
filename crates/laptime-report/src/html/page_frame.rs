//! The page around everything: its policy, the tables, the data and the viewer.
//!
//! The policy allows the one script and the one style sheet that are embedded here, by their
//! hashes, and nothing else: no address is ever asked, and no name can become code.

use std::fmt::Write;

use super::page::Page;
use super::tables::{self, Place};
use super::{escape, viewer_data};
use crate::Shown;

const SCRIPT: &str = include_str!("../../assets/viewer.js");
const STYLE: &str = include_str!("../../assets/viewer.css");
/// The policy's `script-src` and `style-src` with the hashes of script and styles, written when those are built.
const SOURCES: &str = include_str!("../../assets/viewer.csp");

/// Renders a page as UTF-8.
pub fn render(page: &Page) -> Shown {
    let title = match page.title.as_str() {
        "" => "Summary".to_owned(),
        title => escape::text(title),
    };
    let mut out =
        String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    let _ = write!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {}; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"generator\" content=\"laptime {}\">\n\
         <title>{title} – Laptime</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1></header>\n<main>\n",
        SOURCES.trim(),
        env!("CARGO_PKG_VERSION"),
    );
    for document in &page.documents {
        out += &tables::render(
            document,
            Place::Page {
                is_alone: page.documents.len() == 1,
            },
        );
    }
    timeline(page, &mut out);
    let _ = write!(
        out,
        "</main>\n<footer>Laptime {} · this page is one file and uses no network</footer>\n",
        env!("CARGO_PKG_VERSION")
    );
    if !page.panels.is_empty() {
        let _ = write!(
            out,
            "<script type=\"application/octet-stream\" id=\"laptime-data\">{}</script>\n\
             <script>{SCRIPT}</script>\n",
            viewer_data::encode(page)
        );
    }
    Shown::lines(&(out + "</body>\n</html>\n"))
}

fn timeline(page: &Page, out: &mut String) {
    if page.panels.is_empty() && page.why.is_none() {
        return;
    }
    *out += "<section class=\"timeline\" aria-label=\"Timeline\">\n<h2>Timeline</h2>\n";
    if let Some(why) = page.why.as_ref().filter(|_| page.panels.is_empty()) {
        let _ = writeln!(
            out,
            "<p class=\"empty\">No timeline: {}.</p>",
            escape::sentence(&why.to_string())
        );
    }
    for panel in &page.panels {
        for note in &panel.notes {
            let _ = writeln!(
                out,
                "<p class=\"banner\">{}: {}.</p>",
                escape::text(&panel.title),
                escape::sentence(note)
            );
        }
    }
    if !page.panels.is_empty() {
        *out += "<div id=\"figure\"><noscript><p class=\"empty\">The timeline is drawn by \
                 JavaScript, which is switched off here. The tables need none.</p></noscript></div>\n";
    }
    *out += "</section>\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_cannot_end_its_own_element() {
        for asset in [SCRIPT, STYLE] {
            let lower = asset.to_ascii_lowercase();
            assert!(!lower.contains("</script") && !lower.contains("</style"));
            assert!(!lower.contains("<!--"));
        }
    }

    #[test]
    fn the_viewer_names_no_address() {
        for asset in [SCRIPT, STYLE] {
            assert!(!asset.contains("http:") && !asset.contains("https:"));
        }
    }

    #[test]
    fn a_page_without_spans_is_small_and_says_why() {
        let page = Page::of_tables("train.py", Vec::new(), "it was not recorded");
        let text = render(&page);
        assert!(text.len() < 250_000, "{} bytes", text.len());
        assert!(text.contains("No timeline: it was not recorded."));
        assert!(!text.contains("<script>"));
    }
}
