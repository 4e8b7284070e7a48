"""`lt.ranks`: who holds the ranks of a job up, as Python sees it."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest

import laptime as lt

FIXTURES = Path(__file__).parents[2] / "crates/laptime-cli/tests/fixtures"


@pytest.fixture(scope="module")
def found() -> lt.Ranks:
    return lt.ranks(FIXTURES / "job.lap")


def test_the_slow_rank_and_what_another_one_does_alone(found: lt.Ranks) -> None:
    (slow,) = found.culprits
    assert (slow.rank, slow.part, slow.when) == (2, "data", "from")
    assert slow.first_step is not None
    assert abs(slow.first_step - 100) <= 2
    assert slow.period is None
    # It slept 2.1 ms longer for each of 8 samples.
    assert 16e6 < slow.excess_ns < 18e6
    (alone,) = found.of_their_own
    assert (alone.rank, alone.part, alone.when, alone.period) == (0, "other", "every", 50)
    assert 299e6 < alone.excess_ns < 305e6


def test_what_it_costs_has_an_interval(found: lt.Ranks) -> None:
    assert found.held_up_interval is not None
    low, high = found.held_up_interval
    assert low < found.held_up_ratio < high
    assert found.headline.startswith("Rank 2 holds the others up from step ")
    assert found.headline in " ".join(str(found).split())
    assert found.step_count == 300


def test_every_form_has_the_answer(found: lt.Ranks, tmp_path: Path) -> None:
    written = json.loads(found.to_json())
    assert written["slow"][0]["rank"] == 2
    assert found.headline in found.to_markdown()
    assert found.to_csv().startswith("rank,pid,step_ns,data_ns,")
    found.to_html(tmp_path / "job.html")
    assert "Rank 2 holds the others up" in (tmp_path / "job.html").read_text()
    assert set(found._repr_mimebundle_()) == {"text/plain", "text/html", "text/markdown"}
    assert copy.deepcopy(found) is found
    with pytest.raises(TypeError, match="to_json"):
        pickle.dumps(found)


def test_what_is_no_job_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="is a rank that takes steps: `laptime run torchrun"):
        lt.ranks(FIXTURES / "training.lap")
    with pytest.raises(ValueError, match=r"rank 0 is in .*job.lap and in .*job.lap"):
        lt.ranks([FIXTURES / "job.lap", FIXTURES / "job.lap"])
    with pytest.raises(FileNotFoundError):
        lt.ranks("missing.lap")
    with pytest.raises(ValueError, match="holds no recording"):
        lt.ranks([])
