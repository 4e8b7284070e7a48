"""Captures a CUDA graph: `captures.py laps` under laps, `control` beside a naive thread."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading

import stage
import torch

import laptime as lt


def laps() -> None:
    """Captures under laps, and replays."""
    x = torch.zeros(1_024, device=stage.DEVICE)
    graph, begun, is_over = torch.cuda.CUDAGraph(), threading.Event(), threading.Event()

    def other() -> None:
        torch.cuda.set_device(0)
        while not is_over.is_set():
            with lt.lap("other thread"):
                pass
            begun.set()

    with stage.recorded() as recorded:
        thread = threading.Thread(target=other)
        thread.start()
        begun.wait()
        try:
            with torch.cuda.graph(graph):
                for _ in range(100):
                    with lt.lap("captured"):
                        x.add_(1)
        finally:
            is_over.set()
            thread.join()
        before = float(x[0])
        with lt.lap("replay"):
            graph.replay()
        torch.cuda.synchronize()
    report = recorded.report
    told = {
        "replayed_count": float(x[0]) - before,
        "why": report["captured"].why("device_ns"),
        "replay_timed_count": report["replay"].device_count or 0,
        "other_thread_laps_count": report["other thread"].count,
    }
    print(json.dumps(told))


def control() -> None:
    """Captures while another thread asks an event."""
    x = torch.zeros(1_024, device=stage.DEVICE)
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    torch.cuda.synchronize()

    def ask() -> None:
        torch.cuda.set_device(0)
        query = ctypes.CDLL("libcuda.so.1").cuEventQuery
        query.argtypes = [ctypes.c_void_p]
        query(event.cuda_event)

    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            x.add_(1)
            thread = threading.Thread(target=ask)
            thread.start()
            thread.join()
            x.add_(1)
    except RuntimeError as error:
        print(json.dumps(str(error).splitlines()[0]))
    else:
        print(json.dumps(None))
    # What a lost capture leaves behind may not end well, and isn't looked at.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    {"laps": laps, "control": control}[sys.argv[1]]()
