//! Summaries of devices: of each the whole time in which it was sampled, and the steady state.

use laptime_core::{DeviceReading as Reading, DeviceReadings};

use super::energy::NoEnergy;
use super::sample_stretch::{absent, stretch, thousandths};
use super::samples::SampledDevice;
use super::summary::{DeviceStretch, DeviceSummary};
use crate::reading::process::Process;
use crate::summary::Steady;

/// Start and end of a process's steady state, in ticks.
pub type SteadyTicks = Option<(u64, u64)>;

/// Returns the devices of all processes; `steady` has the start and end of each process's steady state.
pub fn devices(
    processes: &[Process],
    steady: &[SteadyTicks],
    told: Option<&Steady>,
    ranks: usize,
) -> Vec<DeviceSummary> {
    let steps = told.and_then(|told| steps(told, ranks));
    let mut summaries: Vec<DeviceSummary> = Vec::new();
    for (process, steady) in processes.iter().zip(steady) {
        for (index, device) in &process.features.devices.0 {
            let made = summary(
                process,
                *index,
                device,
                steady.filter(|_| told.is_some()),
                steps,
            );
            let Some(made) = made else {
                continue;
            };
            // Two processes on one device saw the same: the one that looked longer tells.
            let mut known = summaries.iter_mut();
            let known = known.find(|known| known.uuid == made.uuid && !made.uuid.is_empty());
            match known {
                Some(known) if known.whole.sample_count >= made.whole.sample_count => {}
                Some(known) => *known = made,
                None => summaries.push(made),
            }
        }
    }
    summaries
}

/// Returns how many steps one process took in the steady state.
fn steps(told: &Steady, ranks: usize) -> Option<u64> {
    let row = told.rows.iter().find(|row| row.path == told.step_path)?;
    let steps = row.count? / ranks.max(1) as u64;
    (steps > 0).then_some(steps)
}

fn summary(
    process: &Process,
    index: u32,
    device: &SampledDevice,
    steady: SteadyTicks,
    steps: Option<u64>,
) -> Option<DeviceSummary> {
    let samples: Vec<(u64, DeviceReadings)> = device.samples.iter().collect();
    let mut whole = stretch(process, device, &samples)?;
    // Of all samples, also of those that were thinned out.
    let most = |reading: Reading| device.most[reading as usize];
    whole.sample_count = device.samples.pushed_count();
    whole.memory_peak_bytes = most(Reading::Memory);
    whole.process_memory_peak_bytes = most(Reading::ProcessMemory);
    whole.power_peak_w = most(Reading::Power).map(thousandths);
    whole.temperature_peak_celsius = most(Reading::Temperature);
    energy(&mut whole, device, device.energy.whole());
    no_step_energy(
        &mut whole,
        "a step's energy is told of the steady state only",
    );
    let steady = steady.and_then(|(from, to)| {
        let inside = samples.iter().filter(|(at, _)| (from..=to).contains(at));
        let inside: Vec<_> = inside.copied().collect();
        let mut told = stretch(process, device, &inside)?;
        energy(&mut told, device, device.energy.inside(from, to));
        match (told.energy_j, steps) {
            (Some(joules), Some(steps)) => told.energy_per_step_j = Some(joules / steps as f64),
            _ => no_step_energy(&mut told, "there is no energy to share out"),
        }
        Some(told)
    });
    Some(DeviceSummary {
        device: index,
        uuid: device.uuid.clone(),
        name: device.name.clone(),
        pid: process.facts.header.pid,
        whole,
        steady,
    })
}

fn no_step_energy(told: &mut DeviceStretch, why: &str) {
    absent(told, "energy_per_step_j", why);
}

fn energy(told: &mut DeviceStretch, device: &SampledDevice, found: Result<f64, NoEnergy>) {
    match found {
        Ok(mj) => told.energy_j = Some(mj / 1e3),
        Err(lack) => absent(told, "energy_j", device.no_energy(lack)),
    }
}
