//! A polynomial in the sizes of a call, found exactly or not at all.
//!
//! Comes from calls whose amounts were counted; answers with the amounts of calls that were not.
//! The polynomial is never written down: what it says of a call is a weighted sum of counted
//! ones (Lagrange), in whole numbers of any length.
//!
//! A polynomial is believed where it holds for more counted calls than it is made from, in such a
//! way that any two of them could be left out and the others would still decide it: then no two
//! exceptional calls can hide behind it. In the words of coding theory, the counted amounts are
//! words of a code of distance three.
//!
//! Where none holds for all calls, one in a single size may hold for a range of it: a table
//! whose every row has been read costs no more from then on, and attention has a window. Such a
//! piece ends where a counted call contradicts it.

use num_bigint::BigInt;

use super::exact::{Inverse, Weights};
use super::residue::{self, Residue};
use super::slices::{Slice, slices};
use super::terms::{HIGHEST, Terms, degrees};

/// Counted calls beyond those that decide a formula. Two are what its check needs; a third makes
/// it rare that all of them are multiples of eight, say, by chance.
pub const HELD_OUT: usize = 3;
/// Counted calls beyond those that decide a piece: pieces are looked for in many places, and each
/// is one more chance to be wrong.
const HELD_OUT_OF_PIECES: usize = 6;
/// Sizes that a formula is in, at most: batch, and two lengths or the sides of an image.
const MOST_VARIABLES: usize = 3;
/// Terms of a formula, at most. With those held out it stays below what is counted of a call.
const MOST_TERMS: usize = 30;

/// A call that was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The sizes that the call was given.
    pub sizes: Vec<i64>,
    /// What the call did.
    pub amounts: Vec<u128>,
}

/// What a formula says of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// What the call does.
    pub amounts: Vec<u128>,
    /// How far its sizes are from those that were counted.
    pub distance: Distance,
}

/// How far sizes are from those that a formula held for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// Between the least and the greatest.
    Within,
    /// Beyond, by a quarter of what lies between at most.
    Near,
    /// Further away.
    Far,
}

/// A polynomial in some of the sizes that tells all amounts, and all other sizes.
#[derive(Debug, Clone)]
pub struct Formula {
    terms: Terms,
    /// The calls that decide it, by their place among all that were counted.
    base: Vec<usize>,
    inverse: Inverse,
    /// The least and the greatest of each variable that it held for.
    low: Vec<i64>,
    high: Vec<i64>,
    /// Where the formula holds no more, if it is in one size.
    ends: (Option<i64>, Option<i64>),
}

impl Formula {
    /// The simplest one that is to be believed and has something to say of a call with these sizes.
    pub fn find(samples: &[Sample], sizes: &[i64]) -> Option<Self> {
        let slices = slices(samples, sizes);
        let whole = |slice: &Slice| Self::in_some(samples, &slice.alike, &slice.free);
        let piece = |slice: &Slice| {
            let mut free = slice.free.iter();
            free.find_map(|at| Self::piece(samples, &slice.alike, *at, sizes[*at]))
        };
        let found = slices.iter().find_map(whole);
        found.or_else(|| slices.iter().find_map(piece))
    }

    /// One in as few as possible of the sizes that change, by calls that agree in all others.
    fn in_some(samples: &[Sample], alike: &[usize], free: &[usize]) -> Option<Self> {
        let beside = beside(samples, alike);
        let mut sets: Vec<u32> = (1..1 << free.len()).collect();
        sets.retain(|set: &u32| set.count_ones() as usize <= MOST_VARIABLES);
        sets.sort_by_key(|set| set.count_ones());
        sets.into_iter().find_map(|set| {
            let chosen = (0..free.len()).filter(|at| set >> at & 1 == 1);
            let variables: Vec<usize> = chosen.map(|at| free[at]).collect();
            let least = |at: &usize| alike.iter().map(|index| samples[*index].sizes[*at]).min();
            let origin: Vec<i64> = variables.iter().filter_map(least).collect();
            degrees(variables.len()).into_iter().find_map(|degrees| {
                let terms = Terms {
                    variables: variables.clone(),
                    degrees,
                    origin: origin.clone(),
                };
                Self::with(samples, alike, &beside, terms, HELD_OUT)
            })
        })
    }

    /// One in a single size that holds on both sides of a value of it.
    fn piece(samples: &[Sample], alike: &[usize], at: usize, value: i64) -> Option<Self> {
        let value_of = |index: &usize| samples[*index].sizes[at];
        let mut alike = alike.to_vec();
        alike.sort_by_key(value_of);
        let beside = beside(samples, &alike);
        let next = alike.partition_point(|index| value_of(index) < value);
        (0..=HIGHEST).find_map(|degree| {
            let length = degree as usize + 1 + HELD_OUT_OF_PIECES;
            let last = alike.len().checked_sub(length)?;
            let first = (next + 1).saturating_sub(length);
            (first..next.min(last + 1)).find_map(|from| {
                let window = from..from + length;
                let terms = Terms {
                    variables: vec![at],
                    degrees: vec![degree],
                    origin: vec![value_of(&alike[from])],
                };
                let (inside, beside) = (&alike[window.clone()], &beside[window.clone()]);
                let found = Self::with(samples, inside, beside, terms, HELD_OUT_OF_PIECES)?;
                Some(found.grown(samples, &alike[..window.start], &alike[window.end..]))
            })
        })
    }

    /// As far as it holds for calls below and above, both in the order of its size.
    fn grown(mut self, samples: &[Sample], below: &[usize], above: &[usize]) -> Self {
        for side in [
            below.iter().rev().collect::<Vec<_>>(),
            above.iter().collect(),
        ] {
            for sample in side.into_iter().map(|index| &samples[*index]) {
                match self.say(samples, &sample.sizes) {
                    Some(said) if said.amounts == sample.amounts => self.held(&sample.sizes),
                    _ => {
                        self.end(&sample.sizes);
                        break;
                    }
                }
            }
        }
        self
    }

    /// The one with such terms, if it holds.
    fn with(
        samples: &[Sample],
        alike: &[usize],
        beside: &[Residue],
        terms: Terms,
        held_out: usize,
    ) -> Option<Self> {
        let count = terms.count();
        if count > MOST_TERMS || alike.len() < count + held_out {
            return None;
        }
        let rows = alike.iter().zip(beside).map(|(index, beside)| {
            let mut row = terms.residues(&samples[*index].sizes);
            row.push(*beside);
            row
        });
        let deciding = residue::deciding(rows, count)?;
        let base: Vec<usize> = deciding.iter().map(|at| alike[*at]).collect();
        let rows = base.iter().map(|index| terms.exact(&samples[*index].sizes));
        let inverse = Inverse::of(rows.collect())?;
        let bound = |pick: fn(i64, i64) -> i64| {
            let all = |at: &usize| {
                alike
                    .iter()
                    .map(|index| samples[*index].sizes[*at])
                    .reduce(pick)
            };
            terms.variables.iter().filter_map(all).collect()
        };
        let formula = Self {
            low: bound(i64::min),
            high: bound(i64::max),
            base,
            inverse,
            terms,
            ends: (None, None),
        };
        let others = alike.iter().filter(|index| !formula.base.contains(index));
        let mut weights = Vec::new();
        for sample in others.map(|index| &samples[*index]) {
            let said = formula.say(samples, &sample.sizes)?;
            if said.amounts != sample.amounts {
                return None;
            }
            weights.push(formula.weights(&sample.sizes).exact);
        }
        no_two_decide(&weights).then_some(formula)
    }

    fn weights(&self, sizes: &[i64]) -> Weights {
        self.inverse.weights(&self.terms.exact(sizes))
    }

    /// What the formula says of a call; `None` where it has nothing to say, as another size differs.
    pub fn say(&self, samples: &[Sample], sizes: &[i64]) -> Option<Said> {
        let first = sizes[self.terms.variables[0]];
        let (low, high) = self.ends;
        if low.is_some_and(|end| first <= end) || high.is_some_and(|end| first >= end) {
            return None;
        }
        let weights = self.weights(sizes);
        let base = || self.base.iter().map(|index| &samples[*index]);
        for (at, size) in sizes.iter().enumerate() {
            if !self.terms.variables.contains(&at)
                && weights.value(base().map(|sample| sample.sizes[at]))? != *size
            {
                return None;
            }
        }
        let amount = |at: usize| {
            // Most are nothing everywhere.
            if base().all(|sample| sample.amounts[at] == 0) {
                return Some(0);
            }
            weights.value(base().map(|sample| sample.amounts[at]))
        };
        let amounts = 0..base().next()?.amounts.len();
        Some(Said {
            amounts: amounts.map(amount).collect::<Option<_>>()?,
            distance: self.distance(sizes),
        })
    }

    /// How far sizes are from those that it held for.
    pub fn distance(&self, sizes: &[i64]) -> Distance {
        let bounds = self.low.iter().zip(&self.high);
        let variables = self.terms.variables.iter().zip(bounds);
        let distances = variables.map(|(at, (low, high))| {
            let [size, low, high] = [sizes[*at], *low, *high].map(i128::from);
            let beyond = (low - size).max(size - high);
            match beyond {
                ..=0 => Distance::Within,
                _ if 4 * beyond <= high - low => Distance::Near,
                _ => Distance::Far,
            }
        });
        distances.max().unwrap_or(Distance::Within)
    }

    /// The formula does not hold for such a call, which lies beyond those that it held for. Returns
    /// whether it ends there; in several sizes nobody knows where that is.
    pub fn end(&mut self, sizes: &[i64]) -> bool {
        let [at] = self.terms.variables[..] else {
            return false;
        };
        if sizes[at] < self.low[0] {
            self.ends.0 = Some(sizes[at]);
        } else {
            self.ends.1 = Some(sizes[at]);
        }
        true
    }

    /// The formula held for such a call too.
    pub fn held(&mut self, sizes: &[i64]) {
        for (index, at) in self.terms.variables.iter().enumerate() {
            self.low[index] = self.low[index].min(sizes[*at]);
            self.high[index] = self.high[index].max(sizes[*at]);
        }
    }
}

/// All that a formula must tell of calls, one number for each.
fn beside(samples: &[Sample], alike: &[usize]) -> Vec<Residue> {
    let beside = alike.iter().map(|index| {
        let Sample { sizes, amounts } = &samples[*index];
        let sizes = sizes.iter().map(|size| residue::of_signed((*size).into()));
        residue::combined(sizes.chain(amounts.iter().map(|one| residue::of(*one))))
    });
    beside.collect()
}

/// Whether any two counted calls could be left out: by how much each call that decides a formula
/// goes into each of those that are held out.
///
/// Two calls alone decide something if one goes into no more than one other, or two of
/// them go into all others in the same ratio.
fn no_two_decide(weights: &[Vec<BigInt>]) -> bool {
    let count = weights.first().map_or(0, Vec::len);
    let enough = |at: usize| {
        let others = weights.iter().filter(|row| row[at] != BigInt::ZERO);
        others.count() >= 2
    };
    let alike = |one: usize, two: usize| {
        let first = weights.iter().find(|row| row[one] != BigInt::ZERO);
        first.is_some_and(|first| {
            let mut rows = weights.iter();
            rows.all(|row| &row[one] * &first[two] == &row[two] * &first[one])
        })
    };
    (0..count).all(|one| enough(one) && (0..one).all(|two| !alike(one, two)))
}
