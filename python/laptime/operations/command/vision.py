"""A model of torchvision by its name, with an input of the size that it was made for."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from typing import Any

from .request import Failure, Input, Request, Target

#: Frames of a clip where the model's weights don't say how many they need.
_FRAMES = 16
#: Height and width where weights don't say: those of the models' own references.
_CLASSIFICATION, _SEGMENTATION, _DETECTION = 224, 520, 800
_FLOW = (520, 960)


def find(request: Request) -> Target:
    """Looks the name up among torchvision's models."""
    try:
        from torchvision import models
    except ModuleNotFoundError as error:
        raise Failure(
            f"{request.target} is looked for in torchvision, which needs {error.name!r}",
            f"install it: {sys.executable} -m pip install torch torchvision; "
            "a model of your own is named as package.module:factory",
        ) from error
    name = request.target
    known = models.list_models()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=5, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        raise Failure(
            f"torchvision has no model {name!r}",
            f"{hint}Nothing is downloaded: for a model of Hugging Face give the path of its "
            "config.json; for one of your own its name in Python: "
            "laptime ops package.module:factory",
        )

    if request.sequence is not None:
        raise Failure("--seq is for models of sequences; images have --input", code=2)

    def build() -> Any:
        options = {"weights": None}
        if "weights_backbone" in models.get_model_builder(name).__annotations__:
            options["weights_backbone"] = None
        return models.get_model(name, **options)

    def defaults(model: Any) -> tuple[Sequence[Any], dict[str, Any]]:
        from .inputs import tensor

        def of(*sizes: int) -> Any:
            return tensor(Input(list(sizes), None))

        kind = type(model).__module__
        crop = _crop(models, name)
        if ".optical_flow" in kind:
            return [of(1, 3, *_FLOW), of(1, 3, *_FLOW)], {}
        if ".detection" in kind:
            return [[of(3, _DETECTION, _DETECTION)]], {}
        if ".segmentation" in kind:
            return [of(1, 3, _SEGMENTATION, _SEGMENTATION)], {}
        if ".video" in kind:
            height, width = crop or (112, 112)
            return [of(1, 3, _frames(models, name), height, width)], {}
        height, width = crop or (_CLASSIFICATION, _CLASSIFICATION)
        return [of(1, 3, height, width)], {}

    return Target(name, build, defaults)


def _weights(models: Any, name: str) -> Any:
    """A model's best known weights, which tell what it was made for; they are not loaded."""
    try:
        return models.get_model_weights(name).DEFAULT
    except (AttributeError, ValueError):
        return None


def _crop(models: Any, name: str) -> tuple[int, int] | None:
    preset = getattr(_weights(models, name), "transforms", None)
    size = getattr(preset, "keywords", {}).get("crop_size")
    if isinstance(size, int):
        return size, size
    return (size[0], size[1]) if size else None


def _frames(models: Any, name: str) -> int:
    meta = getattr(_weights(models, name), "meta", {})
    return max(_FRAMES, int(meta.get("min_temporal_size", _FRAMES)))
