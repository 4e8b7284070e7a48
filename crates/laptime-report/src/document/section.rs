//! A document and its sections.

use laptime_core::Warning;

use crate::document::flame::Flame;
use crate::document::table::Table;
use crate::roofline::Roofline;

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The program's name.
    pub title: String,
    /// Where the time went, in words; none for what is no run.
    pub headline: Option<String>,
    /// Short facts about the run as a whole, most telling first.
    pub facts: Vec<String>,
    /// How the times were measured.
    pub measured: String,
    /// Tables and series.
    pub sections: Vec<Section>,
    /// Reasons for doubt.
    pub warnings: Vec<Warning>,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The section's heading; none for the first.
    pub heading: Option<String>,
    /// A sentence below the heading.
    pub remark: Option<String>,
    /// What it shows.
    pub content: Content,
}

/// What a section shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Rows of a tree with statistics.
    Table(Table),
    /// Series of numbers over the run.
    Figures(Vec<Figure>),
    /// Sentences, one below the other.
    Lines(Vec<String>),
    /// Sentences that answer or explain, each a paragraph.
    Paragraphs(Vec<String>),
    /// Lines of a program, as they are typed.
    Code(&'static [&'static str]),
    /// A picture of how fast work can run, and its numbers.
    Roofline(Roofline),
    /// A picture of which function called which; formats of text leave it out.
    Flame(Flame),
    /// Nothing but its remark.
    Remark,
}

impl From<Content> for Section {
    fn from(content: Content) -> Self {
        Self {
            heading: None,
            remark: None,
            content,
        }
    }
}

impl Section {
    /// What stands under a heading.
    pub(crate) fn headed(heading: impl Into<String>, content: Content) -> Self {
        Self {
            heading: Some(heading.into()),
            ..content.into()
        }
    }

    /// A sentence alone.
    pub(crate) fn remark(remark: impl Into<String>) -> Self {
        Self::from(Content::Remark).remarked(remark)
    }

    /// Sentences, each by itself, the first under a heading.
    pub(crate) fn remarks(heading: &str, all: impl Iterator<Item = String>) -> Vec<Self> {
        let mut sections: Vec<Self> = all.map(Self::remark).collect();
        if let Some(first) = sections.first_mut() {
            first.heading = Some(heading.to_owned());
        }
        sections
    }

    /// The same with a sentence below its heading.
    pub(crate) fn remarked(self, remark: impl Into<String>) -> Self {
        Self {
            remark: Some(remark.into()),
            ..self
        }
    }
}

/// A series of numbers over the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The figure's path, as names joined by `/`.
    pub label: String,
    /// Values in time order; empty for marks.
    pub values: Vec<Option<f64>>,
    /// What is said beside it.
    pub facts: String,
}
