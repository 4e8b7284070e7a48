"""Stand-ins are in `laptime.compat`; programs import them by the names of what they replace."""

from __future__ import annotations

import copy
import importlib
import pickle
import subprocess
import sys

import pytest

from laptime.torchtimer import ProfilingTimer

#: Those that import torch, and those that don't.
OF_TORCH = ["thop", "flop_counter", "flops_profiler", "flops_profiler.deepspeed"]
PLAIN = ["torchtimer", "timing"]


def printed(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("name", PLAIN + OF_TORCH)
def test_both_names_of_a_stand_in_have_the_same_objects(name: str) -> None:
    if name in OF_TORCH:
        pytest.importorskip("torch")
    typed = importlib.import_module(f"laptime.{name}")
    kept = importlib.import_module(f"laptime.compat.{name}")
    assert typed.__all__ == kept.__all__
    for one in kept.__all__:
        assert getattr(typed, one) is getattr(kept, one)


@pytest.mark.parametrize("name", PLAIN + OF_TORCH)
def test_what_programs_import_says_the_module_that_they_import_it_from(name: str) -> None:
    if name in OF_TORCH:
        pytest.importorskip("torch")
    typed = importlib.import_module(f"laptime.{name}")
    for each in typed.__all__:
        one = getattr(typed, each)
        of_torch = each == "register_flop_formula"
        assert one.__module__ == ("torch.utils.flop_counter" if of_torch else typed.__name__)
        assert pickle.loads(pickle.dumps(one)) is copy.deepcopy(one) is one
        assert b"compat" not in pickle.dumps(one)


def test_a_program_imports_them_in_all_ways() -> None:
    code = (
        "import laptime\n"
        "import laptime.torchtimer as t, laptime.timing\n"
        "from laptime import torchtimer\n"
        "from laptime.timing import *\n"
        "print(t is torchtimer, track_time is laptime.timing.track_time)"
    )
    assert printed(code) == "True True"


def test_flops_profiler_s_functions_are_in_its_module_too() -> None:
    pytest.importorskip("torch")
    code = (
        "from laptime.flops_profiler.profiler import get_model_profile, FlopsProfiler\n"
        "import laptime.flops_profiler as outer\n"
        "print(get_model_profile is outer.get_model_profile, FlopsProfiler.__module__)"
    )
    assert printed(code) == "True laptime.flops_profiler"


def test_none_is_loaded_before_it_is_asked_for() -> None:
    loaded = "[one for one in sys.modules if one.startswith('laptime.compat')]"
    assert printed(f"import sys, laptime; print({loaded})") == "[]"
    code = f"import sys, laptime.torchtimer; print('laptime.compat.timing' in {loaded})"
    assert printed(code) == "False"


def test_copies_are_of_the_class_that_programs_import() -> None:
    timer = ProfilingTimer(device="cpu")
    timer.start("a")
    timer.stop("a")
    for copied in (copy.deepcopy(timer), pickle.loads(pickle.dumps(timer))):
        assert type(copied) is ProfilingTimer
        assert list(copied.history("a")) == list(timer.history("a"))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        kept = pickle.dumps(timer, protocol)
        assert b"compat" not in kept
        assert type(pickle.loads(kept)) is ProfilingTimer
