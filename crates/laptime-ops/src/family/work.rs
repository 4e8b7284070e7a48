//! What is done with each element: so much arithmetic, so many compares.
//!
//! A [`Work`] is the formula of everything that treats elements alike; how many elements there are
//! comes from shapes. One number is in one column: an exponential is a transcendental and no FLOP.

use laptime_core::Cost;

use crate::tensor::{Dtype, Kind, Tensor};

/// Operations for each element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Arithmetic: FLOP on floating-point numbers, integer operations on others.
    pub arithmetic: u32,
    /// FLOP where the numbers are complex.
    pub complex: u32,
    /// Transcendental functions.
    pub transcendental: u32,
    /// Compares.
    pub compare: u32,
    /// Operations on integers, truth values or bits, whatever type the numbers have.
    pub integer: u32,
}

impl Work {
    /// None.
    pub const NONE: Self = Self {
        arithmetic: 0,
        complex: 0,
        transcendental: 0,
        compare: 0,
        integer: 0,
    };

    /// So many additions, subtractions, multiplications or divisions. On complex numbers twice as
    /// many, unless [`Work::on_complex`] says otherwise.
    pub const fn arithmetic(count: u32) -> Self {
        Self {
            arithmetic: count,
            complex: 2 * count,
            ..Self::NONE
        }
    }

    /// So many transcendental functions.
    pub const fn transcendental(count: u32) -> Self {
        Self {
            transcendental: count,
            ..Self::NONE
        }
    }

    /// So many compares.
    pub const fn compare(count: u32) -> Self {
        Self {
            compare: count,
            ..Self::NONE
        }
    }

    /// So many operations on integers or bits.
    pub const fn integer(count: u32) -> Self {
        Self {
            integer: count,
            ..Self::NONE
        }
    }

    /// The work, with so many FLOP where the numbers are complex.
    #[must_use]
    pub const fn on_complex(self, flop: u32) -> Self {
        Self {
            complex: flop,
            ..self
        }
    }

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            arithmetic: self.arithmetic + other.arithmetic,
            complex: self.complex + other.complex,
            transcendental: self.transcendental + other.transcendental,
            compare: self.compare + other.compare,
            integer: self.integer + other.integer,
        }
    }

    /// The work that stands beside a name in a table of names.
    pub fn named(table: &[(&str, Self)], name: &str) -> Option<Self> {
        let is_it = |names: &str| names.split_whitespace().any(|known| known == name);
        let found = table.iter().find(|(names, _)| is_it(names));
        found.map(|&(_, work)| work)
    }

    /// What the work costs on the elements that a tensor holds.
    pub fn over(self, tensor: &Tensor) -> Cost {
        self.on(tensor.held(), tensor.dtype)
    }

    /// What the work costs on so many elements of a type. A transcendental function of a complex number
    /// is two of real ones.
    pub fn on(self, elements: u128, dtype: Dtype) -> Cost {
        let times = |count: u32| elements.saturating_mul(u128::from(count));
        let (other_flop, arithmetic, parts) = match dtype.kind {
            Kind::Complex => (self.complex, 0, 2),
            Kind::Float | Kind::BrainFloat => (self.arithmetic, 0, 1),
            Kind::Integer | Kind::Bool => (0, self.arithmetic, 1),
        };
        Cost {
            other_flop: times(other_flop),
            integer_op: times(arithmetic.saturating_add(self.integer)),
            transcendental: times(self.transcendental.saturating_mul(parts)),
            compare: times(self.compare),
            ..Cost::default()
        }
    }
}

/// So many FLOP for each element: [`Work::arithmetic`], for tables.
pub const fn flop(count: u32) -> Work {
    Work::arithmetic(count)
}

impl std::fmt::Display for Work {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let several = |count: u32, word: &str| match count {
            0 => None,
            1 => Some(format!("1 {word}")),
            _ => Some(format!("{count} {word}s")),
        };
        let parts: Vec<String> = [
            (self.arithmetic > 0).then(|| format!("{} FLOP", self.arithmetic)),
            (self.complex != 2 * self.arithmetic).then(|| format!("{} if complex", self.complex)),
            several(self.transcendental, "transcendental"),
            several(self.compare, "compare"),
            several(self.integer, "integer operation"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if parts.is_empty() {
            formatter.write_str("nothing")
        } else {
            formatter.write_str(&parts.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::assert_costs;

    #[test]
    fn a_number_is_in_one_column() {
        let product = Work::arithmetic(1).on_complex(6);
        // A sigmoid and a clamp, of whose compares the truth values are joined.
        let sigmoid = Work::transcendental(1).and(Work::arithmetic(2));
        let all = sigmoid.and(Work::compare(2)).and(Work::integer(1));
        let complex = Dtype::complex(64);
        assert_costs(&[
            ("3 products", product.on(3, Dtype::F32), &[("flop", 3)]),
            (
                "of half precision",
                product.on(3, Dtype::BF16),
                &[("flop", 3)],
            ),
            ("of integers", product.on(3, Dtype::I64), &[("integer", 3)]),
            (
                "of truth values",
                product.on(3, Dtype::BOOL),
                &[("integer", 3)],
            ),
            (
                "of complex numbers: 3 · 6",
                product.on(3, complex),
                &[("flop", 18)],
            ),
            (
                "10 of all",
                all.on(10, Dtype::F32),
                &[
                    ("flop", 20),
                    ("integer", 10),
                    ("transcendental", 10),
                    ("compare", 20),
                ],
            ),
            (
                "10 of all on integers: 2 of arithmetic and 1",
                all.on(10, Dtype::I64),
                &[("integer", 30), ("transcendental", 10), ("compare", 20)],
            ),
            (
                "10 of all on complex numbers: both parts' arithmetic and functions",
                all.on(10, complex),
                &[
                    ("flop", 40),
                    ("integer", 10),
                    ("transcendental", 20),
                    ("compare", 20),
                ],
            ),
            ("none", Work::NONE.on(10, Dtype::F32), &[]),
            (
                "a matrix that stores 5",
                product.over(&Tensor {
                    stored: Some(5),
                    ..Tensor::f32([10, 10])
                }),
                &[("flop", 5)],
            ),
        ]);
        assert_eq!(flop(2), Work::arithmetic(2));
    }

    #[test]
    fn works_are_said_in_words() {
        let sigmoid = Work::transcendental(1).and(Work::arithmetic(2));
        assert_eq!(sigmoid.to_string(), "2 FLOP, 1 transcendental");
        let product = Work::arithmetic(1).on_complex(6);
        assert_eq!(product.to_string(), "1 FLOP, 6 if complex");
        let others = Work::compare(2).and(Work::integer(1));
        assert_eq!(others.to_string(), "2 compares, 1 integer operation");
        assert_eq!(Work::NONE.to_string(), "nothing");
    }
}
