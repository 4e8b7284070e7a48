"""What counts say when they are printed, written and shown in a notebook."""

import copy
import csv
import io
import json

import pytest

from laptime._core import Feed, OpCounts, Shape

ROWS, INNER, COLUMNS = 64, 128, 32
MAC = ROWS * INNER * COLUMNS


@pytest.fixture
def counts() -> OpCounts:
    """A product in a module, and an operator that nobody knows."""
    feed = Feed()
    product = feed.operator("aten::mm", ["self", "mat2"])
    unknown = feed.operator("mine::<b>", ["self"])
    feed.module("", kind="Net", params=10, calls=1)
    part = feed.module("part", kind="Linear", params=10, calls=1)
    left, right = Shape([ROWS, INNER], "float32"), Shape([INNER, COLUMNS], "float32")
    feed.add(product, [left, right], [Shape([ROWS, COLUMNS], "float32")], module=part)
    feed.add(unknown, [left], [left], module=part)
    return feed.finish()._of("net", inputs=[("x", (64, 128), "float32")], how="by hand")


def test_printing_shows_the_table_with_its_conventions(counts):
    text = str(counts)
    assert text.startswith("net  10 parameters · 262.14 kMAC · 524.29 kFLOP · coverage 50.0 %\n")
    assert "input x 64\N{MULTIPLICATION SIGN}128 float32; by hand" in text
    assert "part (Linear)" in text
    assert "1 MAC = 2 FLOP" in text


def test_options_choose_the_table_and_its_digits(counts):
    text = counts.to_text(by="op", exact=True)
    assert f"{MAC:,}" in text
    assert "by operator" in text
    assert "by module" not in text
    assert "part (Linear)" not in counts.to_text(depth=0)
    assert "by operator" in counts.to_markdown(by="op").lower()


@pytest.mark.parametrize("option", ["by", "sort"])
def test_an_option_that_is_none_names_those_that_are(counts, option):
    with pytest.raises(ValueError, match=f"{option} is one of .*, not 'x'".replace("'x'", '"x"')):
        counts.to_text(**{option: "x"})


def test_json_and_csv_have_every_digit(counts):
    read = json.loads(counts.to_json())
    assert (read["schema"], read["version"]) == ("laptime-operations", 1)
    assert read["total"]["mac"] == counts.mac == MAC
    assert read["total"]["bytes_read"] == counts.bytes_read
    assert read["uncounted"][0]["elements"] == ROWS * INNER
    rows = list(csv.DictReader(io.StringIO(counts.to_csv())))
    product = next(row for row in rows if row["name"] == "aten::mm")
    assert int(product["flop"]) == 2 * MAC
    unknown = next(row for row in rows if row["table"] == "operator" and "mine" in row["name"])
    assert unknown["flop"] == ""


def test_a_notebook_and_a_page_show_names_as_text(counts, tmp_path):
    assert "mine::&lt;b&gt;" in counts._repr_mimebundle_()["text/html"]
    counts.to_html(tmp_path / "counts.html")
    page = (tmp_path / "counts.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "mine::<b>" not in page


def test_a_page_that_cannot_be_written_names_its_path(counts, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere"):
        counts.to_html(tmp_path / "nowhere" / "counts.html")


def test_a_column_that_is_not_there_is_told_with_those_that_are(counts):
    for owner in (counts, counts.by_module["part"]):
        with pytest.raises(
            AttributeError, match=r'has no "flops": did you mean flop\? It has .*mac'
        ):
            owner.flops  # noqa: B018
    assert not hasattr(counts, "_repr_markdown_")


def test_a_row_that_is_not_there_is_told_with_those_that_are(counts):
    with pytest.raises(KeyError, match=r'no module .*"nope.*; there are .*"part"'):
        counts.by_module["nope"]
    # The likely ones come first.
    with pytest.raises(KeyError, match=r'no operator .*"mm.*; there are \W*aten::mm'):
        counts.by_op["mm"]
    with pytest.raises(KeyError, match=r"no phase .*backward.*; there are .*forward"):
        counts.by_phase["backward"]
    assert counts.by_op.get("mm") is None
    assert isinstance(counts.by_op, dict)
    assert copy.copy(counts.by_op).keys() == {"aten::mm", "mine::<b>"}


def test_levels_that_say_nothing_are_refused(counts):
    with pytest.raises(ValueError, match="depth is a number of levels from 0"):
        counts.to_text(depth=-1)
    with pytest.raises(ValueError, match="depth is for the table of modules"):
        counts.to_markdown(by="op", depth=2)
