"""Figures as text, and wheels unpacked without pip."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from last_word import last_word
from page import cell, figure, page
from unpack import unpack


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("laptime_ms", 70.1234, "laptime 70.123 ms"),
        ("host_us", 0.1, "host 0.100 µs"),
        ("overhead_ratio", -0.0042, "overhead -0.42%"),
        ("inner_peak_bytes", 2147483648, "inner peak 2,147,483,648 bytes"),
        ("inner_peak_bytes", None, "inner peak None"),
        ("laps_timed_count", 50, "laps timed 50"),
        ("device_is_right", True, "device is right True"),
        ("control", "survived", "control survived"),
    ],
)
def test_a_figure_has_its_name_and_unit(name: str, value: object, text: str) -> None:
    assert figure(name, value) == text


def test_a_cell_ends_neither_its_row_nor_itself() -> None:
    assert cell("a | b\n c") == "a \\| b c"


def test_a_dry_run_says_that_its_numbers_mean_nothing() -> None:
    assert "dry run" in page({}, [], dry=True)
    assert "dry run" not in page({}, [], dry=False)


def test_a_wheel_is_unpacked_with_what_it_keeps_apart(tmp_path: Path) -> None:
    wheel, target = tmp_path / "a.whl", tmp_path / "site"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("laptime/__init__.py", "x = 1\n")
        archive.writestr("laptime-1.data/purelib/laptime.pth", "import y\n")
        archive.writestr("laptime-1.data/scripts/laptime", "no")
        archive.writestr("../outside", "no")
    unpack(wheel, target)
    found = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert found == {"laptime/__init__.py", "laptime.pth"}
    assert not (tmp_path / "outside").exists()


def test_the_last_word_of_a_program_is_its_error_and_not_the_advice_after_it() -> None:
    text = "Traceback …\n  x.cuda()\ntorch.AcceleratorError: CUDA error: no\nSearch for `no` in …\n"
    assert last_word(text) == "torch.AcceleratorError: CUDA error: no"
    assert last_word("Segmentation fault\n\n") == "Segmentation fault"
    assert last_word("") == "no word"
