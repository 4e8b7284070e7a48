//! Values of other packages: `scipy` 1.17 and `statsmodels` 0.15, of the same series.
//!
//! The numbers were printed by these packages' `mannwhitneyu` (exact where no values are equal and eight or fewer
//! stand on a side), `acf`, `multipletests` (`fdr_bh`), and the
//! `cdf` and `sf` of `norm`, `t` and `beta`.

use super::*;
use crate::statistics::quantiles;

/// A value of an exponential distribution, as far as a whole number of so many digits is a random one.
fn value(seed: u32, index: u32, level: u32) -> f64 {
    let share = f64::from((index * 7_919 + seed * 104_729 + level * 31) % 1_009) + 0.5;
    -(1.0 - share / 1_009.0).ln() * f64::from(4 + 3 * level)
}

/// Two series, the second a longer one on average; with ties they are whole numbers.
fn pair(seed: u32, one: u32, other: u32, ties: bool) -> [Vec<f64>; 2] {
    [(one, 0), (other, 1)].map(|(count, level)| {
        let values = (0..count).map(|index| value(seed, index, level));
        let rounded = |value: f64| if ties { (value + 0.5).floor() } else { value };
        values.map(rounded).collect()
    })
}

fn assert_near(ours: f64, theirs: f64, what: &str) {
    let off = (ours - theirs).abs();
    assert!(
        off <= 1e-9 * theirs.abs() + 1e-12,
        "{what}: {ours}, not {theirs}"
    );
}

/// Seed, counts, ties; then U, its probability, median of the first, and the shift.
#[rustfmt::skip]
const PAIRS: [(u32, u32, u32, bool, [f64; 4]); 24] = [
    (0, 5, 6, false, [20.0, 0.428_571_428_571, 3.155_018_914_63, 1.710_360_446_1]),
    (0, 5, 6, true, [19.0, 0.520_915_910_54, 3.0, 1.5]),
    (0, 8, 40, false, [210.0, 0.174_213_417_937, 2.579_109_587_77, 1.859_269_235_65]),
    (0, 8, 40, true, [208.5, 0.182_809_960_085, 2.5, 2.0]),
    (0, 60, 35, false, [1_356.0, 0.018_424_057_010_8, 2.746_145_597_76, 1.901_537_248_95]),
    (0, 60, 35, true, [1_357.0, 0.017_435_799_054_5, 3.0, 2.0]),
    (1, 5, 6, false, [19.0, 0.536_796_536_797, 2.709_657_237_36, 1.280_123_498_12]),
    (1, 5, 6, true, [18.0, 0.646_575_718_736, 3.0, 1.0]),
    (1, 8, 40, false, [200.0, 0.280_389_490_054, 3.418_830_305_07, 1.543_224_432_59]),
    (1, 8, 40, true, [198.0, 0.298_073_343_459, 3.5, 2.0]),
    (1, 60, 35, false, [1_371.0, 0.013_409_246_183, 2.694_108_082_27, 1.996_698_030_86]),
    (1, 60, 35, true, [1_373.0, 0.012_328_842_150_1, 3.0, 2.0]),
    (2, 5, 6, false, [16.0, 0.930_735_930_736, 2.308_951_759_54, 0.527_869_868_852]),
    (2, 5, 6, true, [15.5, 1.0, 2.0, 0.0]),
    (2, 8, 40, false, [183.0, 0.540_720_784_325, 3.288_811_288_52, 0.988_752_906_986]),
    (2, 8, 40, true, [184.0, 0.514_007_771_249, 3.5, 1.0]),
    (2, 60, 35, false, [1_345.0, 0.023_079_454_965_6, 2.858_441_861_79, 1.750_891_127_86]),
    (2, 60, 35, true, [1_347.0, 0.021_431_164_535_2, 3.0, 2.0]),
    (3, 5, 6, false, [21.0, 0.329_004_329_004, 1.944_757_662_84, 1.811_482_794_51]),
    (3, 5, 6, true, [21.0, 0.313_092_754_133, 2.0, 2.0]),
    (3, 8, 40, false, [215.0, 0.133_600_255_471, 2.261_942_542_04, 2.085_526_105_86]),
    (3, 8, 40, true, [210.5, 0.165_021_383_349, 2.5, 2.0]),
    (3, 60, 35, false, [1_341.0, 0.025_009_487_061_2, 2.675_858_071_74, 1.608_764_444_19]),
    (3, 60, 35, true, [1_334.5, 0.027_557_104_680_9, 3.0, 2.0]),
];

#[test]
fn ranks_say_what_scipy_says() {
    for (seed, one, other, ties, theirs) in PAIRS {
        let [mut base, new] = pair(seed, one, other, ties);
        let found = mann_whitney::test(&base, &new).unwrap();
        let shift = shift::estimate(&base, &new).unwrap();
        base.sort_unstable_by(f64::total_cmp);
        let ours = [
            ("U", found.u),
            ("probability", found.p_value),
            ("median", quantiles::median(&base).unwrap()),
            ("shift", shift),
        ];
        for ((what, ours), theirs) in ours.into_iter().zip(theirs) {
            assert_near(
                ours,
                theirs,
                &format!("{what} of {seed} {one} {other} {ties}"),
            );
        }
    }
}

#[test]
fn correlation_says_what_statsmodels_says() {
    let theirs = [
        (0.841_208_093_441, 0.537_713_588_112),
        (0.850_664_372_378, 0.553_797_113_294),
        (0.915_785_343_989, 0.749_927_408_61),
        (0.925_419_762_916, 0.788_096_683_705),
    ];
    for (seed, (first, third)) in (0..).zip(theirs) {
        let mut sum = 0.0;
        let walk = (0..200).map(|index| {
            sum += value(seed, index, 0) - 4.0;
            sum
        });
        let walk: Vec<f64> = walk.collect();
        assert_near(autocorrelation::at_lag(&walk, 1).unwrap(), first, "lag 1");
        assert_near(autocorrelation::at_lag(&walk, 3).unwrap(), third, "lag 3");
    }
}

#[test]
fn false_discoveries_say_what_statsmodels_says() {
    let theirs: [&[f64]; 4] = [
        &[0.503_108_464_948],
        &[0.205_575_709_944, 0.168_692_712_701],
        &[
            0.314_663_040_796,
            0.164_115_010_098,
            0.062_335_637_351_5,
            0.009_194_145_564_84,
            0.878_885_048_54,
            0.611_428_900_503,
            0.392_710_942_677,
        ],
        &[
            0.234_431_737_098,
            0.115_936_346_836,
            0.039_123_580_889_7,
            0.003_524_097_200_89,
            0.809_846_856_826,
            0.570_504_973_363,
            0.331_558_462_597,
            0.186_293_877_307,
            0.082_821_647_383_4,
            0.021_048_340_223_1,
            0.000_133_062_384_458,
            0.720_013_036_281,
        ],
    ];
    for theirs in theirs {
        let count = theirs.len() as u32;
        let p_values = (0..count).map(|index| {
            let share = f64::from((index * 7_919 + count * 104_729) % 1_009) + 0.5;
            (share / 1_009.0).powi(3)
        });
        let ours = false_discoveries::adjusted(&p_values.collect::<Vec<_>>());
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            assert_near(ours, *theirs, "adjusted");
        }
    }
}

/// Degrees of freedom and x; then the share of normal values below x, of Student's values at least as far from
/// zero, and of the beta distribution with the freedom and one more below that first share.
#[rustfmt::skip]
const DISTRIBUTIONS: [(f64, f64, [f64; 3]); 32] = [
    (1.0, -8.0, [6.220_960_574_271_74e-16, 0.079_166_848_321_1, 1.244_192_114_85e-15]),
    (1.0, -3.1, [0.000_967_603_213_218_356, 0.198_652_184_398, 0.001_934_270_170_46]),
    (1.0, -0.5, [0.308_537_538_725_987, 0.704_832_764_699, 0.521_879_664_649]),
    (1.0, 0.0, [0.5, 1.0, 0.75]),
    (1.0, 1e-9, [0.500_000_000_398_942, 1.0, 0.750_000_000_399]),
    (1.0, 1.0, [0.841_344_746_068_543, 0.5, 0.974_828_510_4]),
    (1.0, 2.9, [0.998_134_186_699_616, 0.211_395_622_64, 0.999_996_518_741]),
    (1.0, 3.1, [0.999_032_396_786_782, 0.198_652_184_398, 0.999_999_063_744]),
    (2.5, -8.0, [6.220_960_574_271_74e-16, 0.007_656_644_131_04, 1.048_751_153_92e-37]),
    (2.5, -3.1, [0.000_967_603_213_218_356, 0.067_788_378_324_9, 3.158_795_115_93e-7]),
    (2.5, -0.5, [0.308_537_538_725_987, 0.657_697_919_87, 0.312_466_220_891]),
    (2.5, 0.0, [0.5, 1.0, 0.669_765_272_631]),
    (2.5, 1e-9, [0.500_000_000_398_942, 0.999_999_999_276, 0.669_765_273_309]),
    (2.5, 1.0, [0.841_344_746_068_543, 0.404_061_027_278, 0.989_864_119_598]),
    (2.5, 2.9, [0.998_134_186_699_616, 0.077_821_607_696_5, 0.999_999_997_827]),
    (2.5, 3.1, [0.999_032_396_786_782, 0.067_788_378_324_9, 0.999_999_999_782]),
    (10.0, -8.0, [6.220_960_574_271_74e-16, 1.177_494_278_97e-5, 1.603_884_317_5e-147]),
    (10.0, -3.1, [0.000_967_603_213_218_356, 0.011_250_657_216_1, 1.317_497_471_23e-25]),
    (10.0, -0.5, [0.308_537_538_725_987, 0.627_893_605_743, 0.057_333_460_772_2]),
    (10.0, 0.0, [0.5, 1.0, 0.588_098_526_001]),
    (10.0, 1e-9, [0.500_000_000_398_942, 0.999_999_999_222, 0.588_098_527_407]),
    (10.0, 1.0, [0.841_344_746_068_543, 0.340_893_132_302, 0.999_934_045_158]),
    (10.0, 2.9, [0.998_134_186_699_616, 0.015_833_599_297_8, 1.0]),
    (10.0, 3.1, [0.999_032_396_786_782, 0.011_250_657_216_1, 1.0]),
    (300.0, -8.0, [6.220_960_574_271_74e-16, 2.735_015_390_15e-14, 0.0]),
    (300.0, -3.1, [0.000_967_603_213_218_356, 0.002_118_896_050_1, 0.0]),
    (300.0, -0.5, [0.308_537_538_725_987, 0.617_441_622_554, 1.280_439_722_55e-22]),
    (300.0, 0.0, [0.5, 1.0, 0.516_279_965_667]),
    (300.0, 1e-9, [0.500_000_000_398_942, 0.999_999_999_203, 0.516_279_973_461]),
    (300.0, 1.0, [0.841_344_746_068_543, 0.318_116_404_431, 1.0]),
    (300.0, 2.9, [0.998_134_186_699_616, 0.004_007_315_510_68, 1.0]),
    (300.0, 3.1, [0.999_032_396_786_782, 0.002_118_896_050_1, 1.0]),
];

#[test]
fn distributions_say_what_scipy_says() {
    for (freedom, x, [below, far, share]) in DISTRIBUTIONS {
        let ours = normal::cdf(x);
        assert!((ours / below - 1.0).abs() < 1e-12, "{x}: {ours}");
        assert!((normal::quantile(ours) - x).abs() < 1e-6, "{x}");
        let ours = [
            student::two_sided(x, freedom),
            beta::cdf(below, freedom, freedom + 1.0),
        ];
        for (ours, theirs) in ours.into_iter().zip([far, share]) {
            let off = (ours - theirs).abs();
            assert!(off <= 1e-9 * theirs, "{freedom} {x}: {ours}, not {theirs}");
        }
    }
}
