//! What was read of devices on its way into the recording: the collector starts it, and writes what it read.

use crate::registry;
use crate::telemetry::{Sampler, Told, Watch};

/// One turn of the collector: reading begins once the driver is loaded, and what was read is written.
pub fn follow(watch: &mut Watch) {
    if let Some(driver) = watch.look() {
        keep(Sampler::start(driver));
    }
    let told = registry::with(|registry| {
        let disk = registry.disk.as_ref();
        let devices = disk.and_then(|disk| disk.devices.as_ref());
        devices.map_or_else(Vec::new, Sampler::take)
    });
    write(told);
}

/// Makes it the recording's, unless that is being closed: then it is over at once.
fn keep(started: Option<Sampler>) {
    let left = registry::with(|registry| {
        let disk = registry.disk.as_mut().filter(|disk| !disk.stop);
        match disk {
            Some(disk) => std::mem::replace(&mut disk.devices, started),
            None => started,
        }
    });
    // The recording ends only after this turn, so what was read meanwhile can still be written.
    if let Some(mut left) = left {
        left.stop();
        write(left.take());
    }
}

/// Ends the reading of devices, and writes what is left of it.
pub fn finish() {
    let devices = registry::with(|registry| registry.disk.as_mut()?.devices.take());
    if let Some(mut devices) = devices {
        devices.stop();
        write(devices.take());
    }
}

fn write(told: Vec<Told>) {
    if told.is_empty() {
        return;
    }
    let taken = registry::with(|registry| {
        let disk = registry.disk.as_mut()?;
        Some((disk.scribe.take()?, std::mem::take(&mut disk.device_book)))
    });
    let Some((mut scribe, mut book)) = taken else {
        return;
    };
    for one in told {
        book.write(one, &mut scribe);
    }
    registry::with(|registry| {
        if let Some(disk) = registry.disk.as_mut() {
            disk.scribe = Some(scribe);
            disk.device_book = book;
        }
    });
}
