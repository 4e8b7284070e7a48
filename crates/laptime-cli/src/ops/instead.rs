//! What to type in place of an option that `laptime ops` doesn't have.

use clap::error::{ContextKind, ContextValue};

const SIZES: &str = "an input is given by its sizes, the batch first: --input 4,3,224,224, or \
                     --input 4,128:int64 for tokens; what an .onnx file leaves open by --dim batch=4";
const LENGTH: &str = "the number of tokens is --seq 512; with a batch: --input 4,512:int64";
const DTYPE: &str = "an input's type goes with its sizes: --input 4,3,224,224:float16; a model's own \
                     is what its factory makes";
const ARGUMENTS: &str = "a factory is called without arguments: name a function of your own that makes the model; \
                         inputs are given by --input 4,3,224,224";

/// Options that other tools have, by what they mean.
const KNOWN: [(&[&str], &str); 3] = [
    (
        &[
            "batch",
            "batch-size",
            "bs",
            "shape",
            "shapes",
            "input-shape",
            "input-size",
            "inputs",
            "size",
            "image-size",
            "img-size",
        ],
        SIZES,
    ),
    (
        &[
            "seq-len",
            "seq-length",
            "seqlen",
            "sequence",
            "sequence-length",
            "length",
            "max-length",
            "max-seq-len",
            "tokens",
            "context",
        ],
        LENGTH,
    ),
    (
        &["dtype", "type", "precision", "half", "fp16", "bf16"],
        DTYPE,
    ),
];

/// The hint for an unknown option; where it is one of other tools', no option that merely looks like it.
pub fn instead_of(usage: &mut clap::Error) -> Option<String> {
    let Some(ContextValue::String(typed)) = usage.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = typed.trim_start_matches('-').replace('_', "-");
    let name = name.split('=').next().unwrap_or_default();
    if let Some((_, hint)) = KNOWN.iter().find(|(names, _)| names.contains(&name)) {
        usage.remove(ContextKind::SuggestedArg);
        return Some((*hint).to_owned());
    }
    let has_similar = usage.get(ContextKind::SuggestedArg).is_some();
    (!has_similar && typed.starts_with("--")).then(|| ARGUMENTS.to_owned())
}
