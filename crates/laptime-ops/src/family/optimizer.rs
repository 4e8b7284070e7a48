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
    use crate::tensor::Dtype;

    #[test]
    fn adamw_takes_fourteen_flop_and_a_root() {
        let cost = adam(true, false, false).on(100, Dtype::F32);
        assert_eq!((cost.other_flop, cost.transcendental), (1400, 100));
        let cost = adam(false, true, true).on(100, Dtype::F32);
        assert_eq!((cost.other_flop, cost.compare), (1300, 100));
    }

    #[test]
    fn sgd_takes_two_flop_and_four_with_momentum() {
        let plain = Sgd {
            decay: false,
            maximize: false,
            momentum: None,
        };
        assert_eq!(plain.work(), Work::arithmetic(2));
        let kept = Momentum {
            dampening: false,
            nesterov: false,
            first_step: false,
        };
        let momentum = Sgd {
            momentum: Some(kept),
            ..plain
        };
        assert_eq!(momentum.work(), Work::arithmetic(4));
        let first = Momentum {
            first_step: true,
            ..kept
        };
        let first = Sgd {
            momentum: Some(first),
            ..plain
        };
        assert_eq!(first.work(), Work::arithmetic(2));
    }
}
