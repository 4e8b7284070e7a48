//! Memory bandwidth: every thread streams over arrays that no cache holds.
//!
//! Two kernels after STREAM (`McCalpin` 1995): *sum* reads, *triad* (`a = b + s·c`) reads two arrays
//! and writes one. Bytes are compulsory ones, as operations are counted: a line that is fetched
//! before it is overwritten counts once, as written.

use std::hint::black_box;

/// Where the size of the last cache is told, when it is.
const LAST_CACHE: &str = "/sys/devices/system/cpu/cpu0/cache/index3/size";

/// Bytes of all arrays together: four times the last cache, within these bounds.
const LEAST: usize = 192 << 20;
const MOST: usize = 768 << 20;

/// What one thread streams over.
#[derive(Debug)]
pub struct Arrays {
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

impl Arrays {
    /// The arrays of one of so many threads, every page touched.
    pub fn new(threads: usize) -> Self {
        let length = bytes() / 3 / threads / size_of::<f64>();
        Self {
            a: vec![1.0; length],
            b: vec![2.0; length],
            c: vec![3.0; length],
        }
    }

    /// Bytes that [`Arrays::sum`] reads.
    pub fn sum_bytes(&self) -> u64 {
        (self.b.len() * size_of::<f64>()) as u64
    }

    /// Bytes that [`Arrays::triad`] reads and writes.
    pub fn triad_bytes(&self) -> u64 {
        (3 * self.a.len() * size_of::<f64>()) as u64
    }

    /// Reads an array.
    pub fn sum(&mut self) {
        // Sixty-four sums: enough independent vectors for the adder to be faster than memory.
        let mut sums = [0.0; 64];
        for chunk in self.b.chunks_exact(64) {
            for (sum, value) in sums.iter_mut().zip(chunk) {
                *sum += value;
            }
        }
        black_box(sums);
    }

    /// Reads two and writes one.
    pub fn triad(&mut self) {
        let factor = black_box(0.5);
        for ((a, b), c) in self.a.iter_mut().zip(&self.b).zip(&self.c) {
            *a = *b + factor * *c;
        }
        black_box(&mut self.a);
    }
}

fn bytes() -> usize {
    let cache = std::fs::read_to_string(LAST_CACHE).ok();
    let kibibytes = cache.and_then(|text| text.trim().strip_suffix('K')?.parse::<usize>().ok());
    kibibytes.map_or(LEAST, |kibibytes| (kibibytes * 4096).clamp(LEAST, MOST))
}
