"""What JAX compiles is told as `compile`, where it happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp
from jax._src import monitoring as listeners

import laptime as lt

COMPILED = "/jax/core/compile/backend_compile_duration"


def ones(*shape: int):
    """An array that nothing is compiled for."""
    return np.ones(shape, "f4")


def by_path(recording: Path):
    """The rows of spans of a recording."""
    rows = json.loads(lt.open(recording).report().to_json())["rows"]
    return {row["path"]: row for row in rows if row["kind"] == "span"}


def warnings(recording: Path) -> str:
    """What its report warns of."""
    told = json.loads(lt.open(recording).report().to_json())["warnings"]
    return "\n".join(one["message"] for one in told)


@pytest.fixture
def rows(tmp_path: Path):
    """Ends what is recorded, and tells its rows by path."""
    record = lt.record(tmp_path / "run.lap", phases=True)

    def ended():
        record.stop()
        return by_path(record.path)

    yield ended
    record.stop()


def run(folder: Path, source: str, *arguments: str, laptime: bool = True) -> str:
    """What a program prints, alone or below `laptime run` into `run.lap`."""
    script = folder / "program.py"
    script.write_text(textwrap.dedent(source))
    below = ["-m", "laptime", "run", "--force", "-o", "run.lap", "--"] if laptime else []
    command = [sys.executable, *below, str(script), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_loop_with_one_new_shape_compiles_twice(rows):
    @jax.jit
    def step(weights, batch):
        return weights - 0.1 * jnp.tanh(batch @ weights).mean()

    weights = ones(8, 8)
    for number in range(20):
        with lt.lap("step"):
            weights = lt.sync_on(step(weights, ones(4 if number < 10 else 5, 8)))
    told = rows()
    # The first call has weights of NumPy's, all others those of JAX: which is no new shape.
    assert told["step"]["count"] == 20
    assert told["step/compile"]["count"] == 2
    assert 0 < told["step/compile"]["total_ns"] <= told["step"]["total_ns"]
    assert told["step"]["self_ns"] == told["step"]["total_ns"] - told["step/compile"]["total_ns"]


def test_a_function_that_is_called_ten_times_is_compiled_once(rows):
    double = jax.jit(lambda x: x * 2)
    with lt.lap("calls"):
        for _ in range(10):
            double(ones(3))
    assert rows()["calls/compile"]["count"] == 1


def test_what_is_compiled_while_a_function_is_traced_is_a_part_of_its_compilation(rows):
    heard = []

    def hear(event, _seconds, **_):
        heard.append(event)

    @jax.jit
    def outer(x):
        with jax.ensure_compile_time_eval():
            known = jax.jit(lambda y: y + 1)(ones(7))
        return x + known.sum()

    jax.monitoring.register_event_duration_secs_listener(hear)
    try:
        with lt.lap("call"):
            outer(ones(7))
    finally:
        jax.monitoring.unregister_event_duration_listener(hear)
    assert heard.count(COMPILED) >= 2
    told = rows()
    assert told["call/compile"]["count"] == 1
    assert told["call/compile"]["total_ns"] <= told["call"]["total_ns"]


def test_a_lap_inside_a_traced_function_is_a_part_of_the_compilation(rows):
    @jax.jit
    def function(x):
        with lt.lap("layer"):
            return x * 3

    with lt.lap("call"):
        function(ones(3))
        function(ones(3))
    told = rows()
    assert told["call/compile/layer"]["count"] == 1
    assert set(told) == {"call", "call/compile", "call/compile/layer"}


def test_a_function_that_cannot_be_traced_leaves_nothing_open(rows):
    with lt.lap("call"):
        with pytest.raises(ZeroDivisionError):
            jax.jit(lambda x: x / (1 // 0))(ones(3))
        jax.jit(lambda x: x + 3)(ones(3))
    told = rows()
    assert told["call/compile"]["count"] == 2
    assert set(told) == {"call", "call/compile"}


def test_compilations_ahead_of_time_lie_where_their_stages_are(rows):
    function = jax.jit(lambda x: x + 1)
    with lt.lap("lower"):
        lowered = function.lower(ones(3))
    with lt.lap("finish"):
        lowered.compile()
    told = rows()
    assert told["lower/compile"]["count"] == told["finish/compile"]["count"] == 1


def test_each_thread_has_its_own_compilations(rows):
    together = threading.Barrier(2)

    def work(name: str, times: int):
        together.wait()
        with lt.lap(name):
            for number in range(times):
                jax.jit(lambda x, number=number: x + number)(ones(3 + times))

    threads = [threading.Thread(target=work, args=(f"thread {n}", n)) for n in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = rows()
    assert told["thread 2/compile"]["count"] == 2
    assert told["thread 3/compile"]["count"] == 3


@pytest.mark.filterwarnings("ignore:os.fork")
def test_a_fork_in_the_middle_of_a_compilation_ends_it_once(rows):
    @jax.jit
    def function(x):
        child = os.fork()
        if not child:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        return x + 1

    with lt.lap("call"):
        function(ones(3))
    told = rows()
    assert told["call/compile"]["count"] == 1
    assert set(told) == {"call", "call/compile"}


def test_listeners_are_as_they_were_when_the_recording_is_over(tmp_path: Path):
    def hear(*_, **__):
        pass

    def registered():
        return listeners.get_event_duration_listeners(), listeners.get_scalar_listeners()

    before = registered()
    with lt.record(tmp_path / "run.lap", phases=True):
        jax.monitoring.register_event_duration_secs_listener(hear)
    assert registered() == ([*before[0], hear], before[1])
    with lt.record(tmp_path / "run.lap", phases=True):
        jax.monitoring.unregister_event_duration_listener(hear)
    assert registered() == before
    with lt.record(tmp_path / "run.lap"):
        assert registered() == before


def test_our_listeners_take_whatever_they_are_told():
    from laptime._core import Compilations

    began = Compilations(lambda: 1 // 0).began
    for listener in (began, Compilations.ended):
        for event in (COMPILED, "other", None, 3):
            for value in (1.5, float("nan"), -1, "text", None):
                listener(event, value)
                listener(event, value, fun_name=3, more=object())


def test_a_program_hears_what_it_hears_alone_and_may_clear_all_listeners(tmp_path: Path):
    source = f"""
        import jax, numpy as np
        from jax import monitoring

        heard = []
        def hear(event, value, **said):
            heard.append((event, said))
        def add():
            monitoring.register_event_duration_secs_listener(hear)
            monitoring.register_scalar_listener(hear)
        add()
        jax.jit(lambda x: x + 1)(np.ones(3))
        print(heard)
        monitoring.clear_event_listeners()
        monitoring.register_event_duration_secs_listener(hear)
        jax.jit(lambda x: x + 2)(np.ones(3))
        print(heard, len(heard), sum(event == {COMPILED!r} for event, _ in heard))
    """
    assert run(tmp_path, source) == run(tmp_path, source, laptime=False)
    assert by_path(tmp_path / "run.lap")["compile"]["count"] == 1
    assert "cleared the listeners of jax.monitoring" in warnings(tmp_path / "run.lap")


def test_what_an_earlier_run_compiled_is_told_apart(tmp_path: Path):
    source = """
        import jax, numpy as np, laptime as lt

        jax.config.update("jax_compilation_cache_dir", "cache")
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        with lt.lap("call"):
            jax.jit(lambda x: x + 1)(np.ones(3))
    """
    counts = []
    for _ in range(2):
        run(tmp_path, source)
        rows = by_path(tmp_path / "run.lap")
        cached = rows.get("call/compile/cached", {"count": 0, "total_ns": 0})
        assert cached["total_ns"] <= rows["call/compile"]["total_ns"]
        counts.append((rows["call/compile"]["count"], cached["count"]))
    assert counts == [(1, 0), (1, 1)]


def test_a_jax_that_announces_no_start_gives_the_reason(tmp_path: Path):
    private = tmp_path / "jax" / "_src"
    private.mkdir(parents=True)
    (private / "__init__.py").touch()
    (private / "monitoring.py").write_text(
        "heard = []\n"
        "register_event_duration_secs_listener = heard.append\n"
        "def get_event_duration_listeners(): return list(heard)\n"
    )
    (tmp_path / "jax" / "__init__.py").write_text("from jax._src import monitoring\n")
    source = f"""
        import jax, sys
        for listener in jax.monitoring.heard:
            listener({COMPILED!r}, 0.5)
        print(len(jax.monitoring.heard), "torch" in sys.modules)
    """
    assert run(tmp_path, source) == "1 False\n"
    assert "from its version 0.6.1 on" in warnings(tmp_path / "run.lap")


def test_a_module_of_the_program_s_own_called_jax_is_left_alone(tmp_path: Path):
    (tmp_path / "jax.py").write_text("monitoring = 'mine'\n")
    assert run(tmp_path, "import jax\nprint(vars(jax)['monitoring'])") == "mine\n"
