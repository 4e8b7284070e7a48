"""`get_model_profile` and `FlopsProfiler`, as flops-profiler has them.

`get_model_profile` makes calls of its own (`call`): it counts first, on what stands in for tensors,
and then times runs after warm-up. `FlopsProfiler` is beside the program's own call, which it
counts and times at once (`forwards`): its latency includes the counting. `layout` prints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch

from ..._core import NotAvailableError, OpCounts
from . import engine, layout, units
from .account import Account, Accountant, params_of
from .call import doubts, kinds_of, profile_of
from .forwards import ROOT, CountedForwards
from .layout import Profile, Wording

WORDING = Wording(
    title="Flops Profiler",
    place="device",
    number=units.num_to_string,
    returned=units.number_to_string,
    macs=units.macs_to_string,
    flops=units.flops_to_string,
    params=units.params_to_string,
    duration=units.duration_to_string,
    timers=("forward", "backward", "step"),
)


def get_model_profile(
    model: torch.nn.Module,
    input_shape: tuple[int, ...] | None = None,
    args: Sequence[Any] | None = (),
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
    """FLOP, MACs and parameters of a call in evaluation mode, without gradients.

    The call is counted first. Where the profile is printed, it is then run for time: once more
    than `warm_up` says to get ready, and up to ten times for the clock. Then the model is as it was
    before, with all that it leads to: weights, buffers, gradients, other tensors and attributes. At
    most 1 GiB of tensors is copied for that. What could not be put back is named in a warning of
    the printed profile.

    `func_name`, or `mode` as DeepSpeed calls it, is the method that is called. Modules of the
    classes in `ignore_modules` are left out with all that is in them.
    """
    layout.check(output_file)
    method = mode or func_name
    profile = profile_of(
        model, input_shape, args, kwargs, ignore_modules, method, warm_up, print_profile
    )
    if print_profile:
        text = layout.whole(profile, warm_up, module_depth, top_modules, detailed, WORDING)
        layout.put(text, output_file)
    return profile.returned(WORDING, as_string)


class FlopsProfiler:
    """Counts and times the forwards of a model between `start_profile` and the first question.

        profiler = FlopsProfiler(model)
        profiler.start_profile()
        loss = model(batch)
        flops = profiler.get_total_flops()
        profiler.print_model_profile()
        profiler.end_profile()

    What else runs meanwhile is not the model's and not counted. The program's call runs once, and
    counting slows it: the latency is an upper bound, and FLOPS a lower one.
    """

    _wording: ClassVar[Wording] = WORDING

    def __init__(
        self, model: torch.nn.Module, ds_engine: Any = None, recompute_fwd_factor: float = 0.0
    ) -> None:
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f"a torch.nn.Module was expected, not {type(model).__name__}")
        self.model = model
        self.ds_engine = ds_engine
        self.recompute_fwd_factor = recompute_fwd_factor
        self.started = False
        self._forwards: CountedForwards | None = None
        self._stopped: tuple[CountedForwards, OpCounts] | None = None
        self._ignored: tuple[type, ...] = ()
        self._profile: Profile | None = None

    def start_profile(self, ignore_list: Sequence[type] | None = None) -> None:
        """Counts and times from here on."""
        ignored = kinds_of("ignore_list", ignore_list)
        self.stop_profile()
        self._ignored = ignored
        self._stopped = self._profile = None
        self._forwards = CountedForwards(self.model)
        self.started = True

    def stop_profile(self) -> None:
        """Counts and times no further."""
        forwards, self._forwards = self._forwards, None
        if forwards is not None:
            self._stopped = forwards, forwards.stop()

    def reset_profile(self) -> None:
        """Forgets what was counted, and begins anew where it is started."""
        if self._forwards is not None:
            self.start_profile(self._ignored)
        else:
            self._stopped = self._profile = None

    def end_profile(self) -> None:
        """Stops, and forgets."""
        self.stop_profile()
        self.started = False
        self._stopped = self._profile = None

    def get_total_flops(self, as_string: bool = False) -> Any:
        """FLOP of the model's forwards: two for each MAC, and other arithmetic."""
        flop = self._profiled().model.flop
        return self._wording.number(flop) if as_string else flop

    def get_total_macs(self, as_string: bool = False) -> Any:
        """MACs of the model's forwards."""
        mac = self._profiled().model.mac
        return self._wording.macs(mac) if as_string else mac

    def get_total_duration(self, as_string: bool = False) -> Any:
        """Seconds that the model's forwards took while they were counted: an upper bound."""
        seconds = self._profiled().latency
        if seconds is None:
            raise NotAvailableError(
                f"no forward of {type(self.model).__name__} ran between start_profile() and "
                "stop_profile(): call the model there"
            )
        return self._wording.duration(seconds) if as_string else seconds

    def get_total_functional_duration(self, as_string: bool = False) -> Any:
        """Not known: functions are not timed one by one."""
        raise NotAvailableError(
            "functions are not timed one by one, modules are: get_total_duration() has the "
            "model's, print_model_profile() each module's"
        )

    def get_total_params(self, as_string: bool = False) -> Any:
        """Elements of the model's parameters, each once."""
        params = params_of(self.model)
        return self._wording.params(params) if as_string else params

    def is_expert_tensor_parallelism_enabled(self) -> bool:
        """Whether experts of the model (DeepSpeed's) are split among tensor parallel ranks."""
        for module in self.model.modules():
            if hasattr(module, "enable_expert_tensor_parallelism"):
                return bool(module.enable_expert_tensor_parallelism)
        return False

    def print_model_profile(
        self,
        profile_step: int = 1,
        module_depth: int = -1,
        top_modules: int = 1,
        detailed: bool = True,
        output_file: str | None = None,
    ) -> None:
        """Prints the profile, or writes it to a file; does nothing before it is started."""
        if not self.started:
            return
        profile, words = self._profiled(), self._wording
        self.flops, self.macs = profile.model.flop, profile.model.mac
        self.params = profile.model.params
        more: list[str] = []
        if engine.has_timers(self.ds_engine):
            more = engine.lines(self.ds_engine, self.flops, self.recompute_fwd_factor, words)
        text = layout.whole(
            profile, profile_step, module_depth, top_modules, detailed, words, self.ds_engine, more
        )
        layout.put(text, output_file)

    def print_model_aggregated_profile(self, module_depth: int = -1, top_modules: int = 1) -> None:
        """Prints the classes of modules with the most, at each depth."""
        model = self._profiled().model
        layout.put(layout.aggregated(model, module_depth, top_modules, self._wording), None)

    def _profiled(self) -> Profile:
        self.stop_profile()
        if self._stopped is None:
            raise NotAvailableError("nothing was counted: call start_profile() and then the model")
        if self._profile is None:
            self._profile = _profile(self.model, *self._stopped, self._ignored)
        return self._profile


def _profile(
    model: torch.nn.Module, forwards: CountedForwards, counts: OpCounts, ignored: Sequence[type]
) -> Profile:
    rows = counts.by_module

    def counted(path: str) -> tuple[int, int]:
        row = rows.get(f"{ROOT}.{path}" if path else ROOT)
        forward = row.by_phase.get("forward") if row is not None else None
        return (forward.mac, forward.total_flop) if forward is not None else (0, 0)

    account: Account = Accountant(counted, forwards.seconds(), ignored).account(model)
    return Profile(account, account.seconds, [*forwards.how(), *doubts(counts, account.lacks)])
