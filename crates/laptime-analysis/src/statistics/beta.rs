//! The beta distribution's cumulative function: the regularised incomplete beta function by its
//! continued fraction (Press et al., *Numerical Recipes*, 2007, section 6.4; Lentz 1976).
//!
//! Student's t, the binomial distribution and fractional order statistics come down to it.

/// Terms of the continued fraction: it needs about √max(a, b) of them.
const TERMS: usize = 10_000;
/// Coefficients of Lanczos' series for g = 7 (Godfrey 2001).
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// Returns the logarithm of the gamma function, for positive numbers (Lanczos 1964).
pub fn ln_gamma(of: f64) -> f64 {
    let of = of - 1.0;
    let tail = LANCZOS[1..].iter().zip(1_u32..);
    let series = LANCZOS[0] + tail.map(|(c, k)| c / (of + f64::from(k))).sum::<f64>();
    let base = of + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (of + 0.5) * base.ln() - base + series.ln()
}

/// Returns the probability that a number of the beta distribution with `a` and `b` is at most `x`.
pub fn cdf(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let factor = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    // The fraction converges fast on one side of the mean only; the other is its mirror image.
    if x < (a + 1.0) / (a + b + 2.0) {
        factor.exp() * fraction(x, a, b) / a
    } else {
        1.0 - factor.exp() * fraction(1.0 - x, b, a) / b
    }
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut below = 1.0;
    let mut above = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = above;
    for term in 1..TERMS {
        let m = term as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for coefficient in [even, odd] {
            above = 1.0 / away_from_zero(1.0 + coefficient * above);
            below = away_from_zero(1.0 + coefficient / below);
            last = above * below;
            value *= last;
        }
        if (last - 1.0_f64).abs() < 1e-15 {
            break;
        }
    }
    value
}
