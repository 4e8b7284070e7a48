"""A Hugging Face `config.json`: the model that it describes, with inputs by its architecture."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from .configuration_bounds import bounded, first_lines
from .configuration_file import ConfigurationFile
from .inputs import TOKEN
from .request import Failure, Input, Request, Target

#: Samples of sound where the configuration says nothing: a second at 16 kHz.
_SAMPLES = 16_000
#: Attention that is part of torch. Other names have transformers load a kernel: code of others.
_ATTENTION = ("eager", "sdpa", "flex_attention", None)
#: Inputs whose length is that of the sequence.
_SEQUENCES = ("input_ids", "decoder_input_ids", "input_values")
#: Mel frames of half a minute, which Whisper's family is made for.
_FRAMES = 3_000


def find(request: Request) -> Target:
    """Reads the configuration; nothing is downloaded, and no code of others is run."""
    file = ConfigurationFile.read(request.target)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_IMPLICIT_TOKEN"):
        os.environ[name] = "1"
    try:
        import torch  # noqa: F401
        import transformers
    except ModuleNotFoundError as error:
        raise Failure(
            f"{request.target} is a configuration of transformers, which needs {error.name!r}",
            f"install it: {sys.executable} -m pip install torch transformers",
        ) from error
    transformers.logging.set_verbosity_error()
    with bounded(file, request):
        return _target(file, request)


def _target(file: ConfigurationFile, request: Request) -> Target:
    import transformers

    try:
        config: Any = transformers.AutoConfig.from_pretrained(
            str(file.path), local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise Failure(
            f"{request.target} is no configuration of transformers: {first_lines(error)}",
            "it needs a model_type that transformers "
            f"{transformers.__version__} knows, as a model's config.json has",
        ) from error
    architecture = next(iter(getattr(config, "architectures", None) or []), None)
    kind: Any = getattr(transformers, architecture, None) if architecture else None
    if not (isinstance(kind, type) and issubclass(kind, transformers.PreTrainedModel)):
        kind = None
    notes = ["without the kernels that it names"] if _without_kernels(config) else []

    def build() -> Any:
        if kind:
            return kind._from_config(config)
        return transformers.AutoModel.from_config(config, trust_remote_code=False)

    def defaults(model: Any) -> tuple[Sequence[Any], dict[str, Any]]:
        return [], keywords(model, config, request.sequence)

    if getattr(config, "quantization_config", None):
        notes.append("not quantised, whatever the configuration says")
    longest = _longest(_part(config, "text_config"))
    if request.sequence is not None and longest is not None and request.sequence > longest:
        notes.append(f"{request.sequence} tokens, but the configuration has places for {longest}")
    name = architecture or type(config).__name__.removesuffix("Config")
    return Target(name, build, defaults, notes=notes, within=lambda: bounded(file, request))


def _without_kernels(config: Any) -> bool:
    """Has a configuration and its parts do with torch's own, and with no weights of a backbone.

    Whether they named other kernels.
    """
    parts = [part for part in vars(config).values() if hasattr(part, "to_diff_dict")]
    found = [_without_kernels(part) for part in parts]
    if getattr(config, "_attn_implementation", None) not in _ATTENTION:
        config._attn_implementation = None
        found.append(True)
    if getattr(config, "use_pretrained_backbone", None):
        config.use_pretrained_backbone = False
    return any(found)


def keywords(model: Any, config: Any, sequence: int | None) -> dict[str, Any]:
    """What the model's forward takes, batch 1."""
    from .inputs import tensor

    def of(*sizes: int, dtype: str | None = None) -> Any:
        return tensor(Input(list(sizes), dtype))

    def floats(*sizes: int) -> Any:
        return of(*sizes).to(model.dtype)

    text = _part(config, "text_config")
    names = _parameters(model)
    main = getattr(model, "main_input_name", "input_ids")
    given: dict[str, Any] = {}
    if main == "pixel_values" or "pixel_values" in names:
        vision = _part(config, "vision_config")
        height, width = _pair(getattr(vision, "image_size", None) or 224)
        channels = getattr(vision, "num_channels", 3)
        given["pixel_values"] = floats(1, channels, height, width)
    elif main == "input_features":
        bins = getattr(config, "num_mel_bins", 80)
        given[main] = floats(1, bins, 2 * getattr(config, "max_source_positions", _FRAMES // 2))
    elif main == "input_values":
        given[main] = floats(1, sequence or _SAMPLES)
    if "input_ids" in names and (main == "input_ids" or "pixel_values" in given):
        given["input_ids"] = of(1, sequence or _length(text), dtype="int64")
    _place_image(given, config, text)
    if getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in names:
        given["decoder_input_ids"] = of(1, sequence or _length(text), dtype="int64")
    if not given:
        raise Failure(
            f"what {type(model).__name__} takes is not known",
            f"its forward has {', '.join(names)}: give sizes by --kwarg {names[0]}=1,128:int64",
            code=2,
        )
    if sequence is not None and given.keys().isdisjoint(_SEQUENCES):
        raise Failure(
            f"--seq is not used: {type(model).__name__} takes {', '.join(given)}, no tokens",
            "leave it out; other sizes are given by --kwarg, such as "
            f"--kwarg {next(iter(given))}=1,3,224,224",
            code=2,
        )
    _fits(model, text, sequence)
    # Beyond tensors: what is kept for a next token is no work of this one.
    if hasattr(text, "use_cache") and "use_cache" in names:
        given["use_cache"] = False
    return given


def _place_image(given: dict[str, Any], config: Any, text: Any) -> None:
    """Puts an image's tokens before the words, where a configuration tells which and how many."""
    names = ("image_token_index", "image_token_id")
    token = next((found for name in names if (found := getattr(config, name, None))), None)
    vision = getattr(config, "vision_config", None)
    patch = _pair(getattr(vision, "patch_size", None) or 0)
    if token is None or "input_ids" not in given or "pixel_values" not in given or not all(patch):
        return
    height, width = given["pixel_values"].shape[-2:]
    count = (height // patch[0]) * (width // patch[1])
    # Models that keep the class token of their tower have a token more.
    count += getattr(config, "vision_feature_select_strategy", "") == "full"
    ids = given["input_ids"]
    words = ids.shape[-1]
    made = ids.new_full((1, count + words), TOKEN)
    made[0, :count] = token
    given["input_ids"] = made


def _parameters(model: Any) -> list[str]:
    import inspect

    return list(inspect.signature(model.forward).parameters)


def _part(config: Any, name: str) -> Any:
    return getattr(config, name, None) or config


def _longest(config: Any) -> int | None:
    """The places that a configuration has for tokens, if it says so."""
    for name in ("max_position_embeddings", "n_positions", "max_target_positions", "seq_length"):
        length = getattr(config, name, None)
        if isinstance(length, int) and length > 0:
            # Roberta's family keeps the first positions for padding.
            is_offset = getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert")
            return length - 2 if is_offset else length
    return None


def _fits(model: Any, config: Any, sequence: int | None) -> None:
    """Refuses more tokens than the model has learned places for; places that it computes go on."""
    import torch

    longest = _longest(config)
    if sequence is None or longest is None or sequence <= longest:
        return
    words = model.get_input_embeddings()
    tables = (one for one in model.modules() if isinstance(one, torch.nn.Embedding))
    # Some keep a place or two for padding.
    if any(one is not words and 0 <= one.num_embeddings - longest <= 2 for one in tables):
        raise Failure(
            f"--seq {sequence} is too long: {type(model).__name__} has learned places for "
            f"{longest} tokens",
            f"give --seq {longest} or less, or another number of places in the configuration "
            "(max_position_embeddings, n_positions)",
            code=2,
        )


def _length(config: Any) -> int:
    longest = _longest(config)
    if longest is not None:
        return longest
    raise Failure(
        "the configuration does not say how long a sequence may be",
        "give a length: --seq 512",
        code=2,
    )


def _pair(size: Any) -> tuple[int, int]:
    if isinstance(size, int):
        return size, size
    if isinstance(size, dict):
        return size["height"], size["width"]
    return size[0], size[1]
