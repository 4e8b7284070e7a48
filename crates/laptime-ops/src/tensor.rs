//! A tensor as formulas see it: sizes, strides, type. It holds no data.

/// Type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dtype {
    /// What kind of number.
    pub kind: Kind,
    /// Bits of one element as it is stored, both parts of a complex number included.
    pub bits: u16,
}

/// Kinds of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Floating point.
    Float,
    /// Floating point with the exponent of a 32-bit number in 16 bits.
    BrainFloat,
    /// Two floating-point parts.
    Complex,
    /// Integers, signed or not, and quantised ones.
    Integer,
    /// Truth values.
    Bool,
}

impl Dtype {
    /// Single precision, what frameworks take unless told otherwise.
    pub const F32: Self = Self::float(32);
    /// Half the bits with the same exponent.
    pub const BF16: Self = Self::of(Kind::BrainFloat, 16);
    /// 64-bit integers, what indices are unless told otherwise.
    pub const I64: Self = Self::integer(64);
    /// Truth values, a byte each.
    pub const BOOL: Self = Self::of(Kind::Bool, 8);

    const fn of(kind: Kind, bits: u16) -> Self {
        Self { kind, bits }
    }

    /// A floating-point type.
    pub const fn float(bits: u16) -> Self {
        Self::of(Kind::Float, bits)
    }

    /// A complex type; the bits of both parts together.
    pub const fn complex(bits: u16) -> Self {
        Self::of(Kind::Complex, bits)
    }

    /// An integer type.
    pub const fn integer(bits: u16) -> Self {
        Self::of(Kind::Integer, bits)
    }

    /// The type by the name that `PyTorch`, JAX, `NumPy` and ONNX give it, without a module's
    /// prefix: `float32`, `f32`, `bfloat16`, `float8_e4m3fn`, `int8`, `quint8`, `complex64`, `bool`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.rsplit('.').next()?;
        Some(match name {
            "bool" | "bool_" => Self::BOOL,
            "half" => Self::float(16),
            "float" => Self::F32,
            "double" => Self::float(64),
            "key<fry>" => Self::integer(64),
            _ => {
                let start = name.find(|c: char| c.is_ascii_digit())?;
                let digits = &name[start..];
                let end = digits
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(digits.len());
                let bits: u16 = digits[..end].parse().ok()?;
                match &name[..start] {
                    "float" | "f" | "tf" => Self::float(bits),
                    "bfloat" | "bf" => Self::BF16,
                    "complex" | "c" => Self::complex(bits),
                    // `quint4x2` and `bits1x8` store several in a byte.
                    "int" | "uint" | "i" | "u" | "s" | "qint" | "quint" | "bits" => {
                        Self::integer(bits)
                    }
                    _ => return None,
                }
            }
        })
    }

    /// Whether arithmetic on it is floating point.
    pub const fn is_floating(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::BrainFloat | Kind::Complex)
    }

    /// The name that ceilings are filed by: `float32`, `bfloat16`, `int8`, `complex64`, `bool`.
    pub fn name(self) -> String {
        let kind = match self.kind {
            Kind::Float => "float",
            Kind::BrainFloat => "bfloat",
            Kind::Complex => "complex",
            Kind::Integer => "int",
            Kind::Bool => return "bool".into(),
        };
        format!("{kind}{}", self.bits)
    }
}

/// A tensor: what an operation takes or gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Sizes.
    pub shape: Vec<u64>,
    /// Elements from one to the next along each dimension. `None`: dense.
    pub strides: Option<Vec<i64>>,
    /// Type of its elements.
    pub dtype: Dtype,
    /// Elements that it really stores where its sizes say more: a sparse or jagged tensor.
    pub stored: Option<u64>,
    /// Whether a gradient is wanted for it.
    pub needs_grad: bool,
}

impl Tensor {
    /// A dense tensor.
    pub fn new(shape: impl Into<Vec<u64>>, dtype: Dtype) -> Self {
        Self {
            shape: shape.into(),
            strides: None,
            dtype,
            stored: None,
            needs_grad: false,
        }
    }

    /// A dense tensor of single-precision numbers.
    pub fn f32(shape: impl Into<Vec<u64>>) -> Self {
        Self::new(shape, Dtype::F32)
    }

    /// Size along a dimension; negative ones count from the end. `None` where there is none.
    pub fn dim(&self, index: i64) -> Option<u128> {
        let rank = self.shape.len() as i64;
        let index = if index < 0 { index + rank } else { index };
        let index = usize::try_from(index).ok()?;
        self.shape.get(index).copied().map(u128::from)
    }

    /// Elements by its sizes.
    pub fn elements(&self) -> u128 {
        product(&self.shape)
    }

    /// Elements that are computed with: those stored where it is sparse or jagged, else all.
    pub fn held(&self) -> u128 {
        self.stored.map_or_else(|| self.elements(), u128::from)
    }

    /// Elements of storage that reading it touches: expanded dimensions once.
    pub fn touched(&self) -> u128 {
        if let Some(stored) = self.stored {
            return u128::from(stored);
        }
        let Some(strides) = &self.strides else {
            return self.elements();
        };
        if self.shape.contains(&0) {
            return 0;
        }
        let sizes = self.shape.iter().zip(strides);
        let sizes = sizes.filter(|&(_, stride)| *stride != 0);
        sizes.fold(1, |all, (size, _)| all.saturating_mul(u128::from(*size)))
    }

    /// Bytes of the storage that reading it touches.
    pub fn bytes(&self) -> u128 {
        self.bytes_of(self.touched())
    }

    /// Bytes of so many of its elements.
    pub fn bytes_of(&self, elements: u128) -> u128 {
        elements
            .saturating_mul(u128::from(self.dtype.bits))
            .div_ceil(8)
    }
}

/// The product of sizes, as large as it gets at most.
pub fn product(sizes: &[u64]) -> u128 {
    sizes
        .iter()
        .fold(1, |all, size| all.saturating_mul(u128::from(*size)))
}
