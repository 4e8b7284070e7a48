"""`package.module:attribute`: a model, something that makes one, or a function to count."""

from __future__ import annotations

import difflib
import importlib
import importlib.machinery
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import tokens
from .request import Failure, Request, Target

#: Most names that a hint has.
_MOST = 8


def find(request: Request) -> Target:
    """Imports the module and looks the attribute up."""
    module_name, _, path = request.target.partition(":")
    found: Any = _imported(module_name)
    for name in path.split("."):
        if not hasattr(found, name):
            raise Failure(
                f"{module_name} has no attribute {path!r}", _hint(module_name, found, name)
            )
        found = getattr(found, name)
    if not callable(found):
        raise Failure(
            f"{request.target} is neither a model nor makes one: it is of type "
            f"{type(found).__name__}"
        )

    def defaults(model: Any) -> tuple[Sequence[Any], dict[str, Any]]:
        return tokens.of(model, request.sequence)

    if not _is_called(found):
        return Target(request.target, lambda: found, defaults, is_made=False)
    return Target(request.target, _made(request.target, found), defaults)


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise Failure(
                f"no module named {missing!r}",
                "modules are looked for in this Python's packages, then in the current folder: "
                f"{sys.executable}",
            ) from error
        raise Failure(
            f"{name} needs {missing!r}, which is not there",
            f"install it: {sys.executable} -m pip install {missing.partition('.')[0]}",
        ) from error


def _hint(module_name: str, found: Any, name: str) -> str:
    if _is_hidden(module_name):
        return (
            "an installed module of that name hides the one in the current folder: "
            "rename yours, or name its package"
        )
    known = [name for name in dir(found) if not name.startswith("_")]
    near = difflib.get_close_matches(name, known, n=5, cutoff=0.4)
    if near:
        return f"did you mean {', '.join(near)}?"
    own = [name for name in known if _makes(found, name)]
    if not own:
        return f"nothing in {module_name} can be called: name a model, or a function that makes one"
    more = ", …" if len(own) > _MOST else ""
    return f"{module_name} has {', '.join(own[:_MOST])}{more}"


def _makes(found: Any, name: str) -> bool:
    """Whether it may be a model or make one: what can be called and was not imported."""
    value = inspect.getattr_static(found, name)
    at = getattr(value, "__module__", None)
    return callable(value) and (at is None or at == getattr(found, "__name__", at))


def _is_hidden(module_name: str) -> bool:
    """Whether the current folder has a module of that name, which comes last."""
    spec = importlib.machinery.PathFinder.find_spec(module_name.partition(".")[0], [os.getcwd()])
    own = getattr(spec, "origin", None)
    module = sys.modules[module_name.partition(".")[0]]
    return own is not None and own != getattr(module, "__file__", None)


def _is_called(found: Any) -> bool:
    """Whether it makes a model: a class, or a function that needs no argument."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(found, torch.nn.Module):
        return False
    if inspect.isclass(found):
        return True
    if not inspect.isroutine(found) and type(found).__name__ != "partial":
        return False  # an object that is called like a model
    try:
        inspect.signature(found).bind()
    except (TypeError, ValueError):
        return False
    return True


def _made(target: str, make: Callable[[], Any]) -> Callable[[], Any]:
    def build() -> Any:
        try:
            inspect.signature(make).bind()
        except TypeError as error:
            raise Failure(
                f"{target} can't be called without arguments: {error}",
                "name a function of your own that makes the model",
            ) from error
        except ValueError:
            pass  # it doesn't tell its parameters
        model = make()
        if not callable(model):
            raise Failure(f"{target}() gave a {type(model).__name__}, not a model")
        return model

    return build
