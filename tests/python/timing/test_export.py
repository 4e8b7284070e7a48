"""Timers as CSV and JSON."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from laptime.timing import export_timing_csv, export_timing_json

TIMERS: dict[str, Any] = {
    "MLP": 1.5,
    'a|b,\n"c"': {"time": 0.1, "peak_memory_mb": 234.5, "more": {"runs": 3}},
    "SIREN": {"time": 2, "peak_memory_mb": None},
}


def test_csv_has_the_columns_and_one_for_each_nested_value(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("what was there before is replaced\n" * 9)
    export_timing_csv(TIMERS, path, "Section 1.1")
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["Section", "Model", "Time (s)", "peak_memory_mb", "more.runs"],
        ["Section 1.1", "MLP", "1.5", "", ""],
        # A line break is shown, as every control character is: a row is a line.
        ["Section 1.1", 'a|b,\\n"c"', "0.1", "234.5", "3"],
        ["Section 1.1", "SIREN", "2", "", ""],
    ]


def test_json_has_a_timestamp_and_the_structure(tmp_path: Path) -> None:
    path = tmp_path / "times.json"
    export_timing_json(TIMERS, str(path), "Section 1.1")
    found = json.loads(path.read_text())
    assert list(found) == ["section", "timestamp", "timers"]
    assert found["section"] == "Section 1.1"
    assert datetime.fromisoformat(found["timestamp"]).tzinfo is not None
    assert found["timers"] == TIMERS
    assert list(found["timers"]) == list(TIMERS)


def test_no_timers_give_valid_files(tmp_path: Path) -> None:
    export_timing_csv({}, tmp_path / "a.csv", "s")
    assert (tmp_path / "a.csv").read_bytes() == b"Section,Model,Time (s)\r\n"
    export_timing_json({}, tmp_path / "a.json", "s")
    assert json.loads((tmp_path / "a.json").read_text())["timers"] == {}


def test_every_digit_is_kept(tmp_path: Path) -> None:
    exact = {"a": 0.1 + 0.2, "tiny": 1e-300, "big": 123456789.123456789}
    export_timing_json(exact, tmp_path / "a.json", "s")
    assert json.loads((tmp_path / "a.json").read_text())["timers"] == exact
    export_timing_csv(exact, tmp_path / "a.csv", "s")
    lines = (tmp_path / "a.csv").read_text().splitlines()[1:]
    assert [float(line.rsplit(",", 1)[1]) for line in lines] == list(exact.values())


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    timers = {"a": np.float64(1.5), "b": {"time": np.float32(0.5), "n": np.int64(3)}}
    export_timing_json(timers, tmp_path / "a.json", "s")
    found = json.loads((tmp_path / "a.json").read_text())["timers"]
    assert found == {"a": 1.5, "b": {"time": 0.5, "n": 3}}


def test_numbers_of_torch_are_numbers_and_texts_stay_texts(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    held = {
        "time": torch.tensor(0.5),
        "count": torch.tensor(3),
        "large": 2**70,
        "several": torch.ones(2),
        "digits": "7",
        "bytes": b"7",
        "beyond": float("inf"),
    }
    export_timing_json({"a": held}, tmp_path / "a.json", "s")
    found = json.loads((tmp_path / "a.json").read_text())["timers"]["a"]
    several = "tensor([1., 1.])"
    assert found == {
        "time": 0.5,
        "count": 3,
        "large": 2**70,
        "several": several,
        "digits": "7",
        "bytes": "b'7'",
        "beyond": None,
    }
    assert isinstance(found["count"], int)


@pytest.mark.parametrize("export", [export_timing_csv, export_timing_json])
def test_bad_input_writes_nothing(export: Any, tmp_path: Path) -> None:
    path = tmp_path / "a"
    for timers, section, error in [
        ({"a": "x"}, "s", TypeError),
        ({"a": {}}, "s", ValueError),
        ({"a": 1.0}, 3, TypeError),
        ([], "s", TypeError),
    ]:
        with pytest.raises(error):
            export(timers, path, section)
    assert not path.exists()
    with pytest.raises(FileNotFoundError):
        export({"a": 1.0}, tmp_path / "no" / "folder", "s")
    with pytest.raises(TypeError):
        export({"a": 1.0}, None, "s")
