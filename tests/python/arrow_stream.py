"""Reads Arrow's C stream interface with nothing but ctypes, as any consumer would."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any


class Schema(ctypes.Structure):
    """`struct ArrowSchema` of the C data interface."""


Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", c_void_p),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


class Array(ctypes.Structure):
    """`struct ArrowArray` of the C data interface."""


Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", c_void_p),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


class Stream(ctypes.Structure):
    """`struct ArrowArrayStream` of the C stream interface."""


Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(c_char_p, POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, POINTER(Stream))),
    ("private_data", c_void_p),
]

NUMBERS = {
    b"L": ctypes.c_uint64,
    b"l": ctypes.c_int64,
    b"I": ctypes.c_uint32,
    b"g": ctypes.c_double,
}


def read(table: Any) -> tuple[dict[str, list[Any]], int]:
    """The columns of a table, and in how many batches they came."""
    capsule = table.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    stream = ctypes.cast(pointer(capsule, b"arrow_array_stream"), POINTER(Stream))
    schema = Schema()
    assert stream.contents.get_schema(stream, schema) == 0
    fields = [schema.children[index].contents for index in range(schema.n_children)]
    columns: dict[str, list[Any]] = {field.name.decode(): [] for field in fields}
    batches = 0
    while True:
        batch = Array()
        assert stream.contents.get_next(stream, batch) == 0
        if not batch.release:
            break
        batches += 1
        for index, field in enumerate(fields):
            columns[field.name.decode()] += column(field.format, batch.children[index].contents)
        release(batch, Array)
    release(schema, Schema)
    stream.contents.release(stream)
    return columns, batches


def release(structure: Any, kind: Any) -> None:
    ctypes.CFUNCTYPE(None, POINTER(kind))(structure.release)(structure)


def column(kind: bytes, array: Any) -> list[Any]:
    rows = range(array.offset, array.offset + array.length)
    if kind == b"u":
        ends = ctypes.cast(array.buffers[1], POINTER(ctypes.c_int32))
        text = array.buffers[2]
        values = [
            ctypes.string_at(text + ends[row], ends[row + 1] - ends[row]).decode() if text else ""
            for row in rows
        ]
    else:
        numbers = ctypes.cast(array.buffers[1], POINTER(NUMBERS[kind]))
        values = [numbers[row] for row in rows]
    if not array.buffers[0]:
        return values
    valid = ctypes.cast(array.buffers[0], POINTER(ctypes.c_uint8))
    return [
        value if valid[row // 8] >> row % 8 & 1 else None
        for row, value in zip(rows, values, strict=True)
    ]
