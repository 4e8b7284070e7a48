//! A document and its sections.

use laptime_core::Warning;

use crate::document::flame_graph::FlameGraph;
use crate::document::table::Table;
use crate::roofline::Roofline;

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The program's name.
    pub title: String,
    /// The first line, which says where the time went; none for a document that is about no run.
    pub headline: Option<String>,
    /// Short facts about the run as a whole, most telling first.
    pub facts: Vec<String>,
    /// A sentence on how the times were measured.
    pub measured: String,
    /// Whether that is what it mostly is: then a terminal leaves it to who asks for the whole.
    pub is_measured_as_usual: bool,
    /// The sections, in order.
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
    /// The content below the heading and the remark.
    pub content: Content,
}

/// The content of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A table: rows of a tree with statistics.
    Table(Table),
    /// Series of numbers over the run.
    Figures(Vec<Figure>),
    /// Sentences, one below the other.
    Lines(Vec<String>),
    /// Sentences that answer or explain, each a paragraph.
    Paragraphs(Vec<String>),
    /// Lines of a program, to be typed.
    Code(&'static [&'static str]),
    /// A picture of how fast work can run, and its numbers.
    Roofline(Roofline),
    /// A picture of which function called which; formats of text leave it out.
    FlameGraph(FlameGraph),
    /// No content beside the section's remark.
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
    /// Makes a section of some content under a heading.
    pub(crate) fn headed(heading: impl Into<String>, content: Content) -> Self {
        Self {
            heading: Some(heading.into()),
            ..content.into()
        }
    }

    /// Makes a section of one sentence.
    pub(crate) fn remark(remark: impl Into<String>) -> Self {
        Self::from(Content::Remark).remarked(remark)
    }

    /// Makes a section of each sentence, the first with a heading.
    pub(crate) fn remarks(heading: &str, all: impl Iterator<Item = String>) -> Vec<Self> {
        let mut sections: Vec<Self> = all.map(Self::remark).collect();
        if let Some(first) = sections.first_mut() {
            first.heading = Some(heading.to_owned());
        }
        sections
    }

    /// Puts a sentence below the section's heading.
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
    /// The text beside the curve.
    pub facts: String,
}
