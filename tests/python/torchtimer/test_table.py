"""The printed table, to the character."""

from __future__ import annotations

import pytest

from laptime.compat.torchtimer._table import table

NET, PEAK = (0, 0), (3_984_588, 3_984_588)


def segment(name, count, total_ns, net=NET, peak=PEAK):
    return name, count, total_ns, net, peak


def test_the_table_is_laid_out_to_the_character():
    rows = [segment("'default'", 1000, 1_610_135_000)]
    assert table("timer", "main", 1_610_135_000, rows) == (
        "###### timer::main: (total runtime 1.610135s)\n"
        "| name      | repeats    | average time | total time   | % total time    "
        "| net mem alloc        | peak mem alloc       |\n"
        "| --------- | ---------- | ------------ | ------------ | --------------- "
        "| -------------------- | -------------------- |\n"
        "| 'default' | 1000       | 0.00161013   | 1.610135     | 100.0           "
        "| 0B - 0B              | 3.8MB - 3.8MB        |\n"
    )


def test_a_wide_value_widens_its_column_and_nothing_is_cut():
    most = 1_099_511_627_775
    rows = [
        segment("'a'", 123_456_789_012, 1_234_567_890_123_456, (-most, most)),
        segment("'b'", 1, 5_000),
    ]
    assert table("t", "c", 2_000_000_000_000_000, rows) == (
        "###### t::c: (total runtime 2000000.0s)\n"
        "| name | repeats      | average time | total time       | % total time    "
        "| net mem alloc        | peak mem alloc       |\n"
        "| ---- | ------------ | ------------ | ---------------- | --------------- "
        "| -------------------- | -------------------- |\n"
        "| 'a'  | 123456789012 | 1e-05        | 1234567.89012346 | 61.73           "
        "| -1024.0GB - 1024.0GB | 3.8MB - 3.8MB        |\n"
        "| 'b'  | 1            | 5e-06        | 5e-06            | 0.0             "
        "| 0B - 0B              | 3.8MB - 3.8MB        |\n"
    )


def test_the_longest_total_stands_first_and_equal_ones_stay_in_order():
    text = table("t", "c", 17, [segment("'a'", 1, 5), segment("'b'", 1, 7), segment("'c'", 1, 5)])
    places = [text.index(name) for name in ("'b'", "'a'", "'c'")]
    assert places == sorted(places)


def test_a_zero_total_prints_zero_and_memory_not_read_a_dash():
    text = table("t", "c", 0, [segment("3", 2, 0, None, None)])
    dash = "\N{EN DASH}"
    assert f"| 3    | 2          | 0.0          | 0.0          | 0.0             | {dash}  " in text
    assert text.startswith("###### t::c: (total runtime 0.0s)\n")


@pytest.mark.parametrize(
    ("count", "printed"),
    [
        (0, "0B"),
        (512, "512B"),
        (-512, "-512B"),
        (-1, "-1B"),
        (1023, "1023B"),
        (1024, "1.0KB"),
        (4096, "4.0KB"),
        (-4096, "-4.0KB"),
        (3_984_588, "3.8MB"),
        (1 << 50, "1024.0TB"),
    ],
)
def test_bytes_go_in_steps_of_1024(count, printed):
    assert f"| {printed} - {printed} " in table("t", "c", 5, [segment("'a'", 1, 5, (count, count))])
