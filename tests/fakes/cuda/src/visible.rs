//! Which devices the driver shows: all, or what `CUDA_VISIBLE_DEVICES` says when the driver is initialised.
//!
//! It is a list of indices, UUIDs, beginnings of UUIDs and names of MIG instances, and ends at the first
//! entry that means no device.

/// A device of the machine, or the instance that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible {
    pub number: usize,
    pub is_instance: bool,
}

impl Visible {
    /// Its UUID.
    pub fn uuid(self) -> [u8; 16] {
        let mut bytes = [if self.is_instance { 0xAB } else { 0xFA }; 16];
        bytes[15] = self.number as u8;
        bytes
    }

    /// As the driver's tools write it.
    fn name(self) -> String {
        let digits = format!("{:032x}", u128::from_be_bytes(self.uuid()));
        let (a, b, c) = (&digits[..8], &digits[8..12], &digits[12..16]);
        let kind = if self.is_instance { "MIG" } else { "GPU" };
        format!("{kind}-{a}-{b}-{c}-{}-{}", &digits[16..20], &digits[20..])
    }
}

/// The devices that are shown of so many.
pub fn of(said: Option<&str>, count: usize) -> Vec<Visible> {
    let whole = (0..count).map(|number| Visible {
        number,
        is_instance: false,
    });
    let whole: Vec<Visible> = whole.collect();
    let Some(said) = said else {
        return whole;
    };
    let instances = whole.iter().map(|device| Visible {
        is_instance: true,
        ..*device
    });
    let all: Vec<Visible> = whole.iter().copied().chain(instances).collect();
    let found = |entry: &str| match entry.parse::<usize>() {
        Ok(index) => whole.get(index).copied(),
        Err(_) if entry.len() > "GPU-".len() => all
            .iter()
            .copied()
            .find(|one| one.name().starts_with(entry)),
        Err(_) => None,
    };
    said.split(',')
        .map_while(|entry| found(entry.trim()))
        .collect()
}
