//! The subject of counts: a model or function, and its inputs.

/// The counted model or function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// The model's or function's name; empty where it has none.
    pub name: String,
    /// Inputs as text, such as `1×3×224×224 float32`.
    pub inputs: Vec<String>,
    /// Way of counting, a phrase such as `from shapes, without weights in memory`.
    pub how: String,
}

impl Subject {
    /// Writes an input as text: its label if it has one, its sizes and its type.
    pub fn input(label: &str, sizes: &[u64], dtype: &str) -> String {
        let space = if label.is_empty() { "" } else { " " };
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        let shape = match sizes.len() {
            0 => "scalar".to_owned(),
            1 => format!("[{}]", sizes[0]),
            _ => sizes.join("×"),
        };
        format!("{label}{space}{shape} {dtype}")
    }
}
