//! Optimizer updates: what each parameter costs.
//!
//! Source: `PyTorch`'s fused kernels (`fused_adam_utils.cuh`, `fused_sgd.cu`, `FusedAdagrad`),
//! line by line; what depends on no parameter (bias corrections, learning rates) is left aside.

use super::work::Work;

/// Adam and `AdamW`: 12 FLOP and a root; 14 with decay, through the gradient or by itself.
///
/// `m` is a linear interpolation, 3; `v` one of the gradient's square, 4; the denominator a root, a
/// division and an addition, 2; the update a product, a division and a subtraction, 3.
pub const fn adam(decays: bool, amsgrad: bool, maximize: bool) -> Work {
    let arithmetic = 12 + 2 * decays as u32 + maximize as u32;
    Work::arithmetic(arithmetic)
        .and(Work::transcendental(1))
        .and(Work::compare(amsgrad as u32))
}

/// Stochastic gradient descent: 2 FLOP, a product and a subtraction; 4 with momentum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sgd {
    /// Weights decay, through the gradient.
    pub decay: bool,
    /// The step goes upwards.
    pub maximize: bool,
    /// The momentum, if there is one.
    pub momentum: Option<Momentum>,
}

/// A momentum: a product and an addition, on the first step a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Momentum {
    /// The gradient is dampened in the momentum: another product.
    pub dampening: bool,
    /// The step looks ahead: two more FLOP.
    pub nesterov: bool,
    /// The buffer is empty as yet.
    pub first_step: bool,
}

impl Momentum {
    const fn flop(self) -> u32 {
        let kept = if self.first_step {
            0
        } else {
            2 + self.dampening as u32
        };
        kept + 2 * self.nesterov as u32
    }
}

impl Sgd {
    /// What each parameter costs.
    pub const fn work(self) -> Work {
        let momentum = match self.momentum {
            Some(momentum) => momentum.flop(),
            None => 0,
        };
        Work::arithmetic(2 + 2 * self.decay as u32 + self.maximize as u32 + momentum)
    }
}

/// Adagrad: 6 FLOP and a root. The sum of squares takes 2, the denominator 1, the update 3.
pub const fn adagrad(decays: bool, maximize: bool) -> Work {
    let arithmetic = 6 + 2 * decays as u32 + maximize as u32;
    Work::arithmetic(arithmetic).and(Work::transcendental(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::by_hand::assert_works;

    // m + (1 − β₁) (g − m); β₂ v + (1 − β₂) g · g; √v / correction + ε; p − lr · m / denominator.
    const ADAM: &str = "sub mul add mul mul mul add sqrt div add mul div sub";

    #[test]
    fn adam_and_adagrad_by_hand() {
        let decayed = format!("{ADAM} mul sub");
        let upwards = format!("{ADAM} neg");
        let largest = format!("{ADAM} max");
        assert_works([
            (("adam", ADAM, [120, 10, 0, 0]), adam(false, false, false)),
            (
                ("decay", &decayed, [140, 10, 0, 0]),
                adam(true, false, false),
            ),
            (
                ("amsgrad", &largest, [120, 10, 10, 0]),
                adam(false, true, false),
            ),
            (
                ("maximize", &upwards, [130, 10, 0, 0]),
                adam(false, false, true),
            ),
            // Σ g · g; √Σ + ε; p − lr · g / denominator.
            (
                ("adagrad", "mul add sqrt add mul div sub", [60, 10, 0, 0]),
                adagrad(false, false),
            ),
            (
                (
                    "decay",
                    "mul add mul add sqrt add mul div sub",
                    [80, 10, 0, 0],
                ),
                adagrad(true, false),
            ),
            (
                (
                    "maximize",
                    "neg mul add sqrt add mul div sub",
                    [70, 10, 0, 0],
                ),
                adagrad(false, true),
            ),
        ]);
    }

    #[test]
    fn sgd_by_hand() {
        let plain = Sgd {
            decay: false,
            maximize: false,
            momentum: None,
        };
        let kept = Momentum {
            dampening: false,
            nesterov: false,
            first_step: false,
        };
        let with = |momentum| {
            let momentum = Some(momentum);
            Sgd { momentum, ..plain }.work()
        };
        let first = Momentum {
            first_step: true,
            ..kept
        };
        let dampened = Momentum {
            dampening: true,
            ..kept
        };
        let ahead = Momentum {
            nesterov: true,
            ..kept
        };
        let decayed = Sgd {
            decay: true,
            ..plain
        };
        let upwards = Sgd {
            maximize: true,
            ..plain
        };
        // p − lr · g; decay g + λ · p; momentum μ · b + g; looking ahead g + μ · b.
        assert_works([
            (("plain", "mul sub", [20, 0, 0, 0]), plain.work()),
            (("decay", "mul add mul sub", [40, 0, 0, 0]), decayed.work()),
            (("maximize", "neg mul sub", [30, 0, 0, 0]), upwards.work()),
            (("momentum", "mul add mul sub", [40, 0, 0, 0]), with(kept)),
            (
                ("its first step copies", "mul sub", [20, 0, 0, 0]),
                with(first),
            ),
            (
                ("dampened", "mul mul add mul sub", [50, 0, 0, 0]),
                with(dampened),
            ),
            (
                ("ahead", "mul add mul add mul sub", [60, 0, 0, 0]),
                with(ahead),
            ),
        ]);
    }
}
