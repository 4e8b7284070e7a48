//! How a call's operations grow with its sizes: some calls are counted, and tell those of others.
//!
//! What a model does is mostly a polynomial in the sizes of its inputs: linear in the batch,
//! of second degree in the length of a sequence. A [`Growth`] is told what calls of one kind did,
//! alike but for their sizes; once a `formula` is found that holds for more of them than it is
//! made from, it says what further ones do. From time to time it asks for one to be counted
//! nevertheless. Where a count contradicts a formula between sizes that it held for, all that was
//! said is taken back, and nothing more is: operations depend on the data then, or come in steps.
//!
//! A formula speaks of sizes between those that were counted: a program may do otherwise what is
//! very long. Sizes beyond are counted, and the range grows. Only where they come one after
//! another, each larger than all before (a cache that grows, a number of the step), a formula
//! goes ahead a little, and what it said that no later count lies beyond of is taken back in the
//! end.

mod exact;
mod formula;
mod residue;
mod slices;
mod stretches;
mod terms;

use laptime_core::PathId;
use laptime_core::operations::{Cost, CostTally};

use formula::{Distance, Formula, Sample};
pub use stretches::{Kind, MOST_COUNTED, Outcome, Stretches, Verdict};

/// How many calls are told before one of them is checked; from then on, whenever they doubled.
const FIRST_CHECK: usize = 4;
/// So many calls with sizes beyond all others, and none between, are a row that goes on.
const STEADY: usize = 8;
/// So many searches for a formula in vain, one after another, end it until there is another count:
/// they take time in the middle of the program's own.
const MOST_SEARCHES: usize = 8;
/// Calls that are kept to find formulas by.
const MOST_SAMPLES: usize = 128;
/// Numbers of a tally.
const AMOUNTS: usize = 13;

/// What calls do at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The path of the calls.
    pub path: PathId,
    /// What one call does at the path.
    pub tally: CostTally,
    /// Where most multiply-accumulates run; empty where there are none.
    pub device: String,
    /// The type that most multiply-accumulates are on; empty where there are none.
    pub dtype: String,
}

impl Part {
    fn amounts(&self) -> [u128; AMOUNTS] {
        let CostTally {
            counted,
            zero,
            uncounted,
            cost,
        } = self.tally;
        let mut amounts = [0; AMOUNTS];
        amounts[..3].copy_from_slice(&[counted, zero, uncounted].map(u128::from));
        amounts[3..].copy_from_slice(&cost.columns());
        amounts
    }

    /// This place with other amounts.
    fn with(&self, amounts: &[u128]) -> Option<Self> {
        let calls = |at: usize| u64::try_from(amounts[at]).ok();
        let tally = CostTally {
            counted: calls(0)?,
            zero: calls(1)?,
            uncounted: calls(2)?,
            cost: Cost::from_columns(amounts[3..].try_into().ok()?),
        };
        Some(Self {
            tally,
            ..self.clone()
        })
    }

    /// As many calls, of which nothing is known.
    fn unknown(&self) -> Self {
        Self {
            path: self.path,
            tally: CostTally {
                uncounted: self.tally.calls(),
                ..CostTally::default()
            },
            device: String::new(),
            dtype: String::new(),
        }
    }
}

/// What is to be done about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meeting {
    /// The call does this.
    Told(Vec<Part>),
    /// The call is to be counted: a formula wants to be checked, or has not seen such sizes.
    Check,
    /// Nothing is known of the call.
    Unknown,
}

/// Calls of one kind, which differ in their sizes alone.
#[derive(Debug, Default)]
pub struct Growth {
    /// Where the calls do anything.
    places: Vec<Part>,
    samples: Vec<Sample>,
    formulas: Vec<Formula>,
    /// Calls that were told, by the numbers they have elsewhere.
    told: Vec<u32>,
    /// Calls that were told beyond what was counted, with their sizes.
    ahead: Vec<(u32, Vec<i64>)>,
    /// How many calls lay beyond what was counted, one after another.
    beyond: usize,
    next_check: usize,
    /// Searches for a formula since the last count.
    searches: usize,
    /// Calls that were counted and contradicted no formula: formulas hold for all of them if any was told.
    held_for: usize,
    /// Whether a count contradicted what was said.
    is_refused: bool,
}

impl Growth {
    /// A call with such sizes comes up, which has a number of its own.
    pub fn meet(&mut self, number: u32, sizes: &[i64]) -> Meeting {
        if self.is_refused {
            return Meeting::Unknown;
        }
        let samples = &self.samples;
        let said = self.formulas.iter().find_map(|one| one.say(samples, sizes));
        let said = said.or_else(|| {
            self.searches += 1;
            if self.searches > MOST_SEARCHES {
                return None;
            }
            let found = Formula::find(samples, sizes)?;
            let said = found.say(samples, sizes)?;
            self.formulas.push(found);
            self.searches = 0;
            Some(said)
        });
        let Some(said) = said else {
            return Meeting::Unknown;
        };
        let is_near = match said.distance {
            Distance::Within => {
                self.beyond = 0;
                true
            }
            Distance::Near => self.beyond >= STEADY,
            Distance::Far => false,
        };
        if !is_near || self.told() >= self.next_check.max(FIRST_CHECK) {
            return Meeting::Check;
        }
        let parts = self.places.iter().zip(said.amounts.chunks(AMOUNTS));
        let parts: Option<Vec<Part>> = parts.map(|(place, amounts)| place.with(amounts)).collect();
        let Some(parts) = parts else {
            return Meeting::Check;
        };
        if said.distance == Distance::Within {
            self.told.push(number);
        } else {
            self.ahead.push((number, sizes.to_vec()));
        }
        Meeting::Told(parts)
    }

    /// A call was counted. Gives back the numbers of those that were told and must not have been.
    pub fn counted(&mut self, sizes: &[i64], parts: &[Part]) -> Vec<u32> {
        if self.is_refused {
            return Vec::new();
        }
        self.searches = 0;
        let amounts = self.amounts(parts);
        let is_elsewhere = |part: &Part| {
            let mut places = self.places.iter();
            places.any(|place| place.path == part.path && !is_same(place, part))
        };
        // A number that is as large as it can get is larger; and work that moves to another type or
        // device with the sizes is no work of one place.
        if amounts.contains(&u128::MAX) || parts.iter().any(is_elsewhere) {
            return self.refuse();
        }
        let (mut is_checked, mut is_contradicted) = (false, false);
        let mut wrong = Vec::new();
        for formula in &mut self.formulas {
            if let Some(said) = formula.say(&self.samples, sizes) {
                if said.amounts != amounts {
                    if said.distance == Distance::Within || !formula.end(sizes) {
                        return self.refuse();
                    }
                    wrong.append(&mut self.ahead);
                    is_contradicted = true;
                    continue;
                }
                self.beyond += usize::from(said.distance != Distance::Within);
                formula.held(sizes);
                is_checked = true;
            }
        }
        self.held_for += usize::from(!is_contradicted);
        if is_checked {
            self.next_check = self.next_check.max(2 * self.told());
            let formulas = &self.formulas;
            let reached = self.ahead.extract_if(.., |(_, sizes)| {
                let reaches = |formula: &Formula| {
                    formula.distance(sizes) == Distance::Within
                        && formula.say(&self.samples, sizes).is_some()
                };
                formulas.iter().any(reaches)
            });
            self.told.extend(reached.map(|(number, _)| number));
        }
        let known = self.samples.iter().find(|sample| sample.sizes == sizes);
        match known {
            Some(known) if known.amounts != amounts => return self.refuse(),
            None if self.samples.len() < MOST_SAMPLES => self.samples.push(Sample {
                sizes: sizes.to_vec(),
                amounts,
            }),
            _ => {}
        }
        wrong.into_iter().map(|(number, _)| number).collect()
    }

    /// What is known of a call that nobody counts: where it does something, and in about as many
    /// calls as the one that was counted last. Empty where none was.
    pub fn left_out(&self) -> Vec<Part> {
        let Some(last) = self.samples.last() else {
            return Vec::new();
        };
        let parts = self.places.iter().zip(last.amounts.chunks(AMOUNTS));
        let parts = parts.filter_map(|(place, amounts)| place.with(amounts));
        parts.map(|part| part.unknown()).collect()
    }

    /// Nothing comes up any more. Gives back the numbers of calls that were told ahead of what
    /// was counted.
    pub fn finish(&mut self) -> Vec<u32> {
        let ahead = std::mem::take(&mut self.ahead).into_iter();
        ahead.map(|(number, _)| number).collect()
    }

    /// How many calls were told and stand.
    pub fn told(&self) -> usize {
        self.told.len() + self.ahead.len()
    }

    /// Whether there is a formula for calls with such sizes.
    pub fn knows(&self, sizes: &[i64]) -> bool {
        let mut formulas = self.formulas.iter();
        formulas.any(|formula| formula.say(&self.samples, sizes).is_some())
    }

    /// The amounts at all places, in their order.
    fn amounts(&mut self, parts: &[Part]) -> Vec<u128> {
        for part in parts {
            if !self.places.iter().any(|place| is_same(place, part)) {
                self.places.push(part.clone());
                for sample in &mut self.samples {
                    sample.amounts.extend([0; AMOUNTS]);
                }
            }
        }
        let places = self.places.iter();
        let amounts = places.map(|place| {
            let part = parts.iter().find(|part| is_same(place, part));
            part.map_or([0; AMOUNTS], Part::amounts)
        });
        amounts.flatten().collect()
    }

    fn refuse(&mut self) -> Vec<u32> {
        self.is_refused = true;
        self.formulas.clear();
        let mut wrong = std::mem::take(&mut self.told);
        wrong.extend(self.finish());
        wrong
    }
}

/// Whether two parts are of one place.
fn is_same(one: &Part, other: &Part) -> bool {
    one.path == other.path && one.device == other.device && one.dtype == other.dtype
}

#[cfg(test)]
mod tests;
