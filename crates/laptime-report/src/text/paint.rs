//! Colours, where the output understands them.

/// The first of thirty-two characters that Unicode keeps free for a program's own use inside of itself.
const FIRST_MARK: u32 = 0xfdd0;

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

impl Style {
    /// Each, with its code.
    const CODES: [(Self, &str); 6] = [
        (Self::Plain, "0"),
        (Self::Strong, "1"),
        (Self::Faint, "2"),
        (Self::Leftover, "3"),
        (Self::Bar, "36"),
        (Self::Warning, "1;33"),
    ];

    /// A character that begins it, until the [gate](crate::Shown) makes a colour of it; no text has it.
    fn mark(self) -> char {
        let at = Self::CODES.iter().position(|(style, _)| *style == self);
        char::from_u32(FIRST_MARK + at.unwrap_or(0) as u32).unwrap_or_default()
    }

    /// The code of what a character begins.
    pub fn of_mark(character: char) -> Option<&'static str> {
        let at = u32::from(character).checked_sub(FIRST_MARK)?;
        Self::CODES.get(at as usize).map(|(_, code)| *code)
    }
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
        if !self.color || text.is_empty() || style == Style::Plain {
            return text.to_owned();
        }
        format!("{}{text}{}", style.mark(), Style::Plain.mark())
    }
}
