//! `conv_general_dilated`: convolutions, transposed ones, and the gradients of both.
//!
//! Source: the definition of XLA's `ConvWithGeneralPadding`. An output element meets each tap of
//! the kernel once, padding included, except taps on the zeros that `lhs_dilation` puts between
//! elements: there each *input* element meets each tap (`ConvTranspose`'s formula). A gradient
//! costs what its forward costs; which of its three sizes were the forward's follows from how
//! JAX's transpose rules build it: the input's gradient slides the kernel over the result's, the
//! kernel's gradient slides the result's over the input.

use crate::event::Event;
use crate::family::matmul;
use crate::outcome::Outcome;
use crate::tensor::Tensor;

/// What one call costs.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    (name == "conv_general_dilated").then(|| match mac(event) {
        Ok(mac) => Outcome::Counted(matmul::cost(event, mac, 0)),
        Err(reason) => Outcome::uncounted(reason),
    })
}

/// Multiply-accumulates: `batch / batch groups · taps by place · kernel's features`.
fn mac(event: &Event) -> Result<u128, &'static str> {
    const UNKNOWN: &str = "its dimension numbers are not those of its operands";
    let mut inputs = event.inputs();
    let sizes = |tensor: Option<&Tensor>, specification: &str| {
        let specification = event.ints(specification)?;
        let sizes: Option<Vec<u128>> = specification.iter().map(|at| tensor?.dim(*at)).collect();
        sizes.filter(|sizes| sizes.len() >= 2)
    };
    let left = sizes(inputs.next(), "dimension_numbers.lhs_spec").ok_or(UNKNOWN)?;
    let kernel = sizes(inputs.next(), "dimension_numbers.rhs_spec").ok_or(UNKNOWN)?;
    let output = sizes(event.output(), "dimension_numbers.out_spec").ok_or(UNKNOWN)?;
    if left.len() != kernel.len() || left.len() != output.len() {
        return Err(UNKNOWN);
    }
    let parameter = |name: &str, at: usize| {
        let value = event.ints(name).and_then(|values| values.get(at).copied());
        u128::try_from(value.unwrap_or(1)).map_or(1, |value| value.max(1))
    };
    let groups = parameter("batch_group_count", 0);
    let features = kernel[0].saturating_mul(kernel[1]);
    (2..left.len()).try_fold((left[0] / groups).saturating_mul(features), |all, place| {
        let is_strided = parameter("window_strides", place - 2) > 1;
        let is_dilated = parameter("lhs_dilation", place - 2) > 1;
        // Pairs of an element and a tap that the convolution, or the one it is the gradient of, has.
        let (elements, taps) = match event.text("gradient") {
            _ if is_dilated && is_strided => {
                return Err("it strides over an input that is dilated");
            }
            Some("input") if is_strided => (output[place], kernel[place]),
            Some("input") => (left[place], kernel[place]),
            Some(_) if is_dilated => (left[place], output[place]),
            None if is_dilated => (left[place], kernel[place]),
            Some(_) | None => (output[place], kernel[place]),
        };
        Ok(all.saturating_mul(elements.saturating_mul(taps)))
    })
}
