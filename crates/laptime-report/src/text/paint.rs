//! Colours, where the output understands them.

/// The first of thirty-two characters that Unicode reserves for a program's internal use.
const FIRST_MARK: u32 = 0xfdd0;

/// The role of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ordinary text.
    Plain,
    /// Text that the eye should find first.
    Strong,
    /// Text that the eye may skip.
    Faint,
    /// The name of a row that is no span.
    Leftover,
    /// The bar of a share.
    Bar,
    /// A reason for doubt.
    Warning,
}

impl Style {
    /// Each style with its colour's code.
    const CODES: [(Self, &str); 6] = [
        (Self::Plain, "0"),
        (Self::Strong, "1"),
        (Self::Faint, "2"),
        (Self::Leftover, "3"),
        (Self::Bar, "36"),
        (Self::Warning, "1;33"),
    ];

    /// Returns the character that begins a style, until the [gate](crate::Shown) makes a colour of it; no text has
    /// it.
    fn mark(self) -> char {
        let at = Self::CODES.iter().position(|(style, _)| *style == self);
        char::from_u32(FIRST_MARK + at.unwrap_or(0) as u32).unwrap_or_default()
    }

    /// Returns the colour's code of the style that a character begins.
    pub fn of_mark(character: char) -> Option<&'static str> {
        let at = u32::from(character).checked_sub(FIRST_MARK)?;
        Self::CODES.get(at as usize).map(|(_, code)| *code)
    }
}

/// A painter, which colours text or leaves it as it is.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    color: bool,
}

impl Paint {
    /// Makes a painter with ANSI colours or without.
    pub fn new(color: bool) -> Self {
        Self { color }
    }

    /// Returns a piece of text in its style.
    pub fn with(self, style: Style, text: &str) -> String {
        if !self.color || text.is_empty() || style == Style::Plain {
            return text.to_owned();
        }
        format!("{}{text}{}", style.mark(), Style::Plain.mark())
    }
}
