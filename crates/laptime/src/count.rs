//! Counting operations that a program tells.
//!
//! For programs whose framework can't be watched: each call tells one operation by its sizes, and
//! [`Count::finish`] gives the account. Operators have `PyTorch`'s names, and [`Count::operator`]
//! takes any that Laptime knows; what can't be counted is listed with its reason.

use laptime_ops::{Event, Ledger, Outcome, Repeat, Signature};

pub use laptime_core::Phase;
pub use laptime_core::operations::{Cost, Counts};
pub use laptime_ops::{Argument, Dtype, Formulas, Tensor};
#[cfg(feature = "report")]
pub use laptime_report::Format;

/// Operations told one by one.
///
/// ```
/// use laptime::count::{Count, Dtype};
///
/// // A linear layer of 256 → 1024 on 64 rows, a ReLU, and back.
/// let counts = Count::new(Dtype::F32)
///     .module("first")
///     .matmul(1, 64, 1024, 256)
///     .module("act")
///     .elementwise("relu", &[&[64, 1024]], &[64, 1024])
///     .module("second")
///     .matmul(1, 64, 256, 1024)
///     .finish();
/// assert_eq!(counts.total.total().cost.mac, 2 * 64 * 256 * 1024);
/// assert!(counts.uncounted.is_empty());
/// ```
#[derive(Debug)]
pub struct Count {
    ledger: Ledger,
    dtype: Dtype,
    place: Event,
    params: Option<u64>,
}

impl Count {
    /// An empty account. Numbers are of this type until [`Count::dtype`] says otherwise.
    pub fn new(dtype: Dtype) -> Self {
        Self::with(Formulas::standard(), dtype)
    }

    /// An empty account that counts by the user's formulas too.
    ///
    /// ```
    /// use laptime::count::{Cost, Count, Dtype, Formulas, Tensor};
    ///
    /// let mut formulas = Formulas::standard();
    /// formulas.register("mine::scan", |event| {
    ///     Ok(Cost { other_flop: 3 * event.output_elements(), ..Cost::default() })
    /// });
    /// let counts = Count::with(formulas, Dtype::F32)
    ///     .operator("mine::scan", &[], &[Tensor::f32([10])])
    ///     .finish();
    /// assert_eq!(counts.total.total().cost.other_flop, 30);
    /// ```
    pub fn with(formulas: Formulas, dtype: Dtype) -> Self {
        Self {
            ledger: Ledger::new(formulas),
            dtype,
            place: Event::new(Signature::new("", &[]), Vec::new(), Vec::new()),
            params: None,
        }
    }

    /// The type of the numbers from here on.
    #[must_use]
    pub fn dtype(self, dtype: Dtype) -> Self {
        Self { dtype, ..self }
    }

    /// The module, by its dotted path, that calls from here on belong to. Counts a call of it.
    #[must_use]
    pub fn module(mut self, path: &str) -> Self {
        let module = self.ledger.modules.id(path);
        self.ledger.modules.get_mut(module).calls += 1;
        self.place.module = module;
        self
    }

    /// What calls from here on are for.
    #[must_use]
    pub fn phase(mut self, phase: Phase) -> Self {
        self.place.phase = phase;
        self
    }

    /// How often each call from here on happens.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.place.repeat = Repeat::Times(times);
        self
    }

    /// How many parameters the model has.
    #[must_use]
    pub fn params(mut self, params: u64) -> Self {
        self.params = Some(params);
        self
    }

    /// `batch` products of `[m, k]` and `[k, n]`.
    #[must_use]
    pub fn matmul(self, batch: u64, m: u64, n: u64, k: u64) -> Self {
        let arguments = [
            ("self", self.argument(&[batch, m, k])),
            ("mat2", self.argument(&[batch, k, n])),
        ];
        let result = self.tensor(&[batch, m, n]);
        self.operator("aten::bmm", &arguments, &[result])
    }

    /// A convolution, grouped or not, by its shapes: input `[batch, C_in, …]`, weight
    /// `[C_out, C_in / groups, …]`, output `[batch, C_out, …]`.
    ///
    /// ```
    /// use laptime::count::{Count, Dtype};
    ///
    /// // Depthwise, 3 × 3.
    /// let counts = Count::new(Dtype::F32)
    ///     .conv(&[1, 64, 32, 32], &[64, 1, 3, 3], &[1, 64, 32, 32])
    ///     .finish();
    /// assert_eq!(counts.total.total().cost.mac, 9 * 64 * 32 * 32);
    /// ```
    #[must_use]
    pub fn conv(self, input: &[u64], weight: &[u64], output: &[u64]) -> Self {
        self.convolution(input, weight, output, false)
    }

    /// A transposed convolution: weight `[C_in, C_out / groups, …]`.
    #[must_use]
    pub fn conv_transpose(self, input: &[u64], weight: &[u64], output: &[u64]) -> Self {
        self.convolution(input, weight, output, true)
    }

    fn convolution(self, input: &[u64], weight: &[u64], output: &[u64], transposed: bool) -> Self {
        let arguments = [
            ("input", self.argument(input)),
            ("weight", self.argument(weight)),
            ("transposed", Argument::Bool(transposed)),
        ];
        let result = self.tensor(output);
        let fits = if transposed {
            convolves(output, weight, input)
        } else {
            convolves(input, weight, output)
        };
        self.told("aten::convolution", &arguments, &[result], fits)
    }

    /// Scaled dot product attention: query, key and value are `[batch, heads, length, size]`.
    /// A causal mask leaves what [`Cost::active_mac`] says.
    #[must_use]
    pub fn attention(self, query: &[u64], key: &[u64], value: &[u64], is_causal: bool) -> Self {
        let arguments = [
            ("query", self.argument(query)),
            ("key", self.argument(key)),
            ("value", self.argument(value)),
            ("is_causal", Argument::Bool(is_causal)),
        ];
        let (result, fits) = match (query, key, value) {
            ([b, heads, m, size], [b_k, heads_k, n, size_k], [b_v, heads_v, n_v, size_v]) => {
                // Heads of keys and values may be fewer (grouped queries).
                let grouped = *heads_k > 0 && heads.is_multiple_of(*heads_k) && heads_k == heads_v;
                let fits = [b, size, b, n] == [b_k, size_k, b_v, n_v] && grouped;
                (vec![*b, *heads, *m, *size_v], fits)
            }
            _ => (query.to_vec(), false),
        };
        let result = self.tensor(&result);
        let name = "aten::scaled_dot_product_attention";
        self.told(name, &arguments, &[result], fits)
    }

    /// A function of each element, such as `add`, `relu`, `exp` or `gelu`.
    #[must_use]
    pub fn elementwise(self, name: &str, inputs: &[&[u64]], output: &[u64]) -> Self {
        let names: Vec<String> = (0..inputs.len())
            .map(|index| match index {
                0 => "self".to_owned(),
                1 => "other".to_owned(),
                _ => format!("input{index}"),
            })
            .collect();
        let inputs = inputs.iter().map(|input| self.argument(input));
        let arguments: Vec<(&str, Argument)> =
            names.iter().map(String::as_str).zip(inputs).collect();
        let output = self.tensor(output);
        self.operator(&format!("aten::{name}"), &arguments, &[output])
    }

    /// A reduction, such as `sum`, `mean`, `amax` or `var`.
    #[must_use]
    pub fn reduce(self, name: &str, input: &[u64], output: &[u64]) -> Self {
        self.elementwise(name, &[input], output)
    }

    /// Any operator, by its dialect and name: `aten::convolution_backward`, `burn::layer_norm`.
    /// Arguments have the names that the dialect gives them.
    #[must_use]
    pub fn operator(self, name: &str, arguments: &[(&str, Argument)], outputs: &[Tensor]) -> Self {
        self.told(name, arguments, outputs, true)
    }

    fn told(
        mut self,
        name: &str,
        arguments: &[(&str, Argument)],
        outputs: &[Tensor],
        fits: bool,
    ) -> Self {
        let (names, values): (Vec<&str>, Vec<Argument>) = arguments.iter().cloned().unzip();
        let event = Event {
            signature: Signature::new(name, &names),
            arguments: values,
            outputs: outputs.to_vec(),
            ..self.place.clone()
        };
        if fits {
            self.ledger.add(&event);
        } else {
            let shapes: Vec<String> = event
                .inputs()
                .chain(outputs)
                .map(|tensor| format!("{:?}", tensor.shape))
                .collect();
            let reason = format!("its shapes do not fit: {}", shapes.join(", "));
            self.ledger.enter(&event, &Outcome::uncounted(reason));
        }
        self
    }

    /// The account.
    pub fn finish(self) -> Counts {
        Counts {
            params: self.params,
            ..self.ledger.finish()
        }
    }

    fn tensor(&self, shape: &[u64]) -> Tensor {
        Tensor::new(shape, self.dtype)
    }

    fn argument(&self, shape: &[u64]) -> Argument {
        Argument::Tensor(self.tensor(shape))
    }
}

/// Whether a convolution can have these shapes.
fn convolves(input: &[u64], weight: &[u64], output: &[u64]) -> bool {
    let one_rank = input.len() == weight.len() && weight.len() == output.len();
    match (input, weight, output) {
        ([batch, channels, _, ..], [results, each, ..], [same, outputs, ..]) if one_rank => {
            batch == same && results == outputs && *each > 0 && channels.is_multiple_of(*each)
        }
        _ => false,
    }
}

/// Counts as a table, or in any format. The name is that of what was counted.
///
/// ```
/// use laptime::count::{Count, Dtype, Format, render};
///
/// let counts = Count::new(Dtype::F32).matmul(1, 64, 1024, 256).finish();
/// assert!(render(&counts, "gemm", Format::Text).contains("aten::bmm"));
/// ```
#[cfg(feature = "report")]
pub fn render(counts: &Counts, name: &str, format: Format) -> String {
    use laptime_report::tables::operations::{OperationsView, Subject};

    let subject = Subject {
        name: name.to_owned(),
        how: "from the sizes that the program told".to_owned(),
        ..Subject::default()
    };
    laptime_report::tables::operations::render(
        counts,
        &subject,
        None,
        format,
        &OperationsView::default(),
    )
    .into_string()
}
