"""Answers one request of the command: counts as JSON, or why there are none."""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._ceilings import ceilings
from ..._core import LaptimeError
from ...world.libraries import libraries
from .. import count, no_weights
from . import budget, exported_program, factory, hints, pretrained_model, vision
from .inputs import described, typed, with_values
from .request import Failure, Request, Target

KINDS: dict[str, Callable[[Request], Target]] = {
    "factory": factory.find,
    "torchvision": vision.find,
    "config": pretrained_model.find,
    "export": exported_program.find,
}


def main() -> None:
    """Reads the request and writes the answer."""
    # The command says that it was interrupted; a traceback of the model's code says no more.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Whatever the model's code prints, from wherever, is a message.
    answer_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    budget.ends_by(lambda failure: os.write(answer_to.fileno(), failure.answer().encode()))
    request = Request.read(sys.argv[1])
    # Where the user's own modules are looked for: last, so that none hides an installed one.
    sys.path.extend(sys.argv[2:])
    sys.argv[1:] = []
    # They log, with tracebacks, what they raise as well.
    for name in ("torch._subclasses.fake_tensor", "torch.export"):
        logging.getLogger(name).disabled = True
    try:
        answer = counted(request)
    except Failure as failure:
        answer = failure.answer()
    except SystemExit as left:
        answer = Failure(
            f"{request.target} ended the interpreter: sys.exit({left.code!r})"
        ).answer()
    except Exception as error:
        answer = told(error).answer()
    with answer_to:
        answer_to.write(answer)


def counted(request: Request) -> str:
    """The counts of a request's target."""
    target = KINDS[request.kind](request)
    if request.roofline:
        ceilings()  # kept for the command, with what torch reaches
    with target.within():
        return built_and_counted(target, request)


def built_and_counted(target: Target, request: Request) -> str:
    """The counts of a target, without weights in memory if that goes."""
    why = ""
    if target.is_made and request.mode != "real" and "torch" in sys.modules:
        try:
            with no_weights():
                model = target.build()
            return account(target, request, model, "without weights in memory")
        except Failure:
            raise
        except LaptimeError as error:
            if request.mode == "fake":
                reason = first_line(error).partition(";")[0]
                raise Failure(reason, "leave out --mode fake: real tensors have values") from error
            why = first_line(error).partition(";")[0]
        except Exception as error:
            # Whether it is the lack of weights that it fails by, weights tell.
            why = f"{type(error).__name__}: {first_line(error)}"
    how = f"with weights in memory, since without them: {why}" if why else ""
    return account(target, request, target.build(), how)


def account(target: Target, request: Request, model: Any, how: str) -> str:
    """Counts a call of the model, with inputs that have values only if it asks for them."""
    if request.mode == "real":
        with with_values():
            return call(target, request, model, how)
    try:
        return call(target, request, model, how)
    except Failure:
        raise
    except Exception as error:
        if request.mode == "fake" or "without weights" in how:
            raise
        reason = first_line(error).partition(";")[0]
    # What fails for another reason fails again, in the words of the framework's own kernels.
    zeros = "on inputs of zeros, which decide what runs"
    how = f"{how}, {zeros}" if how else f"{zeros}, since without values: {reason}"
    with with_values():
        return call(target, request, model, how)


def call(target: Target, request: Request, model: Any, how: str) -> str:
    """Counts one call."""
    torch = sys.modules.get("torch")
    notes = [how] if how else []
    if target.is_made and torch is not None and isinstance(model, torch.nn.Module):
        model.train(request.backward)
        notes.insert(0, "in training mode" if request.backward else "in evaluation mode")
    elif request.kind == "factory" and torch is not None and isinstance(model, torch.nn.Module):
        mode_now = "training" if model.training else "evaluation"
        notes.insert(0, f"in {mode_now} mode, which is the object's own")
    arguments, keywords = typed(request)
    if not arguments and not keywords:
        arguments, keywords = target.defaults(model)
    elif request.sequence is not None:
        raise Failure(
            "--seq is not used: --input and --kwarg say the sizes",
            "leave --seq out, or the others",
            code=2,
        )
    if torch is not None and isinstance(model, torch.nn.Module):
        with_sizes(model, arguments, keywords)
    mode: Any = request.mode
    try:
        counts = count(model, *arguments, kwargs=keywords, backward=request.backward, mode=mode)
    except Exception as error:
        # For `told`, which tells only of the last way that is tried.
        vars(error)["way_out"] = hints.way_out(error, model, arguments, keywords, request)
        raise
    return counts._of(
        target.name,
        inputs=described(arguments, keywords),
        how=", ".join([*notes, *target.notes]),
    ).to_json()


def with_sizes(model: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Gives lazy modules the sizes that a first call tells them."""
    from ..torch import lazy_modules

    found = lazy_modules.open_size(model)
    if found is None:
        return
    try:
        lazy_modules.settle(model, arguments, keywords)
    except Exception as error:
        raise Failure(
            f"{found} has no size before the model's first call, and that failed: "
            f"{type(error).__name__}: {first_line(error)}",
            "call the model once where you build it: model(torch.zeros(...)); return model",
        ) from error


def first_line(error: BaseException) -> str:
    """An error's message as far as a line goes."""
    return str(error).strip().partition("\n")[0]


def told(error: Exception) -> Failure:
    """The framework's own words, and where in the user's code they were raised."""
    message = str(error).strip() or type(error).__name__
    if not isinstance(error, LaptimeError):
        message = f"{type(error).__name__}: {message}"
    way_out = vars(error).get("way_out")
    if way_out is not None:
        return Failure(message, way_out)
    frames = traceback.extract_tb(error.__traceback__)
    installed = libraries()
    own = [frame for frame in frames if not frame.filename.startswith(installed)]
    if not own:
        return Failure(message)
    last = own[-1]
    place = f"{os.path.relpath(last.filename)}:{last.lineno}, in {last.name}"
    return Failure(message, f"raised below {place}")
