//! The content of a page: documents, and the panels that the viewer draws.

use laptime_core::Unavailable;

use super::timeline::TimelinePanel;
use super::viewer_marks::Moments;
use crate::document::Document;

/// A page.
#[derive(Debug, Clone)]
pub struct Page {
    /// The page's heading.
    pub title: String,
    /// The documents; none for a page that shows a timer's segments only.
    pub documents: Vec<Document>,
    /// The panels that the viewer draws, from top to bottom.
    pub panels: Vec<TimelinePanel>,
    /// The stretch that the drawing opens on, with marks and metrics.
    pub moments: Moments,
    /// Reason why there is no panel; `None` too for a page that is not about time.
    pub why: Option<Unavailable>,
    /// First width and height of the drawing, in CSS pixels.
    pub size: Option<(u32, u32)>,
}

impl Page {
    /// Makes a page of tables, with the reason why nothing is drawn.
    pub fn of_tables(title: &str, documents: Vec<Document>, why: &str) -> Self {
        Self {
            title: title.to_owned(),
            documents,
            panels: Vec::new(),
            moments: Moments::default(),
            why: Some(Unavailable(why.to_owned())),
            size: None,
        }
    }
}
