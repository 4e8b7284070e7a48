//! What a device says of itself while a program uses it: how busy it is, what it draws, what slows it.
//!
//! The recorder reads these numbers a few times a second and writes them as samples. They are of the whole
//! device, whoever uses it, except for the memory of the process. A number that a device doesn't tell is
//! absent from its samples, and a record of its own says why.

/// A number that a device tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum DeviceReading {
    /// Part of the time in which a kernel ran. **Units** percent.
    Utilization,
    /// Part of the time in which its memory was read or written. **Units** percent.
    MemoryUtilization,
    /// Memory that all processes hold, and the driver. **Units** bytes.
    Memory,
    /// Memory that the recorded process holds. **Units** bytes.
    ProcessMemory,
    /// What it draws. **Units** milliwatts.
    Power,
    /// What it drew since the driver was loaded. **Units** millijoules.
    Energy,
    /// Clock of its multiprocessors. **Units** megahertz.
    Clock,
    /// Clock of its memory. **Units** megahertz.
    MemoryClock,
    /// **Units** degrees Celsius.
    Temperature,
    /// Why the clock is not higher: bits, as NVIDIA numbers them.
    ClockLimits,
}

impl DeviceReading {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 10] = [
        Self::Utilization,
        Self::MemoryUtilization,
        Self::Memory,
        Self::ProcessMemory,
        Self::Power,
        Self::Energy,
        Self::Clock,
        Self::MemoryClock,
        Self::Temperature,
        Self::ClockLimits,
    ];

    /// The one with a code; `None` for one that a later version wrote.
    pub fn of(code: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

/// What a device told at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceReadings([Option<u64>; DeviceReading::ALL.len()]);

impl DeviceReadings {
    /// A number, in the unit of its kind; `None` where the device didn't tell it.
    pub fn get(&self, reading: DeviceReading) -> Option<u64> {
        self.0[reading as usize]
    }

    /// Notes a number.
    pub fn set(&mut self, reading: DeviceReading, value: u64) {
        self.0[reading as usize] = Some(value);
    }

    /// Whether the device told nothing.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

/// What a device told, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceSample {
    /// When, in ticks.
    pub ticks: u64,
    /// The device's index, as the program counts devices.
    pub device: u32,
    /// What it told.
    pub readings: DeviceReadings,
}

/// Why a device runs slower than it could, against the will of its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Throttle {
    /// It draws as much as its power limit allows.
    PowerLimit,
    /// It is too hot, or its memory is: the driver slows it.
    Heat,
    /// It is so hot that the hardware halves its clock, or lowers it further.
    HardwareHeat,
    /// The power supply asks for it.
    PowerBrake,
    /// The hardware slows it without saying more.
    Hardware,
    /// Another device of its group is slowed.
    Group,
}

impl Throttle {
    /// All of them, the most telling first.
    pub const ALL: [Self; 6] = [
        Self::PowerLimit,
        Self::Heat,
        Self::HardwareHeat,
        Self::PowerBrake,
        Self::Hardware,
        Self::Group,
    ];

    /// Its bit among [`DeviceReading::ClockLimits`].
    pub const fn bit(self) -> u64 {
        match self {
            Self::PowerLimit => 0x04,
            Self::Hardware => 0x08,
            Self::Group => 0x10,
            Self::Heat => 0x20,
            Self::HardwareHeat => 0x40,
            Self::PowerBrake => 0x80,
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::PowerLimit => "power limit",
            Self::Heat => "heat",
            Self::HardwareHeat => "heat, slowed by the hardware",
            Self::PowerBrake => "power supply",
            Self::Hardware => "slowed by the hardware",
            Self::Group => "another GPU of its group is slowed",
        }
    }

    /// Those among the bits. An idle device, and clocks that somebody set, are none.
    pub fn among(bits: u64) -> impl Iterator<Item = Self> {
        let each = Self::ALL.into_iter();
        each.filter(move |one| bits & one.bit() != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_place_in_the_list() {
        for (code, reading) in DeviceReading::ALL.into_iter().enumerate() {
            assert_eq!(reading as usize, code);
            assert_eq!(DeviceReading::of(code as u64), Some(reading));
        }
        assert_eq!(DeviceReading::of(u64::MAX), None);
    }

    #[test]
    fn what_was_not_told_is_absent_and_not_zero() {
        let mut readings = DeviceReadings::default();
        assert!(readings.is_empty());
        readings.set(DeviceReading::Power, 0);
        assert_eq!(readings.get(DeviceReading::Power), Some(0));
        assert_eq!(readings.get(DeviceReading::Energy), None);
        assert!(!readings.is_empty());
    }

    #[test]
    fn an_idle_device_and_clocks_that_somebody_set_are_not_throttled() {
        let (idle, set, display) = (0x1, 0x2, 0x100);
        assert_eq!(Throttle::among(idle | set | display).count(), 0);
        let both: Vec<_> = Throttle::among(0x4 | 0x40 | idle).collect();
        assert_eq!(both, [Throttle::PowerLimit, Throttle::HardwareHeat]);
    }
}
