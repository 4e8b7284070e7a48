"""Keras's own `fit` with Laptime's callback, on two of its backends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from warm import Warm

import laptime as lt

pytestmark = [
    pytest.mark.skipif(find_spec("keras") is None, reason="keras is not installed"),
    # One interpreter with Keras at a time: each holds 700 MB.
    pytest.mark.xdist_group("keras"),
]

CODE = """
import json, sys, time
import numpy, keras
import laptime as lt
from laptime import _core
from laptime.integrations.keras import LaptimeCallback

class Fails(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        raise KeyboardInterrupt

class FailsInside(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        raise KeyboardInterrupt

model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = numpy.zeros((32, 8)), numpy.zeros((32, 1))
callback = LaptimeCallback()
begun = time.perf_counter()
history = model.fit(*data, batch_size=8, epochs=2, verbose=0, callbacks=[callback]).history
took = time.perf_counter() - begun
row = lt.report()[("step",)]
for fails in Fails(), FailsInside():
    try:
        model.fit(*data, batch_size=8, verbose=0, callbacks=[LaptimeCallback(), fails])
    except KeyboardInterrupt:
        pass
path = [name for name in _core.current_path()]
print(json.dumps([history, row.count, row.total_ns / 1e9, took, path]))
"""


@pytest.fixture(scope="module")
def keras_on_torch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An interpreter that has imported Keras for this backend."""
    modules, environment = ("torch._dynamo", "keras"), {"KERAS_BACKEND": "torch"}
    warm = Warm(tmp_path_factory.mktemp("keras"), modules, environment)
    yield warm.python
    warm.close()


@pytest.mark.parametrize(
    ("backend", "shares"), [("jax", {"data", "train"}), ("torch", {"data", "forward", "backward"})]
)
def test_figures_are_in_the_history(
    run: Any, backend: str, shares: set[str], request: pytest.FixtureRequest
) -> None:
    python: str | Path = sys.executable
    if backend == "torch":
        python = request.getfixturevalue("keras_on_torch")
    else:
        pytest.importorskip(backend)
    done = run(CODE, env={"KERAS_BACKEND": backend}, python=python)
    history, count, seconds, took, path = json.loads(done.stdout.splitlines()[-1])
    assert len(history["laptime/step_ms"]) == len(history["loss"]) == 2
    assert {f"laptime/{share}_share" for share in shares} <= set(history)
    assert count == 8
    assert 0 < seconds <= took
    if backend == "jax":
        assert path == [], "a training that was interrupted left a lap open"


COMPILED = """
import json, numpy, keras
from laptime.integrations.keras import LaptimeCallback

model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = numpy.zeros((32, 8)), numpy.zeros((32, 1))
model.fit(*data, batch_size=8, epochs=2, verbose=0, callbacks=[LaptimeCallback()])
"""


def test_what_is_compiled_in_a_step_is_a_lap_inside_of_it(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    script, recording = tmp_path / "train.py", tmp_path / "run.lap"
    script.write_text(COMPILED)
    command = [sys.executable, "-m", "laptime", "run", "-o", str(recording), str(script)]
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    summary = json.loads(lt.open(recording).report().to_json())
    rows = {row["path"]: row for row in summary["rows"]}
    assert rows["step/train/compile"]["count"] >= 1
    outermost = [row["share_ratio"] for row in summary["rows"] if len(row["names"]) == 1]
    assert sum(outermost) == pytest.approx(1, abs=1e-3)
    assert not [one for one in summary["warnings"] if one["code"] == "doubled"]


OPTIMIZER = """
import json, sys, time
import numpy, keras
import laptime as lt
from laptime.integrations.keras import LaptimeCallback

class Timed(keras.optimizers.{base}):
    seconds = 0.0
    def _backend_update_step(self, *args, **named):
        begun = time.perf_counter()
        try:
            return super()._backend_update_step(*args, **named)
        finally:
            self.seconds += time.perf_counter() - begun

model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(8), keras.layers.Dense(1)])
optimizer = Timed(gradient_accumulation_steps={every})
model.compile(optimizer, "mse")
data = numpy.zeros((32, 8)), numpy.zeros((32, 1))
model.fit(*data, batch_size=8, epochs=2, verbose=0, callbacks=[LaptimeCallback()])
report = lt.report()
told = report[("step", "optimizer")].total_ns / 1e9, report[("step",)].total_ns / 1e9
print(json.dumps([optimizer.seconds, *told, report[("step",)].count]))
"""


@pytest.mark.parametrize(("base", "every"), [("Adam", None), ("SGD", 2), ("Muon", None)])
def test_the_optimizer_that_keras_calls_itself_is_a_phase(
    run: Any, base: str, every: int | None, keras_on_torch: Path
) -> None:
    code = OPTIMIZER.format(base=base, every=every)
    done = run(code, env={"KERAS_BACKEND": "torch"}, python=keras_on_torch)
    inside, optimizer, steps, count = json.loads(done.stdout.splitlines()[-1])
    assert count == 8 // (every or 1)
    # One lies in the other, so that nothing is left to how busy the machine is.
    assert 0 < inside < optimizer < steps
