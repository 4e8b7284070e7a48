//! Softmax and its logarithm.

use crate::family::softmax;
use crate::vocabulary::table::{Entry, each};

pub const TABLE: &[Entry] = &[
    each(
        "_softmax softmax special_softmax _safe_softmax _masked_softmax _sparse_softmax \
          _nested_tensor_softmax_with_shape",
        softmax::FORWARD,
    ),
    each(
        "_log_softmax log_softmax special_log_softmax _sparse_log_softmax",
        softmax::LOG_FORWARD,
    ),
    each(
        "_softmax_backward_data _masked_softmax_backward _sparse_softmax_backward_data",
        softmax::BACKWARD,
    ),
    each(
        "_log_softmax_backward_data _sparse_log_softmax_backward_data",
        softmax::LOG_BACKWARD,
    ),
];
