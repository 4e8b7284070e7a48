"""Counts a model's forward: of a call that is made for it, or of the program's own."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from .._core import Feed, NotAvailableError, OpCounts
from ..operations import count
from ..operations.torch.mode import Counting
from ..operations.torch.places import followed, know
from . import units


def get_model_profile(
    model: torch.nn.Module,
    input_shape: tuple[int, ...] | None = None,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    print_profile: bool = True,
    detailed: bool = True,
    module_depth: int = -1,
    top_modules: int = 10,
    warm_up: int = 3,
    as_string: bool = False,
    output_file: str | None = None,
    ignore_modules: Sequence[type] | None = None,
    func_name: str = "forward",
    mode: str | None = None,
) -> tuple[Any, Any, Any]:
    """FLOP, MACs and parameters of a call in evaluation mode.

    `func_name`, or `mode` as DeepSpeed calls it, is the method that is called. `warm_up` is taken
    and not needed: nothing is run for time. Modules of the classes in `ignore_modules` are left
    out with all that is in them.
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"a torch.nn.Module was expected, not {type(model).__name__}")
    inputs, named = tuple(args), dict(kwargs or {})
    if input_shape is not None:
        if not isinstance(input_shape, tuple) or not input_shape:
            raise TypeError("input_shape is a tuple of at least one size")
        like = next(model.parameters(), torch.empty(0))
        inputs = (torch.empty(input_shape, dtype=like.dtype, device=like.device),)
    if not inputs and not named:
        raise ValueError(
            "give input_shape, args or kwargs: there is nothing to call the model with"
        )
    model.eval()
    method = mode or func_name
    call = model if method == "forward" else getattr(model, method)
    with torch.no_grad():
        counts = count(call, *inputs, kwargs=named)
    flop, mac = counts.total_flop, counts.mac
    for path in _outermost(model, ignore_modules or ()):
        row = counts.by_module.get(path)
        if row is not None:
            flop, mac = flop - row.total_flop, mac - row.mac
    params = counts.params or 0
    if print_profile:
        _show(counts, detailed, module_depth, output_file)
    if as_string:
        return units.number(flop), units.macs(mac), units.params(params)
    return flop, mac, params


class FlopsProfiler:
    """Counts the forwards of a model between `start_profile` and the first question.

        profiler = FlopsProfiler(model)
        profiler.start_profile()
        loss = model(batch)
        flops = profiler.get_total_flops()
        profiler.print_model_profile()
        profiler.end_profile()

    What else runs meanwhile is not the model's and not counted.
    """

    def __init__(self, model: torch.nn.Module, ds_engine: Any = None) -> None:
        self.model = model
        self.ds_engine = ds_engine
        self.started = False
        self._running: contextlib.ExitStack | None = None
        self._feed = Feed()
        self._counts: OpCounts | None = None
        self._ignored: Sequence[type] = ()

    def start_profile(self, ignore_list: Sequence[type] | None = None) -> None:
        """Counts from here on."""
        self.stop_profile()
        self._ignored = ignore_list or ()
        self._feed, self._counts = Feed(), None
        mode = Counting(self._feed)
        know(mode, {_ROOT: self.model})
        mha: Any = torch.backends.mha
        with contextlib.ExitStack() as running:
            running.callback(mha.set_fastpath_enabled, mha.get_fastpath_enabled())
            mha.set_fastpath_enabled(False)
            running.enter_context(mode)
            running.enter_context(followed(mode))
            self._running = running.pop_all()
        self.started = True

    def stop_profile(self) -> None:
        """Counts no further."""
        if self._running is not None:
            self._running.close()
            self._running = None
            self._counts = self._feed.finish(params=_params(self.model))

    def reset_profile(self) -> None:
        """Forgets what was counted, and counts anew where it is started."""
        if self._running is not None:
            self.start_profile(self._ignored)
        else:
            self._counts = None

    def end_profile(self) -> None:
        """Stops, and forgets."""
        self.stop_profile()
        self.started = False
        self._counts = None

    def get_total_flops(self, as_string: bool = False) -> Any:
        """FLOP of the model's forwards: two for each MAC, and other arithmetic."""
        flop = self._total("total_flop")
        return units.total(flop) if as_string else flop

    def get_total_macs(self, as_string: bool = False) -> Any:
        """MACs of the model's forwards."""
        mac = self._total("mac")
        return units.macs(mac) if as_string else mac

    def get_total_params(self, as_string: bool = False) -> Any:
        """Elements of the model's parameters, each once."""
        params = _params(self.model)
        return units.params(params) if as_string else params

    def get_total_duration(self, as_string: bool = False) -> Any:
        """Not known: what is counted is slower than what is timed."""
        raise NotAvailableError(
            "counting and timing are separate runs: `laptime run --modules` has the time of modules"
        )

    def print_model_profile(
        self,
        profile_step: int = 1,
        module_depth: int = -1,
        top_modules: int = 1,
        detailed: bool = True,
        output_file: str | None = None,
    ) -> None:
        """Prints the account by module, to that depth; `detailed` off: by operator."""
        if self.started:
            _show(self._account(), detailed, module_depth, output_file)

    def print_model_aggregated_profile(self, module_depth: int = -1, top_modules: int = 1) -> None:
        """Prints the account by module, to that depth."""
        self.print_model_profile(module_depth=module_depth)

    def _account(self) -> OpCounts:
        self.stop_profile()
        if self._counts is None:
            raise NotAvailableError("nothing was counted: call start_profile() and then the model")
        return self._counts

    def _total(self, column: str) -> int:
        rows = self._account().by_module
        whole = rows[_ROOT].by_phase.get("forward") if _ROOT in rows else None
        total = getattr(whole, column) if whole is not None else 0
        for path in _outermost(self.model, self._ignored):
            row = rows.get(f"{_ROOT}.{path}")
            forward = row.by_phase.get("forward") if row is not None else None
            total -= getattr(forward, column) if forward is not None else 0
        return total


#: Under which name the model stands beside what else runs.
_ROOT = "model"


def _params(model: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def _outermost(model: torch.nn.Module, kinds: Sequence[type]) -> list[str]:
    """Paths of modules of these classes that are in no other such."""
    paths: list[str] = []
    for path, module in model.named_modules():
        if path and type(module) in tuple(kinds):
            if not any(path.startswith(f"{above}.") for above in paths):
                paths.append(path)
    return paths


def _show(counts: OpCounts, detailed: bool, depth: int, output_file: str | None) -> None:
    if detailed:
        text = counts.to_text(by="module", depth=depth if depth >= 0 else None)
    else:
        text = counts.to_text(by="op")
    if output_file:
        path = Path(output_file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    else:
        print(text)  # noqa: T201
