//! Peaks of common accelerators, as their makers publish them.
//!
//! Dense arithmetic with 32-bit accumulation: where a datasheet gives figures "with sparsity",
//! half of them stands here. A device is known by words of the name that its driver tells.

use laptime_core::ceilings::{Bound, Ceiling, Origin};

/// Types that makers publish peaks of, and the peaks of each, TFLOP/s (10¹²).
const TYPES: [&str; 7] = [
    "float8", "int8", "bfloat16", "float16", "tfloat32", "float32", "float64",
];
type Teraflops = [f64; TYPES.len()];
/// No peak of a type is published.
const NONE: f64 = f64::NAN;

/// An accelerator.
struct Known {
    /// Words its name must have, whole and in any case. The first entry that fits counts.
    words: &'static [&'static str],
    /// Where the figures are from.
    source: &'static str,
    /// Memory bandwidth, GB/s (10⁹ bytes).
    gigabytes_per_s: f64,
    teraflops: Teraflops,
}

const H100: &str = "NVIDIA H100 Tensor Core GPU datasheet";
const A100: &str = "NVIDIA A100 Tensor Core GPU datasheet";
const V100: &str = "NVIDIA V100 Tensor Core GPU datasheet";
const HOPPER_SXM: Teraflops = [1978.9, 1978.9, 989.4, 989.4, 494.7, 66.9, 66.9];
const HOPPER_NVL: Teraflops = [1670.5, 1670.5, 835.5, 835.5, 417.5, 60.0, 60.0];
const AMPERE: Teraflops = [NONE, 624.0, 312.0, 312.0, 156.0, 19.5, 19.5];

const KNOWN: &[Known] = &[
    Known {
        words: &["B200"],
        source: "NVIDIA HGX B200 datasheet, an eighth of the board",
        gigabytes_per_s: 7750.0,
        teraflops: [4500.0, NONE, 2250.0, 2250.0, 1125.0, NONE, NONE],
    },
    Known {
        words: &["H200", "NVL"],
        source: "NVIDIA H200 Tensor Core GPU datasheet",
        gigabytes_per_s: 4800.0,
        teraflops: HOPPER_NVL,
    },
    Known {
        words: &["H200"],
        source: "NVIDIA H200 Tensor Core GPU datasheet",
        gigabytes_per_s: 4800.0,
        teraflops: HOPPER_SXM,
    },
    Known {
        words: &["H100", "PCIe"],
        source: H100,
        gigabytes_per_s: 2000.0,
        teraflops: [1513.0, 1513.0, 756.5, 756.5, 378.0, 51.0, 51.0],
    },
    Known {
        words: &["H100", "NVL"],
        source: H100,
        gigabytes_per_s: 3900.0,
        teraflops: HOPPER_NVL,
    },
    Known {
        words: &["H100"],
        source: H100,
        gigabytes_per_s: 3350.0,
        teraflops: HOPPER_SXM,
    },
    Known {
        words: &["A100", "SXM4", "40GB"],
        source: A100,
        gigabytes_per_s: 1555.0,
        teraflops: AMPERE,
    },
    Known {
        words: &["A100", "PCIE", "40GB"],
        source: A100,
        gigabytes_per_s: 1555.0,
        teraflops: AMPERE,
    },
    Known {
        words: &["A100", "80GB", "PCIe"],
        source: A100,
        gigabytes_per_s: 1935.0,
        teraflops: AMPERE,
    },
    Known {
        words: &["A100", "SXM4", "80GB"],
        source: A100,
        gigabytes_per_s: 2039.0,
        teraflops: AMPERE,
    },
    Known {
        words: &["A30"],
        source: "NVIDIA A30 Tensor Core GPU datasheet",
        gigabytes_per_s: 933.0,
        teraflops: [NONE, 330.0, 165.0, 165.0, 82.0, 10.3, 10.3],
    },
    Known {
        words: &["A10"],
        source: "NVIDIA A10 Tensor Core GPU datasheet",
        gigabytes_per_s: 600.0,
        teraflops: [NONE, 250.0, 125.0, 125.0, 62.5, 31.2, NONE],
    },
    Known {
        words: &["L40S"],
        source: "NVIDIA L40S datasheet",
        gigabytes_per_s: 864.0,
        teraflops: [733.0, 733.0, 362.05, 362.05, 183.0, 91.6, NONE],
    },
    Known {
        words: &["L40"],
        source: "NVIDIA L40 datasheet",
        gigabytes_per_s: 864.0,
        teraflops: [362.0, 362.0, 181.05, 181.05, 90.5, 90.5, NONE],
    },
    Known {
        words: &["L4"],
        source: "NVIDIA L4 datasheet, figures with sparsity halved",
        gigabytes_per_s: 300.0,
        teraflops: [242.5, 242.5, 121.0, 121.0, 60.0, 30.3, NONE],
    },
    Known {
        words: &["V100", "SXM2"],
        source: V100,
        gigabytes_per_s: 900.0,
        teraflops: [NONE, NONE, NONE, 125.0, NONE, 15.7, 7.8],
    },
    Known {
        words: &["V100", "PCIE"],
        source: V100,
        gigabytes_per_s: 900.0,
        teraflops: [NONE, NONE, NONE, 112.0, NONE, 14.0, 7.0],
    },
    Known {
        words: &["T4"],
        source: "NVIDIA T4 Tensor Core GPU datasheet",
        gigabytes_per_s: 300.0,
        teraflops: [NONE, 130.0, NONE, 65.0, NONE, 8.1, NONE],
    },
    Known {
        words: &["RTX", "4090"],
        source: "NVIDIA Ada GPU architecture whitepaper",
        gigabytes_per_s: 1008.0,
        teraflops: [NONE, NONE, 165.2, 165.2, 82.6, 82.6, NONE],
    },
    Known {
        words: &["RTX", "3090"],
        source: "NVIDIA Ampere GA102 GPU architecture whitepaper",
        gigabytes_per_s: 936.0,
        teraflops: [NONE, NONE, 71.0, 71.0, 35.6, 35.6, NONE],
    },
    Known {
        words: &["MI300X"],
        source: "AMD Instinct MI300X data sheet",
        gigabytes_per_s: 5300.0,
        teraflops: [2614.9, 2614.9, 1307.4, 1307.4, 653.7, 163.4, 163.4],
    },
    Known {
        words: &["TPU", "v4"],
        source: "Google Cloud TPU v4 documentation",
        gigabytes_per_s: 1200.0,
        teraflops: [NONE, 275.0, 275.0, NONE, NONE, NONE, NONE],
    },
    Known {
        words: &["TPU", "v5", "lite"],
        source: "Google Cloud TPU v5e documentation",
        gigabytes_per_s: 819.0,
        teraflops: [NONE, 394.0, 197.0, NONE, NONE, NONE, NONE],
    },
    Known {
        words: &["TPU", "v5p"],
        source: "Google Cloud TPU v5p documentation",
        gigabytes_per_s: 2765.0,
        teraflops: [NONE, 918.0, 459.0, NONE, NONE, NONE, NONE],
    },
    Known {
        words: &["TPU", "v6", "lite"],
        source: "Google Cloud TPU v6e documentation",
        gigabytes_per_s: 1640.0,
        teraflops: [NONE, 1836.0, 918.0, NONE, NONE, NONE, NONE],
    },
];

/// The ceilings of a device by the name its driver tells, such as `NVIDIA H100 80GB HBM3`.
/// Nothing for one that isn't known.
///
/// ```
/// let peaks = laptime_ops::published_ceilings::ceilings("cuda:0", "NVIDIA H100 80GB HBM3");
/// assert!(peaks.iter().any(|peak| peak.label() == "published bfloat16 peak of cuda:0"));
/// assert!(laptime_ops::published_ceilings::ceilings("cuda:0", "Abacus").is_empty());
/// ```
pub fn ceilings(device: &str, name: &str) -> Vec<Ceiling> {
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let has = |word: &str| words.iter().any(|other| other.eq_ignore_ascii_case(word));
    let fits = |known: &&Known| known.words.iter().all(|word| has(word));
    let Some(known) = KNOWN.iter().find(fits) else {
        return Vec::new();
    };
    let ceiling = |bound: Bound, per_s: f64| Ceiling {
        device: device.to_owned(),
        bound,
        per_s,
        origin: Origin::Published {
            source: known.source.to_owned(),
        },
    };
    let peaks = TYPES.into_iter().zip(known.teraflops);
    let peaks = peaks
        .filter(|(_, tera)| !tera.is_nan())
        .map(|(dtype, tera)| ceiling(Bound::Flop(dtype.into()), tera * 1e12));
    peaks
        .chain([ceiling(Bound::Bytes, known.gigabytes_per_s * 1e9)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bandwidth(name: &str) -> Option<f64> {
        ceilings("cuda:0", name)
            .into_iter()
            .find(|ceiling| ceiling.bound == Bound::Bytes)
            .map(|ceiling| ceiling.per_s)
    }

    #[test]
    fn devices_are_known_by_whole_words() {
        assert_eq!(bandwidth("NVIDIA A100-SXM4-40GB"), Some(1555e9));
        assert_eq!(bandwidth("NVIDIA A100 80GB PCIe"), Some(1935e9));
        assert_eq!(bandwidth("NVIDIA A10"), Some(600e9));
        assert_eq!(bandwidth("NVIDIA A10G"), None);
        assert_eq!(bandwidth("NVIDIA H100 PCIe"), Some(2000e9));
        assert_eq!(bandwidth("NVIDIA H100 80GB HBM3"), Some(3350e9));
        assert_eq!(bandwidth("Tesla T4"), Some(300e9));
        assert_eq!(bandwidth(""), None);
    }

    #[test]
    fn no_entry_hides_behind_an_earlier_one() {
        for (index, known) in KNOWN.iter().enumerate() {
            let hidden = KNOWN[..index]
                .iter()
                .any(|earlier| earlier.words.iter().all(|word| known.words.contains(word)));
            assert!(!hidden, "{:?}", known.words);
        }
    }
}
