"""The file of a Hugging Face configuration: bounded, and checked before transformers sees it.

What stands in it may come from anybody. A number of layers or experts that no model has is refused
here, by its field; what only shows while the model is built is for `budget`.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .request import Failure

#: Longest file: a configuration with names for 100,000 classes has 4 MiB.
MOST_BYTES = 16 << 20
#: Deepest nesting, as in an ONNX file. Configurations have four levels.
MOST_DEPTH = 64
#: Fields that say how many of a kind there are, and the most of it: large models have hundreds
#: of layers or experts, and tell tens of thousands of classes apart, each of which has a name.
_PARTS = "layers?|blocks?|depths?|stages?|experts?|heads?|levels?"
MOST_OF_A_KIND = (
    (re.compile(rf"^(?!max_)(.*_)?({_PARTS})$"), 10_000),
    (re.compile(r"^(.*_)?(labels|classes)$"), 1_000_000),
)
#: Fields that name a checkpoint, or may.
_CHECKPOINTS = re.compile(r"^(.*_)?(backbone|name_or_path|architecture|checkpoint_path)$")
#: Numbers from which on an error names them.
_LARGE = 2**16
_HINT = "give a model's config.json, as its page on Hugging Face has it under Files"
#: What helps where a bound is exceeded.
WAY_OUT = (
    "check its numbers; a model that is so large is counted from code of your own: "
    "laptime ops package.module:factory"
)


@dataclasses.dataclass(frozen=True)
class ConfigurationFile:
    """A configuration's file, and the values in it."""

    path: Path
    content: dict[str, Any]

    @classmethod
    def read(cls, target: str) -> ConfigurationFile:
        """Reads the file, or the `config.json` of a folder; a `Failure` says what is wrong."""
        path = Path(target, "config.json") if Path(target).is_dir() else Path(target)
        content = _object(path, _text(path))
        file = cls(path, content)
        for name, value, depth in _values(content):
            if depth > MOST_DEPTH:
                raise file.refused("its nesting", f"{MOST_DEPTH} levels")
            for fields, most in MOST_OF_A_KIND if _is_whole(value) else ():
                if value > most and fields.match(_field(name)):
                    raise file.refused(f"{_shown(name)} = {_digits(value)}", f"{most:,}")
        return file

    def refused(self, what: str, limit: str) -> Failure:
        """The error where something exceeds a bound."""
        return Failure(f"{self.path} is refused: {what} exceeds {limit}", WAY_OUT)

    def checkpoints(self) -> str:
        """The fields that name a checkpoint or a folder of one, as an error shows them."""
        found = [
            f"{_shown(name)} = {_shown(value)}"
            for name, value, _ in _values(self.content)
            if isinstance(value, str) and _CHECKPOINTS.match(_field(name))
        ]
        return f": {', '.join(found[:3])}" if found else ""

    def largest(self) -> str:
        """The largest whole numbers of the file, as an error names them; or nothing."""
        found = [(value, name) for name, value, _ in _values(self.content) if _is_whole(value)]
        large = sorted((one for one in found if one[0] >= _LARGE), reverse=True)[:3]
        listed = ", ".join(f"{_shown(name)} = {_digits(value)}" for value, name in large)
        return f"; its largest numbers: {listed}" if listed else ""


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise Failure(f"{path} is refused: its length exceeds {MOST_BYTES >> 20} MiB", _HINT)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Failure(f"{path} is no JSON: no text at byte {error.start}", _HINT) from error


def _object(path: Path, text: str) -> dict[str, Any]:
    try:
        content = json.loads(text, object_pairs_hook=_once, parse_constant=_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Failure(f"{path} is no JSON: {error.msg} at {place}", _HINT) from error
    except _Unusable as error:
        raise Failure(f"{path} is no configuration: {error}", _HINT) from error
    except RecursionError as error:
        raise Failure(
            f"{path} is refused: its nesting exceeds {MOST_DEPTH} levels", WAY_OUT
        ) from error
    except ValueError as error:
        # Python's own bound on the digits of a number.
        raise Failure(f"{path} is no configuration: a number has too many digits", _HINT) from error
    if not isinstance(content, dict):
        kind = type(content).__name__
        raise Failure(f"{path} is no configuration: it holds a {kind}, not an object", _HINT)
    return content


class _Unusable(Exception):
    """JSON, but nothing that a configuration holds."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))
        raise _Unusable(f"it has {_shown(twice)} twice")
    return made


def _constant(name: str) -> float:
    # Configurations of Mamba's family have Infinity.
    if name == "NaN":
        raise _Unusable("it holds NaN, which is no number")
    return float(name.replace("Infinity", "inf"))


def _values(content: dict[str, Any]) -> Iterator[tuple[str, Any, int]]:
    """Each value with its name, such as `text_config.num_hidden_layers`, and its depth."""
    open_ones: list[tuple[str, Any, int]] = [("", content, 0)]
    while open_ones:
        name, value, depth = open_ones.pop()
        yield name, value, depth
        if depth > MOST_DEPTH:
            continue
        if isinstance(value, dict):
            within = f"{name}." if name else ""
            open_ones.extend((f"{within}{key}", one, depth + 1) for key, one in value.items())
        elif isinstance(value, list):
            open_ones.extend((name, one, depth + 1) for one in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _field(name: str) -> str:
    return name.rpartition(".")[2]


def _shown(name: str) -> str:
    name = name if name.isprintable() else ascii(name)
    return name if len(name) <= 80 else f"{name[:80]}…"


def _digits(value: int) -> str:
    text = str(value)
    return text if len(text) <= 20 else f"{text[:3]}… ({len(text)} digits)"
