"""How counts are printed, written and shown in a notebook."""

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


def test_options_choose_what_is_shown(counts):
    text = str(counts)
    assert text.startswith("net  10 parameters · 262 kMAC")
    assert counts.to_text().startswith("net  10 parameters · 262 kMAC")
    assert "by module" in text
    text = counts.to_text(by="op", exact=True)
    assert f"{MAC:,}" in text
    assert "by operator" in text
    assert "part (Linear)" not in counts.to_text(depth=0)
    assert counts.to_text(by="op", sort="name").index("aten::mm") > 0
    assert "by operator" in counts.to_markdown(by="op").lower()
    assert json.loads(counts.to_json())["total"]["mac"] == counts.mac == MAC
    rows = csv.DictReader(io.StringIO(counts.to_csv()))
    assert [row["flop"] for row in rows if row["name"] == "aten::mm"] == [str(2 * MAC)]


def test_an_option_that_is_none_names_those_that_are(counts):
    for option in ("by", "sort"):
        with pytest.raises(ValueError, match=f'{option} is one of .*, not "x"'):
            counts.to_text(**{option: "x"})
    with pytest.raises(ValueError, match="depth is a number of levels from 0"):
        counts.to_text(depth=-1)
    with pytest.raises(ValueError, match="depth is for the table of modules"):
        counts.to_markdown(by="op", depth=2)


def test_a_notebook_and_a_page_show_names_as_text(counts, tmp_path):
    assert "mine::&lt;b&gt;" in counts._repr_mimebundle_()["text/html"]
    counts.to_html(tmp_path / "counts.html")
    page = (tmp_path / "counts.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "mine::<b>" not in page
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
