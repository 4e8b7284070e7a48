"""A `.pt2` file: a program that `torch.export` saved, with the inputs it was exported with."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .request import Failure, Request, Target


def find(request: Request) -> Target:
    """Loads the program."""
    try:
        import torch
    except ModuleNotFoundError as error:
        raise Failure(
            f"{request.target} is a program of torch.export, which needs {error.name!r}",
            f"install it: {sys.executable} -m pip install torch",
        ) from error
    try:
        program = torch.export.load(request.target)
    except Exception as error:
        line = str(error).strip().partition("\n")[0]
        raise Failure(
            f"{request.target} cannot be read as an exported program: {line}",
            "write it with torch.export.save(torch.export.export(model, inputs), path)",
        ) from error

    def defaults(model: Any) -> tuple[Sequence[Any], dict[str, Any]]:
        if program.example_inputs is None:
            raise Failure(
                "the program was saved without example inputs",
                "give their sizes, such as --input 1,3,224,224",
                code=2,
            )
        arguments, keywords = program.example_inputs
        return arguments, keywords

    if request.sequence is not None:
        raise Failure(
            "--seq is not used: an exported program has the sizes that it was exported with",
            "leave it out, or give an input of its own, such as --input 1,512:int64",
            code=2,
        )
    name = Path(request.target).name
    return Target(name, lambda: program.module(), defaults, is_made=False)
