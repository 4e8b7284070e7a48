"""Of all Python tests: they run in a random order, which is printed; `--all` takes all there is.

Without it suites that are large take a fixed part: `make test` has that, `make test-all` the whole.
With `--in-process` a test that starts a process is skipped: what is left answers within seconds.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "warm"))

from warm import Warm

#: As in any Python; a program that is started from it gets the system's again.
_AS_USUAL = {signal.SIGINT: signal.default_int_handler}
# What starts the tests in the background ignores these, and every program would inherit that.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _AS_USUAL.get(_number, signal.SIG_DFL))


#: What the interpreter tells of a process that is to be started.
_STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec"}
#: Whether a test runs that must not start one.
_alone = False
#: Whether it tried to, in a thread whose exceptions nobody sees, perhaps.
_refused = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", default=False, help="all there is, not a fixed part"
    )
    parser.addoption(
        "--in-process", action="store_true", default=False, help="skip what starts a process"
    )


def pytest_configure(config: pytest.Config) -> None:
    # Of pytest-xdist, which need not be there.
    config.addinivalue_line("markers", "xdist_group(name): tests that one worker takes")
    # The order is random, and nothing else: a test that needs a seed sets it.
    if hasattr(config.option, "randomly_reset_seed"):
        config.option.randomly_reset_seed = False
    if config.getoption("--in-process"):
        sys.addaudithook(_skip)
    asked = [it for it in os.environ if it.startswith("LAPTIME") and "_TEST_" not in it]
    if asked:
        pytest.exit(f"{asked[0]} is set, and tests say by themselves what is recorded: unset it", 2)
    # A table is as wide as it is for everybody, whatever terminal the tests run in; a worker of
    # xdist has a width of its own.
    for size in ("COLUMNS", "LINES"):
        os.environ.pop(size, None)


def _skip(event: str, _: object) -> None:
    global _refused
    # PyTorch asks the system something as it is imported, and can't be imported twice.
    if _alone and event in _STARTS and not _imports():
        _refused = True
        pytest.skip("starts a process")


def _imports() -> bool:
    """Whether a module is being imported."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    global _refused
    _refused = False
    try:
        return (yield)
    except Exception:
        if _refused:
            pytest.skip("starts a process")
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    global _alone
    _alone = bool(item.config.getoption("--in-process"))
    try:
        return (yield)
    finally:
        _alone = False


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """An interpreter with torch, to be forked."""
    warm = Warm(tmp_path_factory.mktemp("warm"))
    yield warm
    warm.close()


@pytest.fixture(autouse=True)
def _no_report_contradicts_itself() -> Iterator[None]:
    """What Laptime reported in this process passed its checker (tests/README.md)."""
    yield
    core = sys.modules.get("laptime._core")
    # Not there in what is released.
    contradictions = getattr(core, "_contradictions", list)()
    assert contradictions == []


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m interpreter` no file is imported that has none of these: others need torch."""
    if config.option.markexpr != "interpreter":
        return None
    tests = collection_path.rglob("test_*.py") if collection_path.is_dir() else [collection_path]
    return not any("pytest.mark.interpreter" in test.read_text("utf-8") for test in tests) or None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    seed = getattr(terminalreporter.config.option, "randomly_seed", None)
    if isinstance(seed, int):
        terminalreporter.write_line(f"order: --randomly-seed={seed}")
