//! A copy of the fake management library, and what a test does to it.

use std::path::{Path, PathBuf};

use libloading::Library;

use crate::build::built;
use crate::cuda::take_out;

/// A fake management library of a test's own.
#[derive(Debug)]
pub struct FakeNvml {
    path: PathBuf,
    folder: tempfile::TempDir,
}

impl Default for FakeNvml {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeNvml {
    /// A whole one.
    pub fn new() -> Self {
        Self::without(&[])
    }

    /// One that lacks some functions.
    pub fn without(functions: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the fake");
        let path = folder.path().join("libnvidia-ml.so.1");
        let mut bytes = std::fs::read(built("laptime_fake_nvml")).expect("the fake is there");
        for function in functions {
            take_out(&mut bytes, function);
        }
        std::fs::write(&path, bytes).expect("a place to write to");
        Self { path, folder }
    }

    /// The library.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that it lies in, for `LD_LIBRARY_PATH`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Steers the management library that a program has loaded under its usual name.
#[derive(Debug)]
pub struct LoadedNvml(&'static Library);

impl LoadedNvml {
    /// Loads it as programs do.
    ///
    /// **Panics** where `LD_LIBRARY_PATH` has none.
    pub fn open() -> Self {
        // SAFETY: a library of ours, which runs nothing when it is opened.
        let library = unsafe { Library::new("libnvidia-ml.so.1") }.expect("the fake is found");
        Self(Box::leak(Box::new(library)))
    }

    fn call<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the callers below know the functions of the fake.
        *unsafe { self.0.get::<F>(name.as_bytes()) }.expect("a function of the fake")
    }

    /// What a device tells, call by call, and then the last one again.
    pub fn series(&self, device: u32, reading: u32, values: &[u64]) {
        let series = self.call::<extern "C" fn(u32, u32, *const u64, usize)>("fake_nvml_series");
        series(device, reading, values.as_ptr(), values.len());
    }

    /// All calls for a number of a device fail from now on.
    pub fn fail(&self, device: u32, reading: u32, code: i32) {
        self.call::<extern "C" fn(u32, u32, i32)>("fake_nvml_fail")(device, reading, code);
    }

    /// Every n-th call fails from now on; 0 for none.
    pub fn fail_every(&self, n: u64, code: i32) {
        self.call::<extern "C" fn(u64, i32)>("fake_nvml_fail_every")(n, code);
    }

    /// A device falls off the bus.
    pub fn lose(&self, device: u32) {
        self.call::<extern "C" fn(u32)>("fake_nvml_lose")(device);
    }

    /// A device has an instance of MIG.
    pub fn split(&self, device: u32) {
        self.call::<extern "C" fn(u32)>("fake_nvml_split")(device);
    }

    /// Processes are listed by numbers of another namespace.
    pub fn contain(&self) {
        self.call::<extern "C" fn()>("fake_nvml_contain")();
    }

    /// Calls never return from now on.
    pub fn get_stuck(&self) {
        self.call::<extern "C" fn()>("fake_nvml_get_stuck")();
    }

    /// How often a device was asked for a number.
    pub fn made(&self, device: u32, reading: u32) -> usize {
        self.call::<extern "C" fn(u32, u32) -> usize>("fake_nvml_made")(device, reading)
    }

    /// How often the library was called.
    pub fn calls(&self) -> u64 {
        self.call::<extern "C" fn() -> u64>("fake_nvml_calls")()
    }

    /// How many uses of it were started and not ended.
    pub fn started(&self) -> u64 {
        self.call::<extern "C" fn() -> u64>("fake_nvml_started")()
    }
}
