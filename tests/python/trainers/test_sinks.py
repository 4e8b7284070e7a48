"""What loggers are given, read back by their own readers."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import laptime as lt
from laptime.integrations import (
    jsonl,
    mlflow as mlflow_sink,
    prometheus,
    tensorboard,
    wandb as wandb_sink,
)


def train(steps: int = 6) -> None:
    for _ in range(steps):
        with lt.lap("step"):
            with lt.lap("forward"):
                pass


def test_tensorboard_reads_what_was_written(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with tensorboard.log(tmp_path / "own", every=2):
        train()
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(tmp_path / "given"))
    with tensorboard.log(writer, every=3):
        train()
    writer.close()
    for folder, count in (("own", 3), ("given", 2)):
        read = EventAccumulator(str(tmp_path / folder))
        read.Reload()
        assert len(read.Scalars("laptime/step_ms")) == count
        assert all(0 < event.value <= 1 for event in read.Scalars("laptime/forward_share"))


def test_mlflow_reads_what_was_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as active:
        with mlflow_sink.log(every=2):
            train()
    history = mlflow.MlflowClient().get_metric_history(active.info.run_id, "laptime/step_ms")
    assert len(history) == 3
    with pytest.raises(RuntimeError, match="no run is active"):
        mlflow_sink.log()


def test_wandb_reads_what_was_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run = wandb.init(project="test", dir=str(tmp_path))
    with wandb_sink.log(every=2):
        for number in range(3):
            train(2)
            run.log({"loss": number})
    folder = Path(run.settings.sync_dir)
    run.finish()
    wandb.teardown()  # its service writes on after `finish`; this waits for the service's end
    from wandb.proto import wandb_internal_pb2

    rows = []
    for data in records(next(folder.glob("*.wandb")).read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        if record.HasField("history"):
            items = record.history.item
            rows.append({item.key or "/".join(item.nested_key): item.value_json for item in items})
    assert [row["loss"] for row in rows] == ["0", "1", "2"], "the program's rows are its own"
    assert all("laptime/step_ms" in row for row in rows), rows


def records(file: bytes) -> Iterator[bytes]:
    """The records of a run's file: LevelDB's log, in blocks of 32 KiB, after a header of 7 bytes.

    Its own reader is in its service, which Python doesn't reach; records are its own protobuf.
    """
    block, at, record = 32_768, 7, b""
    while at + 7 <= len(file):
        if block - at % block < 7:
            at += block - at % block
            continue
        length, kind = int.from_bytes(file[at + 4 : at + 6], "little"), file[at + 6]
        record += file[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield record
            record = b""


def test_prometheus_reads_the_file(tmp_path: Path) -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    path = tmp_path / "training.prom"
    with prometheus.log(path, every=2):
        with lt.lap("step"):
            with lt.lap('a "name"\n'):
                pass
        train(1)
    families = {
        family.name: family for family in parser.text_string_to_metric_families(path.read_text())
    }
    assert families["laptime_step_ms"].samples[0].value > 0
    labels = {sample.labels["phase"] for sample in families["laptime_phase_share_ratio"].samples}
    assert labels == {'a "name"\n', "forward"}
    assert os.listdir(tmp_path) == ["training.prom"]


def test_two_at_once_and_each_line_is_json(tmp_path: Path) -> None:
    paths = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    with jsonl.log(paths[0], every=2), jsonl.log(paths[1], every=3):
        train()
    read: list[list[dict[str, Any]]] = [
        [json.loads(line) for line in path.read_text().splitlines()] for path in paths
    ]
    assert [len(lines) for lines in read] == [3, 2]
    assert read[0][-1]["laptime/step"] == read[1][-1]["laptime/step"]


@pytest.mark.parametrize("module", [jsonl, prometheus, tensorboard])
def test_a_folder_that_takes_nothing_is_one_warning(
    module: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if module is tensorboard:
        pytest.importorskip("tensorboard")
    file = tmp_path / "a file"
    file.write_text("")
    with caplog.at_level(logging.WARNING, "laptime"):
        with module.log(file / "in it", every=1):
            train(3)
    told = [record for record in caplog.records if record.name == "laptime"]
    assert len(told) == 1


@pytest.mark.parametrize(
    "name", ["wandb", "mlflow", "tensorboard", "transformers", "lightning", "keras"]
)
def test_a_library_that_is_missing_is_named_with_the_line_that_installs_it(name: str) -> None:
    blocked = "torch.utils.tensorboard" if name == "tensorboard" else name
    call = "m.log('x')" if name == "tensorboard" else "m.log()"
    code = (
        f"import sys, importlib; sys.modules[{blocked!r}] = None\n"
        f"m = importlib.import_module('laptime.integrations.{name}'); {call}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert f"needs {name}, which is not installed: pip install {name}" in done.stderr
