"""What torch has besides what the program holds: modes, switches, gradients.

`Outside` is how iterators of the program go on while a count runs: as if there were none.
"""

from __future__ import annotations

import dis
import inspect
import logging
import math
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CellType, CodeType, FunctionType, GeneratorType
from typing import Any

import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils import _python_dispatch
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _get_current_dispatch_mode_stack,
)

from ...world import World
from ...world.contents import Contents
from ...world.savers import Saver
from .copies import teach
from .fakes import KEPT
from .isolation import Alone
from .switches import switches

#: What a walk tells: models and optimizers, which compute, and tensors.
SOUGHT = (torch.nn.Module, torch.optim.Optimizer, torch.Tensor)
#: What it doesn't enter.
LEAVES = (FakeTensor, FakeTensorMode, TorchDispatchMode, torch.overrides.TorchFunctionMode)


def world() -> World:
    """The world of a count, not yet walked through."""
    savers: list[tuple[type, Saver]] = [(torch.Generator, _generator)]
    outside = Outside()
    made = World(SOUGHT, 2, LEAVES, savers, outside)
    outside.reach = made.state.reach
    made.undo.append(lambda: vars(outside).pop("reach", None))  # each holds the other
    # The last to be undone: what is undone before sets some of them, and may be interrupted in it.
    made.undo[:0] = switches()
    return made


def _generator(generator: torch.Generator) -> Callable[[], Any]:
    before = generator.get_state()
    return lambda: generator.set_state(before)


def keep_gradients(world: World, tensors: Iterable[torch.Tensor]) -> None:
    """Gradients of what the program holds: code that nobody sees may write them."""
    kept = [(tensor, tensor.grad) for tensor in tensors if tensor.is_leaf and tensor.requires_grad]

    def restore() -> None:
        for tensor, before in kept:
            if tensor.grad is not before:
                tensor.grad = before

    world.undo.append(restore)


def keep_script(world: World, module: torch.jit.ScriptModule) -> Iterator[torch.Tensor]:
    """A scripted module's own tensors, which nothing can stand in for."""
    keep_gradients(world, module.parameters())
    contents = Contents(torch, math.inf)
    world.undo.append(contents.restore)
    for tensor in (*module.parameters(), *module.buffers()):
        contents.keep(tensor, "")
        yield tensor


def set_switches(world: World, fake_mode: FakeTensorMode | None) -> None:
    """Sets what a count needs set, beside the switches that are put back in any case."""
    world.undo.append(torch.clear_autocast_cache)
    torch.backends.mha.set_fastpath_enabled(False)
    # Scripted functions run operator by operator: what is fused, nobody could count.
    torch._C._set_graph_executor_optimize(False)
    frames: Any = sys.modules.get("torch._dynamo.eval_frame")
    if frames is not None:
        # Compiled functions run as they were written.
        before = frames._stance
        world.undo.append(lambda: frames._set_stance(before))
        frames._set_stance(frames.DynamoStance("force_eager"))
    if fake_mode is not None:
        # It writes what fails to stderr, with a traceback; here that is raised.
        world.put(logging.getLogger("torch._subclasses.fake_tensor"), "disabled", True)
        world.put(fake_mode, "allow_non_fake_inputs", True)
        world.put(fake_tensor, "CONSTANT_NUMEL_LIMIT", KEPT)
        teach(world.put)


#: What torch keeps in Python of the modes that are entered.
_FLAGS = [name for name in vars(_python_dispatch) if name.startswith("_is_in_")]


def unhook_saving(world: World) -> None:
    """What the program does with tensors that autograd saves, it does with its own alone."""
    core: Any = torch._C
    engine = core._autograd
    if engine._top_saved_tensors_default_hooks(False) is None:
        return
    engine._push_saved_tensors_default_hooks(_itself, _itself)
    world.undo.append(engine._pop_saved_tensors_default_hooks)


def _itself(tensor: Any) -> Any:
    return tensor


def keep_modes(world: World, fake_mode: FakeTensorMode | None) -> Callable[[], None]:
    """Puts back the stacks of modes: an interrupted exit may leave one behind, or take one along.

    Answers with what does so.
    """
    stack = _get_current_dispatch_mode_stack()
    functions = torch._C._len_torch_function_stack()
    flags = {name: getattr(_python_dispatch, name) for name in _FLAGS}
    key = torch._C._TorchDispatchModeKey.FAKE
    faking = torch._C._get_dispatch_mode(key)
    lifts = torch._C._only_lift_cpu_tensors()
    entered = list(fake_mode.enter_stack) if fake_mode is not None else []

    def restore() -> None:
        while torch._C._len_torch_function_stack() > functions:
            torch._C._pop_torch_function_stack()
        if [*map(id, _get_current_dispatch_mode_stack())] != [*map(id, stack)]:
            while torch._C._len_torch_dispatch_stack():
                torch._C._pop_torch_dispatch_stack(None)
            for one in stack:
                torch._C._push_on_torch_dispatch_stack(one)
        if fake_mode is not None:
            fake_mode.enter_stack[:] = entered
        if torch._C._get_dispatch_mode(key) is not faking:
            torch._C._unset_dispatch_mode(key)
            if faking is not None:
                torch._C._set_dispatch_mode(faking)
        torch._C._set_only_lift_cpu_tensors(lifts)
        for name, before in flags.items():
            setattr(_python_dispatch, name, before)

    world.undo.append(restore)
    return restore


#: What follows a `yield` whose value nobody takes, or one of `yield from`.
_DROPS = ("POP_TOP", "JUMP_BACKWARD_NO_INTERRUPT")


def _drops(generator: GeneratorType[Any, Any, Any], drops: Sequence[str]) -> bool:
    """Whether one of these follows each `yield` of a generator."""
    code = [it.opname for it in dis.get_instructions(generator.gi_code)]
    after = zip(code, [*code[1:], ""], [*code[2:], "", ""])
    return all(
        (then if next == "RESUME" else next) in drops
        for one, next, then in after
        if one == "YIELD_VALUE"
    )


def _names_models(code: CodeType, names: dict[str, Any], depth: int) -> bool:
    """Whether code, or a function that it names, names a model or an optimizer."""
    for name in code.co_names:
        value = names.get(name)
        if isinstance(value, (torch.nn.Module, torch.optim.Optimizer)):
            return True
        if depth and isinstance(value, FunctionType) and value.__globals__ is names:
            cells = [it.cell_contents for it in value.__closure__ or () if _is_full(it)]
            if any(isinstance(it, (torch.nn.Module, torch.optim.Optimizer)) for it in cells):
                return True
            if _names_models(value.__code__, names, depth - 1):
                return True
    return False


def _is_full(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


class Outside:
    """Goes on with an iterator as if nothing were counted, and knows random states."""

    #: What a call may write to from now on, each with its name.
    reach: Callable[[list[tuple[str, Any]]], None]

    def given(self, item: Any) -> None:
        """The call has something of an iterator's now, and may write to it."""
        self.reach([("", item)])

    def is_refused(self, generator: Any) -> bool:
        """Whether a generator was begun and takes what it is sent, or code of its own trains."""
        if not isinstance(generator, GeneratorType):
            return False
        frame = generator.gi_frame
        if frame is not None and _names_models(generator.gi_code, frame.f_globals, 3):
            return True
        return not self.is_fresh(generator) and not _drops(generator, _DROPS)

    def is_fresh(self, source: Any) -> bool:
        """Whether it is a generator of which nothing has run: it can't be sent anything yet."""
        is_generator = isinstance(source, GeneratorType)
        return is_generator and inspect.getgeneratorstate(source) == inspect.GEN_CREATED

    def ignores(self, generator: Any) -> bool:
        """Whether a generator makes nothing of what it is sent, nor one that it goes through."""
        return _drops(generator, _DROPS[:1])

    def take(self, source: Any) -> tuple[Any, ...]:
        """The next one; at the end nothing, and what the iterator returns."""
        functions = torch._C._len_torch_function_stack()
        above = [torch._C._pop_torch_function_stack() for _ in range(functions)]
        try:
            with Alone():
                try:
                    return (next(source),)
                except StopIteration as end:
                    return () if end.value is None else (None, end.value)
        finally:
            while above:
                torch._C._push_on_torch_function_stack(above.pop())

    def random(self) -> tuple[Any, ...]:
        """The random states of this moment."""
        with Alone(), torch._C.DisableTorchFunction():
            numpy: Any = sys.modules.get("numpy")
            return (
                torch.get_rng_state().numpy().tobytes(),
                random.getstate(),
                None if numpy is None else _plain(numpy.random.get_state()),
            )

    def goes_on(self, before: tuple[Any, ...], after: tuple[Any, ...]) -> None:
        """Random numbers go on as they did, if they are where they were."""
        if self.random() != before or before == after:
            return
        torch.set_rng_state(torch.frombuffer(bytearray(after[0]), dtype=torch.uint8))
        random.setstate(after[1])
        numpy: Any = sys.modules.get("numpy")
        if after[2] is not None and numpy is not None:
            kind, keys, *rest = after[2]
            numpy.random.set_state((kind, numpy.frombuffer(keys, dtype="uint32"), *rest))


def _plain(state: Any) -> tuple[Any, ...]:
    """NumPy's state with its numbers as bytes, which can be compared."""
    kind, keys, *rest = state
    return (kind, keys.tobytes(), *rest)
