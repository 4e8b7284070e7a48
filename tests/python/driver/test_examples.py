"""The examples of examples/devices, unedited: on the CPU, and on a fake device of known work."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from warm import Warm

import laptime as lt

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "examples/devices"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))

#: Work by layer, as scripted.py has it: forward and backward, in milliseconds.
LINEAR, CONVOLUTION = (2.0, 3.0), (7.0, 11.0)
OPTIMIZER, COPY = 1.0, 0.5

Table = dict[str, list[str]]


def ran(name: str, folder: Path, *begin: str | Path, **environment: str) -> tuple[Table, str]:
    """The table that an example prints, by its first column, and all that it prints."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    done = subprocess.run(
        [*begin, str(EXAMPLES / f"{name}.py")],
        env={**kept, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    head = next(at for at, line in enumerate(lines) if "CPU ms" in line)
    rows = (line.split() for line in lines[head + 1 :] if not line.startswith(("device:", "its ")))
    return {row[0]: row[1:] for row in rows}, done.stdout


@pytest.fixture
def on_device(
    tmp_path: Path, fake_driver: Path, warm_on_device: Warm
) -> Callable[[str], tuple[Table, str]]:
    """As `ran`, of an example that has the fake device."""
    begin = warm_on_device.python, HERE / "scripted.py"
    return lambda name: ran(name, tmp_path, *begin, LD_LIBRARY_PATH=str(fake_driver))


def ms(per_step: float, steps: int) -> str:
    """As the examples print it."""
    return f"{per_step * steps:.2f}"


def test_there_are_five_of_them_and_they_are_short() -> None:
    assert NAMES == [
        "accuracy",
        "convolution",
        "larger_network",
        "small_network",
        "timer_per_part",
    ]
    for name in NAMES:
        assert 30 <= len((EXAMPLES / f"{name}.py").read_text().splitlines()) <= 60, name


@pytest.mark.parametrize("name", NAMES)
def test_on_the_cpu_the_devices_column_is_a_dash_with_its_reason(
    name: str, tmp_path: Path, warm: Warm
) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a device")
    # One of them is started as it is by who reads it.
    table, said = ran(name, tmp_path, warm.python if name != NAMES[0] else sys.executable)
    at = 1 if name == "convolution" else 2
    assert {row[at] for row in table.values()} == {"\N{EN DASH}"}
    assert all(float(row[at - 1]) > 0 for row in table.values())
    build = "no NVIDIA driver" if torch.version.cuda else "this PyTorch is built without CUDA"
    assert f"device: {build}" in said


def test_the_small_network_has_what_its_two_layers_gave_the_device(
    tmp_path: Path, on_device: Callable[[str], tuple[Table, str]]
) -> None:
    table, said = on_device("small_network")
    steps = 29 * 3
    forward, backward = 2 * LINEAR[0], 2 * LINEAR[1]
    wanted = {
        "step": 2 * COPY + forward + backward + OPTIMIZER,
        "step/forward": forward,
        "step/backward": backward,
        "step/optimizer": OPTIMIZER,
    }
    for path, each in wanted.items():
        count, _, on_device = table[path]
        assert (int(count), on_device) == (steps, ms(each, steps)), path
    assert "device: timed by its own events" in said
    report = lt.open(tmp_path / "small_network.lap").report()
    assert report["step"].device_ns == round(wanted["step"] * steps * 1e6)


def test_the_larger_network_has_it_for_each_layer(
    on_device: Callable[[str], tuple[Table, str]],
) -> None:
    table, _ = on_device("larger_network")
    steps = 8 * 3
    for layer in (0, 2, 4):
        count, _, on_device, _ = table[f"step/forward/Sequential/{layer}"]
        assert (int(count), on_device) == (steps, ms(LINEAR[0], steps)), layer
    for path, each in (
        ("step/forward/Sequential", 3 * LINEAR[0]),
        ("step/forward/Sequential/1", 0),
        ("step/backward", 3 * LINEAR[1]),
        ("step/backward/Sequential", 3 * LINEAR[1]),
        ("step/optimizer", OPTIMIZER),
    ):
        assert table[path][2] == ms(each, steps), path
    assert table["step/backward"][3] == "0", "the device still had the forward to do"


def test_the_convolution_has_time_and_memory(on_device: Callable[[str], tuple[Table, str]]) -> None:
    table, said = on_device("convolution")
    steps = 15 * 2
    forward, backward = (2 * CONVOLUTION[at] + LINEAR[at] for at in (0, 1))
    # 4 MiB are kept of each convolution and 1 of the last layer, with 2 or 1 more for a moment.
    for path, each, peak in (
        ("step", 2 * COPY + forward + backward + OPTIMIZER, "10.00"),
        ("step/forward", forward, "10.00"),
        ("step/backward", backward, "1.00"),
        ("step/optimizer", OPTIMIZER, "0.00"),
    ):
        _, on_device, _, device_peak = table[path]
        assert (on_device, device_peak) == (ms(each, steps), peak), path
    assert "its memory: by its allocator" in said


def test_the_training_has_its_evaluation_and_when_it_was_good_enough(
    tmp_path: Path, on_device: Callable[[str], tuple[Table, str]]
) -> None:
    table, said = on_device("accuracy")
    steps, evaluations = 23 * 10, 10
    for path, each, count in (
        ("step", 2 * COPY + 2 * sum(LINEAR) + OPTIMIZER, steps),
        ("step/forward", 2 * LINEAR[0], steps),
        ("evaluation/forward", 2 * LINEAR[0], evaluations),
    ):
        assert (int(table[path][0]), table[path][2]) == (count, ms(each, count)), path
    accuracies = [line.split()[-1] for line in said.splitlines() if ": accuracy" in line]
    kept = lt.open(tmp_path / "accuracy.lap").metrics()["accuracy"]
    assert [f"{value:.1%}" for _, value in kept] == accuracies
    values = [value for _, value in kept]
    first = next(at for at, value in enumerate(values) if value >= 0.9)
    words = ["report", "accuracy.lap", "--until", "accuracy >= 0.9"]
    until = subprocess.run(
        [sys.executable, "-m", "laptime", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert f"{23 * (first + 1)} steps" in until.stdout, until.stderr


def test_the_timers_have_each_part(on_device: Callable[[str], tuple[Table, str]]) -> None:
    table, said = on_device("timer_per_part")
    steps = 8 * 10
    for part, each in (
        ("copy", 2 * COPY),
        ("forward", 2 * LINEAR[0]),
        ("backward", 2 * LINEAR[1]),
        ("update", OPTIMIZER),
    ):
        assert (int(table[part][0]), table[part][2]) == (steps, ms(each, steps)), part
    assert "device: timed by its own events" in said
