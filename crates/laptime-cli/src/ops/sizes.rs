//! Sizes as they are typed: `1,3,224,224:float32`, `mask=1,128:bool`, `batch=8`.

use std::str::FromStr;

use serde::Serialize;

/// A tensor's sizes and, if said, its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// From the outermost on; empty for a single number.
    pub sizes: Vec<u64>,
    /// As the framework names it.
    pub dtype: Option<String>,
}

/// Sizes of an input that is passed by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedSizes {
    /// The parameter's.
    pub label: String,
    #[serde(flatten)]
    pub of: Sizes,
}

/// One size with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSize {
    /// The file's name for it.
    pub name: String,
    pub size: u64,
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let (sizes, dtype) = match typed.split_once(':') {
            Some((sizes, dtype)) => (sizes, Some(dtype)),
            None => (typed, None),
        };
        if dtype.is_some_and(|dtype| {
            dtype.is_empty()
                || !dtype
                    .chars()
                    .all(|one| one.is_ascii_alphanumeric() || one == '_')
        }) {
            return Err("a type such as float32 or int64 follows the colon".to_owned());
        }
        let size = |text: &str| {
            whole(text).ok_or_else(|| {
                format!("{text:?} is no size; sizes are whole numbers from 1, such as 1,3,224,224")
            })
        };
        let sizes = match sizes.trim() {
            "" | "scalar" => Vec::new(),
            sizes => sizes.split(',').map(size).collect::<Result<_, _>>()?,
        };
        Ok(Self {
            sizes,
            dtype: dtype.map(str::to_owned),
        })
    }
}

impl FromStr for NamedSizes {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let (label, of) = named(typed, "mask=1,128:bool")?;
        Ok(Self {
            label,
            of: of.parse()?,
        })
    }
}

impl FromStr for NamedSize {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let (name, size) = named(typed, "batch=8")?;
        let size = whole(size).ok_or_else(|| {
            format!("{size:?} is no size; a whole number from 1, such as batch=8")
        })?;
        Ok(Self { name, size })
    }
}

/// The length of a sequence.
pub fn length(typed: &str) -> Result<u64, String> {
    whole(typed).ok_or_else(|| {
        "it is the number of tokens, a whole number from 1, such as --seq 512".to_owned()
    })
}

/// A number of at least one, as far as a framework's own integers go.
fn whole(typed: &str) -> Option<u64> {
    let size: u64 = typed.trim().parse().ok()?;
    (size > 0 && i64::try_from(size).is_ok()).then_some(size)
}

fn named<'a>(typed: &'a str, example: &str) -> Result<(String, &'a str), String> {
    match typed.split_once('=') {
        Some((name, rest)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), rest)),
        _ => Err(format!("a name and sizes, such as {example}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_commas_and_maybe_a_type() {
        let read = |typed: &str| typed.parse::<Sizes>();
        let sizes = read("1,3, 224,224").unwrap();
        assert_eq!((sizes.sizes, sizes.dtype), (vec![1, 3, 224, 224], None));
        let sizes = read("1,128:int64").unwrap();
        assert_eq!(sizes.dtype.as_deref(), Some("int64"));
        assert_eq!(read("scalar").unwrap().sizes, Vec::<u64>::new());
    }

    #[test]
    fn what_is_no_size_is_named() {
        let why = |typed: &str| typed.parse::<Sizes>().unwrap_err();
        assert_eq!(
            why("1,x"),
            "\"x\" is no size; sizes are whole numbers from 1, such as 1,3,224,224"
        );
        assert!(why("-1,3").contains("\"-1\" is no size"));
        assert!(why("9223372036854775808").contains("is no size"));
        assert_eq!(
            why("1,2:"),
            "a type such as float32 or int64 follows the colon"
        );
        assert_eq!(
            "1,2".parse::<NamedSizes>().unwrap_err(),
            "a name and sizes, such as mask=1,128:bool"
        );
        assert_eq!(
            "batch=many".parse::<NamedSize>().unwrap_err(),
            "\"many\" is no size; a whole number from 1, such as batch=8"
        );
        assert!(why("0,3").contains("\"0\" is no size"));
        assert!("batch=0".parse::<NamedSize>().is_err());
    }

    #[test]
    fn a_length_is_a_whole_number_from_one() {
        assert_eq!(length("512"), Ok(512));
        for typed in ["0", "-1", "1.5", "many", "", "9223372036854775808"] {
            assert_eq!(
                length(typed).unwrap_err(),
                "it is the number of tokens, a whole number from 1, such as --seq 512"
            );
        }
    }
}
