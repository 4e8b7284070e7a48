//! The processor's peak of multiply-adds, by vector instructions that wait for nothing.
//!
//! Every thread keeps [`CHAINS`] independent vector sums in registers and goes round. A multiply-add
//! has a latency of 4 to 5 cycles and up to 2 start in a cycle, so 10 chains keep all units busy;
//! 12 leave a margin and still fit the 16 registers of AVX2.

use std::hint::black_box;

/// Independent sums of each thread.
const CHAINS: usize = 12;

/// One way to keep the units busy.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// What the instructions are called.
    pub name: &'static str,
    /// FLOP of one round.
    pub flop_per_round: u64,
    /// Goes round so many times.
    pub run: fn(u64),
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_set1_pd, _mm256_set1_ps, _mm512_fmadd_pd,
        _mm512_fmadd_ps, _mm512_set1_pd, _mm512_set1_ps,
    };

    use super::{CHAINS, black_box};

    macro_rules! kernel {
        ($name:ident, $feature:literal, $set:ident, $fma:ident, $number:ty) => {
            #[target_feature(enable = $feature)]
            fn $name(rounds: u64) {
                let (factor, term) = ($set(black_box(0.5)), $set(black_box(1.0)));
                let mut sums = [$set(0.0 as $number); CHAINS];
                for _ in 0..rounds {
                    for sum in &mut sums {
                        *sum = $fma(*sum, factor, term);
                    }
                }
                black_box(sums);
            }
        };
    }

    kernel!(f32_512, "avx512f", _mm512_set1_ps, _mm512_fmadd_ps, f32);
    kernel!(f64_512, "avx512f", _mm512_set1_pd, _mm512_fmadd_pd, f64);
    kernel!(f32_256, "avx2,fma", _mm256_set1_ps, _mm256_fmadd_ps, f32);
    kernel!(f64_256, "avx2,fma", _mm256_set1_pd, _mm256_fmadd_pd, f64);

    pub fn single() -> Vec<super::Kernel> {
        let mut all = Vec::new();
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions.
            all.push(super::kernel("AVX-512", 16, |n| unsafe { f32_512(n) }));
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has these instructions.
            all.push(super::kernel("AVX2", 8, |n| unsafe { f32_256(n) }));
        }
        all
    }

    pub fn double() -> Vec<super::Kernel> {
        let mut all = Vec::new();
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions.
            all.push(super::kernel("AVX-512", 8, |n| unsafe { f64_512(n) }));
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has these instructions.
            all.push(super::kernel("AVX2", 4, |n| unsafe { f64_256(n) }));
        }
        all
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::{vdupq_n_f32, vdupq_n_f64, vfmaq_f32, vfmaq_f64};

    use super::{CHAINS, black_box};

    macro_rules! kernel {
        ($name:ident, $set:ident, $fma:ident, $number:ty) => {
            fn $name(rounds: u64) {
                // SAFETY: every aarch64 processor that Linux runs on has these instructions.
                unsafe {
                    let (factor, term) = ($set(black_box(0.5)), $set(black_box(1.0)));
                    let mut sums = [$set(0.0 as $number); CHAINS];
                    for _ in 0..rounds {
                        for sum in &mut sums {
                            *sum = $fma(term, *sum, factor);
                        }
                    }
                    black_box(sums);
                }
            }
        };
    }

    kernel!(f32_128, vdupq_n_f32, vfmaq_f32, f32);
    kernel!(f64_128, vdupq_n_f64, vfmaq_f64, f64);

    pub fn single() -> Vec<super::Kernel> {
        vec![super::kernel("NEON", 4, f32_128)]
    }

    pub fn double() -> Vec<super::Kernel> {
        vec![super::kernel("NEON", 2, f64_128)]
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn kernel(name: &'static str, lanes: u64, run: fn(u64)) -> Kernel {
    Kernel {
        name,
        flop_per_round: 2 * lanes * CHAINS as u64,
        run,
    }
}

/// Kernels of this processor for a type. Empty where there is none.
pub fn kernels(dtype: &str) -> Vec<Kernel> {
    #[cfg(target_arch = "aarch64")]
    use arm as here;
    #[cfg(target_arch = "x86_64")]
    use x86 as here;
    match dtype {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        "float32" => here::single(),
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        "float64" => here::double(),
        _ => Vec::new(),
    }
}
