"""Places beside tensors and plain attributes that a step may write to, each alone."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import laptime as lt

torch = pytest.importorskip("torch")

PROGRAM = """
import enum, logging, os, sys
import torch
from torch import nn

class Kind(enum.Enum):
    PLAIN = 1
    SEVERAL = []

class Level(enum.IntEnum):
    LOW = 1

BYTES = bytearray(b"abc")
VIEW = memoryview(bytearray(b"abc"))

class Thing:
    'A thing.'

    def __init__(self):
        self.kept, self.more = 1, [1]

class Slim:
    __slots__ = ("__dict__",)

class Guarded(Thing):
    @property
    def __dict__(self):
        raise AttributeError("there is none")

THING, SLIM, MODEL, GUARDED = Thing(), Slim(), nn.Linear(1, 1), Guarded()
SLIM.kept = 1

def one(x=1, *, of=[1]):
    'The first.'
    return 1

def two(y=2, *, of=[2]):
    return 2

def of_a_function():
    names = ("__name__", "__qualname__", "__doc__", "__kwdefaults__", "__defaults__")
    return one(), repr([getattr(one, name) for name in names]), dict(vars(one))

OTHERS = [1]
FEED = iter({{1: 1, 2: 2}})

def of_feed():
    return next(FEED)

def step(x):
    {does}
    return x @ x
"""

#: What a step does, and what shows it.
PLACES = {
    "a bytearray's bytes": ("BYTES[0] = 0", "bytes(BYTES)"),
    "a bytearray's length": ("BYTES.extend(b'more')", "bytes(BYTES)"),
    "bytes behind a view": ("VIEW[0] = 0", "bytes(VIEW)"),
    "the value of an enum's member": ("Kind.PLAIN._value_ = 2", "Kind.PLAIN.value"),
    "what that value holds": ("Kind.SEVERAL.value.append(1)", "list(Kind.SEVERAL.value)"),
    "an attribute of a member": ("Level.LOW.seen = 1", "vars(Level.LOW).get('seen')"),
    "a new variable": ("os.environ['A_STEP_WAS_HERE'] = '1'", "dict(os.environ)"),
    "a variable that was there": ("os.environ['PATH'] = '/nowhere'", "dict(os.environ)"),
    "a variable that is deleted": ("del os.environ['PATH']", "dict(os.environ)"),
    "an object's dictionary": ("THING.__dict__ = {'new': 1}", "repr(vars(THING))"),
    "that and what was in it": (
        "own = vars(THING); THING.__dict__ = {}; own.clear(); THING.new = 1",
        "repr(vars(THING))",
    ),
    "an object's dictionary in a slot": ("SLIM.__dict__ = {'new': 1}", "repr(vars(SLIM))"),
    "a module's dictionary": ("MODEL.__dict__ = {}", "repr(MODEL)"),
    "that of one that hides it": (
        "object.__setattr__(GUARDED, 'new', 1)",
        "getattr(GUARDED, 'new', None)",
    ),
    "a function's code": ("one.__code__ = two.__code__", "of_a_function()"),
    "all of a function": (
        "one.__name__ = one.__qualname__ = one.__doc__ = 'x'; one.__defaults__ = (3,); "
        "one.__kwdefaults__ = {'of': 3}; one.__dict__ = {'new': 1}",
        "of_a_function()",
    ),
    "a default by a keyword": ("one.__kwdefaults__['of'].append(2)", "of_a_function()"),
    "a class's documentation": ("Thing.__doc__ = 'x'", "Thing.__doc__"),
    "a new global": ("globals()['NEW'] = 1", "globals().get('NEW')"),
    "a global that isn't named": (
        "globals()['OTH' + 'ERS'] = 1; globals()['TH' + 'ING'] = 2",
        "(repr(OTHERS), type(THING).__name__)",
    ),
    "what such a global holds": ("globals()['OTH' + 'ERS'].append(2)", "list(OTHERS)"),
    "a global of a module": ("vars(sys.modules[__name__])['OTHERS'] = 5", "repr(OTHERS)"),
    "a global of a module that is its own": (
        "setattr(sys.modules[__name__], 'OTH' + 'ERS', 5)",
        "repr(OTHERS)",
    ),
    "a global in text": ("exec('OTHERS = 5', globals())", "repr(OTHERS)"),
    "an iterator of a module that is kept whole": (
        "globals()['NEW'] = of_feed()",
        "(globals().get('NEW'), isinstance(FEED, type(iter({}))))",
    ),
    "a new attribute of a library's class": (
        "logging.Handler.seen = 1",
        "vars(logging.Handler).get('seen')",
    ),
    "an attribute of a library's class": (
        "logging.Formatter.default_msec_format = None",
        "logging.Formatter.default_msec_format",
    ),
    "a library's class by a name of its own": (
        "handler = logging.Handler; handler.seen = 1",
        "vars(logging.Handler).get('seen')",
    ),
    "a library's method": ("nn.Linear.forward = None", "nn.Linear.forward.__qualname__"),
    "a library's global": ("logging.raiseExceptions = False", "logging.raiseExceptions"),
    "a library that is imported inside": (
        "import logging.handlers as them; them.SYSLOG_UDP_PORT = 0",
        "__import__('logging.handlers').handlers.SYSLOG_UDP_PORT",
    ),
    "a module of one's own that is imported inside": (
        "import own_rates; own_rates.rate = 2; own_rates.rates.append(2)",
        "(sys.modules['own_rates'].rate, list(sys.modules['own_rates'].rates))",
    ),
    "a module of a package of one's own": (
        "from own_package import rates; rates.rate = 2",
        "sys.modules['own_package.rates'].rate",
    ),
    "a function of one's own that is imported inside": (
        "from own_rates import raised; raised()",
        "sys.modules['own_rates'].rate",
    ),
}

RATES = """
rate, rates = 1, []

def raised():
    global rate
    rate += 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where programs can import modules of their own, which are gone afterwards."""
    (tmp_path / "own_rates.py").write_text(RATES)
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package" / "__init__.py").touch()
    (tmp_path / "own_package" / "rates.py").write_text(RATES)
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("program", "own_rates", "own_package"):
            del sys.modules[name]


def program(folder: Path, does: str) -> ModuleType:
    (folder / "program.py").write_text(PROGRAM.format(does=does))
    for name in ("own_rates", "own_package.rates", "logging.handlers"):
        importlib.import_module(name)
    return importlib.import_module("program")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mode", ["fake", "real"])
def test_what_a_step_writes_there_is_put_back(folder: Path, place: str, mode: str) -> None:
    does, shown = PLACES[place]
    written = program(folder, does)
    before = eval(shown, vars(written))  # noqa: S307
    counted = lt.count(written.step, torch.ones(2, 2), mode=mode)
    assert counted.flop == 12 or counted.flop == 16, "the step ran"
    assert eval(shown, vars(written)) == before  # noqa: S307


def test_an_iterator_that_two_functions_and_their_module_hold_gives_all_again(
    folder: Path,
) -> None:
    written = program(folder, "globals()['NEW'] = of_feed(), next(FEED)")
    iterator = written.FEED
    for _ in range(3):
        lt.count(written.step, torch.ones(2, 2))
    assert (written.of_feed(), next(written.FEED)) == (1, 2)
    assert written.FEED is iterator
    assert not hasattr(written, "NEW")


def test_what_a_library_writes_into_itself_stays(folder: Path) -> None:
    written = program(folder, "logging.addLevelName(77, 'A_STEP'); logging.seen = 1")
    lt.count(written.step, torch.ones(2, 2))
    assert written.logging.getLevelName(77) == "A_STEP"
    assert not hasattr(written.logging, "seen")
