//! Colours, where the output understands them.

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ordinary.
    Plain,
    /// What the eye should find first.
    Strong,
    /// What it may skip.
    Faint,
    /// A row that is no span.
    Leftover,
    /// A share's bar.
    Bar,
    /// A reason for doubt.
    Warning,
}

/// Paints, or leaves text as it is.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    color: bool,
}

impl Paint {
    /// With ANSI colours or without.
    pub fn new(color: bool) -> Self {
        Self { color }
    }

    /// A piece of text in its style.
    pub fn with(self, style: Style, text: &str) -> String {
        let code = match style {
            _ if !self.color || text.is_empty() => return text.to_owned(),
            Style::Plain => return text.to_owned(),
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Leftover => "3",
            Style::Bar => "36",
            Style::Warning => "1;33",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}
