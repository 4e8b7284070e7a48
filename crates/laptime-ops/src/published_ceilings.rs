//! Peaks of common accelerators, as their makers publish them.
//!
//! Dense arithmetic with 32-bit accumulation: where a datasheet gives figures "with sparsity",
//! half of them stands here. A device is known by words of the name that its driver tells.

use laptime_core::ceilings::{Bound, Ceiling, Origin};

/// An accelerator.
struct Known {
    /// Words its name must have, whole and in any case. The first entry that fits counts.
    words: &'static [&'static str],
    /// Where the figures are from.
    source: &'static str,
    /// Memory bandwidth, GB/s (10⁹ bytes).
    gigabytes_per_s: f64,
    /// Peaks by type, TFLOP/s (10¹²).
    teraflops: &'static [(&'static str, f64)],
}

const H100: &str = "NVIDIA H100 Tensor Core GPU datasheet";
const A100: &str = "NVIDIA A100 Tensor Core GPU datasheet";
const V100: &str = "NVIDIA V100 Tensor Core GPU datasheet";
const HOPPER_SXM: &[(&str, f64)] = &[
    ("float8", 1978.9),
    ("int8", 1978.9),
    ("bfloat16", 989.4),
    ("float16", 989.4),
    ("tfloat32", 494.7),
    ("float32", 66.9),
    ("float64", 66.9),
];
const HOPPER_NVL: &[(&str, f64)] = &[
    ("float8", 1670.5),
    ("int8", 1670.5),
    ("bfloat16", 835.5),
    ("float16", 835.5),
    ("tfloat32", 417.5),
    ("float32", 60.0),
    ("float64", 60.0),
];
const AMPERE: &[(&str, f64)] = &[
    ("int8", 624.0),
    ("bfloat16", 312.0),
    ("float16", 312.0),
    ("tfloat32", 156.0),
    ("float32", 19.5),
    ("float64", 19.5),
];

const KNOWN: &[Known] = &[
    Known {
        words: &["B200"],
        source: "NVIDIA HGX B200 datasheet, an eighth of the board",
        gigabytes_per_s: 7750.0,
        teraflops: &[
            ("float8", 4500.0),
            ("bfloat16", 2250.0),
            ("float16", 2250.0),
            ("tfloat32", 1125.0),
        ],
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
        teraflops: &[
            ("float8", 1513.0),
            ("int8", 1513.0),
            ("bfloat16", 756.5),
            ("float16", 756.5),
            ("tfloat32", 378.0),
            ("float32", 51.0),
            ("float64", 51.0),
        ],
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
        teraflops: &[
            ("int8", 330.0),
            ("bfloat16", 165.0),
            ("float16", 165.0),
            ("tfloat32", 82.0),
            ("float32", 10.3),
            ("float64", 10.3),
        ],
    },
    Known {
        words: &["A10"],
        source: "NVIDIA A10 Tensor Core GPU datasheet",
        gigabytes_per_s: 600.0,
        teraflops: &[
            ("int8", 250.0),
            ("bfloat16", 125.0),
            ("float16", 125.0),
            ("tfloat32", 62.5),
            ("float32", 31.2),
        ],
    },
    Known {
        words: &["L40S"],
        source: "NVIDIA L40S datasheet",
        gigabytes_per_s: 864.0,
        teraflops: &[
            ("float8", 733.0),
            ("int8", 733.0),
            ("bfloat16", 362.05),
            ("float16", 362.05),
            ("tfloat32", 183.0),
            ("float32", 91.6),
        ],
    },
    Known {
        words: &["L40"],
        source: "NVIDIA L40 datasheet",
        gigabytes_per_s: 864.0,
        teraflops: &[
            ("float8", 362.0),
            ("int8", 362.0),
            ("bfloat16", 181.05),
            ("float16", 181.05),
            ("tfloat32", 90.5),
            ("float32", 90.5),
        ],
    },
    Known {
        words: &["L4"],
        source: "NVIDIA L4 datasheet, figures with sparsity halved",
        gigabytes_per_s: 300.0,
        teraflops: &[
            ("float8", 242.5),
            ("int8", 242.5),
            ("bfloat16", 121.0),
            ("float16", 121.0),
            ("tfloat32", 60.0),
            ("float32", 30.3),
        ],
    },
    Known {
        words: &["V100", "SXM2"],
        source: V100,
        gigabytes_per_s: 900.0,
        teraflops: &[("float16", 125.0), ("float32", 15.7), ("float64", 7.8)],
    },
    Known {
        words: &["V100", "PCIE"],
        source: V100,
        gigabytes_per_s: 900.0,
        teraflops: &[("float16", 112.0), ("float32", 14.0), ("float64", 7.0)],
    },
    Known {
        words: &["T4"],
        source: "NVIDIA T4 Tensor Core GPU datasheet",
        gigabytes_per_s: 300.0,
        teraflops: &[("int8", 130.0), ("float16", 65.0), ("float32", 8.1)],
    },
    Known {
        words: &["RTX", "4090"],
        source: "NVIDIA Ada GPU architecture whitepaper",
        gigabytes_per_s: 1008.0,
        teraflops: &[
            ("bfloat16", 165.2),
            ("float16", 165.2),
            ("tfloat32", 82.6),
            ("float32", 82.6),
        ],
    },
    Known {
        words: &["RTX", "3090"],
        source: "NVIDIA Ampere GA102 GPU architecture whitepaper",
        gigabytes_per_s: 936.0,
        teraflops: &[
            ("bfloat16", 71.0),
            ("float16", 71.0),
            ("tfloat32", 35.6),
            ("float32", 35.6),
        ],
    },
    Known {
        words: &["MI300X"],
        source: "AMD Instinct MI300X data sheet",
        gigabytes_per_s: 5300.0,
        teraflops: &[
            ("float8", 2614.9),
            ("int8", 2614.9),
            ("bfloat16", 1307.4),
            ("float16", 1307.4),
            ("tfloat32", 653.7),
            ("float32", 163.4),
            ("float64", 163.4),
        ],
    },
    Known {
        words: &["TPU", "v4"],
        source: "Google Cloud TPU v4 documentation",
        gigabytes_per_s: 1200.0,
        teraflops: &[("bfloat16", 275.0), ("int8", 275.0)],
    },
    Known {
        words: &["TPU", "v5", "lite"],
        source: "Google Cloud TPU v5e documentation",
        gigabytes_per_s: 819.0,
        teraflops: &[("int8", 394.0), ("bfloat16", 197.0)],
    },
    Known {
        words: &["TPU", "v5p"],
        source: "Google Cloud TPU v5p documentation",
        gigabytes_per_s: 2765.0,
        teraflops: &[("int8", 918.0), ("bfloat16", 459.0)],
    },
    Known {
        words: &["TPU", "v6", "lite"],
        source: "Google Cloud TPU v6e documentation",
        gigabytes_per_s: 1640.0,
        teraflops: &[("int8", 1836.0), ("bfloat16", 918.0)],
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
    let peaks = known
        .teraflops
        .iter()
        .map(|&(dtype, tera)| ceiling(Bound::Flop(dtype.into()), tera * 1e12));
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
