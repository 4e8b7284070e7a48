"""Interpreters that Laptime cannot measure are refused at import, with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from laptime._interpreter import check

pytestmark = pytest.mark.interpreter


@pytest.mark.parametrize(
    ("is_free_threaded", "is_locked"), [(False, True), (True, True), (None, True), ("", True)]
)
def test_an_interpreter_with_its_lock_is_measured(is_free_threaded: Any, is_locked: bool) -> None:
    check(is_free_threaded, is_locked)


@pytest.mark.parametrize("is_free_threaded", [True, 1])
def test_a_lock_that_is_kept_off_is_refused_with_what_to_do(is_free_threaded: Any) -> None:
    with pytest.raises(ImportError, match=r"PYTHON_GIL=0.*Without that setting"):
        check(is_free_threaded, False)


def test_importing_laptime_asks(run: Any) -> None:
    code = """
import sys, sysconfig
known = sysconfig.get_config_var
sysconfig.get_config_var = lambda name: 1 if name == "Py_GIL_DISABLED" else known(name)
sys._is_gil_enabled = lambda: False
try:
    import laptime
except ImportError as error:
    print(str(error).split(":")[0], "laptime" in sys.modules)
"""
    printed = run(code).stdout
    assert printed == "laptime needs the interpreter's lock (GIL), which is switched off False\n"
