//! The time stamp counter of x86-64.
//!
//! Used only when the CPU promises one that neither stops nor changes its rate, and when
//! the kernel, which watches it for skew between cores, keeps time by it.

use std::arch::x86_64::{__cpuid, _rdtsc};

/// The counter. Not serialising: it may be read a few instructions early.
#[inline(always)]
#[allow(clippy::inline_always)] // see `super::now`
pub fn read() -> u64 {
    // SAFETY: every x86-64 CPU has the instruction.
    unsafe { _rdtsc() }
}

/// Whether the counter may be used as a clock, else why not.
pub fn usable() -> Result<(), &'static str> {
    // Leaf 0x8000_0007, EDX bit 8: invariant TSC.
    if __cpuid(0x8000_0000).eax < 0x8000_0007 || __cpuid(0x8000_0007).edx & (1 << 8) == 0 {
        return Err("the CPU does not promise an invariant time stamp counter");
    }
    let source =
        std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    match source.as_deref().map(str::trim) {
        Ok("tsc") => Ok(()),
        Ok(_) => Err("the kernel does not keep time by the time stamp counter"),
        Err(_) => Err("the kernel does not say which clock it keeps time by"),
    }
}

/// Nanoseconds a tick as the CPU or the hypervisor states it; the reader prefers measured anchors.
pub fn nominal_ns_per_tick() -> f64 {
    let most = __cpuid(0).eax;
    if most >= 0x15 {
        // Leaf 0x15: TSC / crystal ratio = EBX / EAX, crystal frequency in ECX (Hz).
        let leaf = __cpuid(0x15);
        if leaf.eax != 0 && leaf.ebx != 0 && leaf.ecx != 0 {
            return 1e9 * f64::from(leaf.eax) / (f64::from(leaf.ecx) * f64::from(leaf.ebx));
        }
    }
    // Hypervisor leaf 0x4000_0010: TSC frequency in kHz.
    if __cpuid(1).ecx & (1 << 31) != 0 && __cpuid(0x4000_0000).eax >= 0x4000_0010 {
        let khz = __cpuid(0x4000_0010).eax;
        if khz != 0 {
            return 1e6 / f64::from(khz);
        }
    }
    if most >= 0x16 {
        let mhz = __cpuid(0x16).eax & 0xffff;
        if mhz != 0 {
            return 1e3 / f64::from(mhz);
        }
    }
    stated_by_kernel().unwrap_or(0.5)
}

fn stated_by_kernel() -> Option<f64> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("cpu MHz"))?;
    let mhz: f64 = line.split(':').nth(1)?.trim().parse().ok()?;
    (mhz > 0.0).then(|| 1e3 / mhz)
}
