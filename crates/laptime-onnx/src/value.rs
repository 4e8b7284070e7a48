//! What is known of a value of the graph: type, sizes, and content where sizes depend on it.

use std::sync::Arc;

use laptime_ops::{Dtype, Tensor};

/// Elements up to which contents are kept: shapes, axes, scales.
pub const DATA_LIMIT: usize = 1024;

/// The dimensions a tensor may have.
pub const RANK_LIMIT: usize = 64;

/// A size as a file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dim {
    /// A number.
    Size(u64),
    /// A name for a size that is open.
    Name(String),
    /// Open, without a name.
    Open,
}

/// The type of an element, by its number in `onnx.proto`. 0: not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Element(pub i32);

impl Element {
    /// A type that isn't known.
    pub const UNKNOWN: Self = Self(0);
    /// Single precision.
    pub const F32: Self = Self(1);
    /// Bytes.
    pub const U8: Self = Self(2);
    /// 32-bit integers.
    pub const I32: Self = Self(6);
    /// 64-bit integers, which shapes are made of.
    pub const I64: Self = Self(7);
    /// Truth values.
    pub const BOOL: Self = Self(9);

    /// The type as formulas know it. `None` for texts and what isn't known.
    pub const fn dtype(self) -> Option<Dtype> {
        Some(match self.0 {
            1 => Dtype::F32,
            2 | 3 => Dtype::integer(8),
            4 | 5 => Dtype::integer(16),
            6 | 12 => Dtype::integer(32),
            7 | 13 => Dtype::integer(64),
            9 => Dtype::BOOL,
            10 | 16 => Dtype::float(16),
            11 => Dtype::float(64),
            14 => Dtype::complex(64),
            15 => Dtype::complex(128),
            17..=20 | 24 => Dtype::float(8),
            21 | 22 => Dtype::integer(4),
            23 => Dtype::float(4),
            25 | 26 => Dtype::integer(2),
            27 | 28 => Dtype::float(6),
            _ => return None,
        })
    }

    /// Whether contents of the type are kept as integers.
    pub const fn is_integer(self) -> bool {
        matches!(self.0, 2..=7 | 9 | 12 | 13)
    }

    /// Whether contents of the type are kept as real numbers.
    pub const fn is_float(self) -> bool {
        matches!(self.0, 1 | 10 | 11 | 16)
    }
}

/// A content, in the order of its elements.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Integers and truth values; some may not be known.
    Ints(Vec<Option<i64>>),
    /// Real numbers.
    Floats(Vec<f64>),
}

impl Data {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Ints(values) => values.len(),
            Self::Floats(values) => values.len(),
        }
    }
}

/// Sizes; some may not be known.
pub type Sizes = Vec<Option<u64>>;

/// What is known of a value.
#[derive(Debug, Clone, Default)]
pub struct Value {
    /// Type of its elements.
    pub element: Element,
    /// The value's sizes; `None` where not even their number is known.
    pub sizes: Option<Sizes>,
    /// The value's content.
    pub data: Option<Data>,
    /// Why something of the value isn't known, a phrase in lower case.
    pub why: Option<Arc<str>>,
    /// The parts of a sequence.
    pub parts: Option<Vec<Value>>,
    /// Elements that are stored, where the value is sparse.
    pub stored: Option<u64>,
    /// Which of the file's constants the value is, by the place in the walk's list.
    pub param: Option<usize>,
}

impl Value {
    /// A tensor of these sizes.
    pub fn new(element: Element, sizes: impl Into<Sizes>) -> Self {
        Self {
            element,
            sizes: Some(sizes.into()),
            ..Self::default()
        }
    }

    /// A tensor of sizes that are all known.
    pub fn known(element: Element, sizes: &[u64]) -> Self {
        Self::new(element, sizes.iter().copied().map(Some).collect::<Sizes>())
    }

    /// Something of which only the type is known.
    pub fn unknown(element: Element) -> Self {
        Self {
            element,
            ..Self::default()
        }
    }

    /// The value with a content, where that fits the sizes.
    #[must_use]
    pub fn with(mut self, data: Option<Data>) -> Self {
        let fits = |data: &Data| {
            data.len() <= DATA_LIMIT && self.elements().is_some_and(|n| n == data.len() as u64)
        };
        self.data = data.filter(fits);
        self
    }

    /// An integer, its content where it is known.
    pub fn number(value: Option<i64>) -> Self {
        Self::known(Element::I64, &[]).with(value.map(|value| Data::Ints(vec![Some(value)])))
    }

    /// A row of integers.
    pub fn row(values: Vec<Option<i64>>) -> Self {
        Self::known(Element::I64, &[values.len() as u64]).with(Some(Data::Ints(values)))
    }

    /// How many dimensions the value has.
    pub fn rank(&self) -> Option<usize> {
        self.sizes.as_ref().map(Vec::len)
    }

    /// The value's sizes, where all are known.
    pub fn dims(&self) -> Option<Vec<u64>> {
        self.sizes.as_ref()?.iter().copied().collect()
    }

    /// How many elements the value has, where that is known and can be a number.
    pub fn elements(&self) -> Option<u64> {
        self.sizes
            .as_ref()?
            .iter()
            .try_fold(1u64, |all, size| all.checked_mul((*size)?))
    }

    /// The value's integers, where all are known.
    pub fn ints(&self) -> Option<Vec<i64>> {
        match self.data.as_ref()? {
            Data::Ints(values) => values.iter().copied().collect(),
            Data::Floats(_) => None,
        }
    }

    /// The value's only integer.
    pub fn int(&self) -> Option<i64> {
        match self.ints()?[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    /// The value's only integer as a size; `None` for a negative one.
    pub fn size(&self) -> Option<u64> {
        u64::try_from(self.int()?).ok()
    }

    /// The value's numbers as real ones.
    pub fn floats(&self) -> Option<Vec<f64>> {
        match self.data.as_ref()? {
            Data::Ints(values) => values.iter().map(|value| value.map(|x| x as f64)).collect(),
            Data::Floats(values) => Some(values.clone()),
        }
    }

    /// The value as formulas know it, where type and sizes are known.
    pub fn tensor(&self) -> Option<Tensor> {
        let mut tensor = Tensor::new(self.dims()?, self.element.dtype()?);
        tensor.stored = self.stored;
        Some(tensor)
    }
}
