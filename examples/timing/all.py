"""Every function of `laptime.timing`, on two small "models" that need no framework.

    python examples/timing/all.py [FOLDER]

The two files go to FOLDER, by default a temporary one.
"""

import sys
import tempfile
import time
from pathlib import Path

from laptime.timing import (
    DetailedTimer,
    benchmark_inference,
    calculate_convergence_metrics,
    calculate_speedup_ratios,
    enable_memory_tracking,
    export_timing_csv,
    export_timing_json,
    get_gpu_memory_usage,
    print_inference_benchmark,
    print_speedup_analysis,
    print_timing_summary,
    print_warmup_analysis,
    quiet,
    track_time,
    track_time_and_gpu,
    track_time_and_memory,
    track_warmup_timing,
)


def train(epochs, seconds):
    """Returns the loss of every epoch and how long each took."""
    losses, times = [], []
    for epoch in range(epochs):
        begun = time.perf_counter()
        time.sleep(seconds * (3 if epoch == 0 else 1))
        losses.append(1 / (epoch + 1))
        times.append(time.perf_counter() - begun)
    return losses, times


def main(folder):
    timers = {}

    losses, times = track_time(timers, "MLP training", train, 6, seconds=0.004)
    track_time(timers, "KAN training", train, 6, seconds=0.02)

    enable_memory_tracking()
    track_time_and_memory(timers, "SIREN", bytearray, 32 * 2**20)
    track_time_and_gpu(timers, "Model", train, 2, seconds=0.005)
    print("GPU memory:", sorted(get_gpu_memory_usage()))

    def nested():
        track_time(timers, "inner", time.sleep, 0.02)

    track_time(timers, "outer", nested)

    quiet(True)
    track_time(timers, "silent", time.sleep, 0.001)
    quiet(False)

    print_timing_summary(timers, "Section 1.1", num_datasets=2)
    ratios = calculate_speedup_ratios(timers, baseline="KAN training")
    print("ratios of:", ", ".join(ratios))
    print_speedup_analysis(timers, baseline="KAN training")

    found = calculate_convergence_metrics({"loss": losses, "epoch_time": times}, 0.25)
    print(f"converged after {found['epochs_to_converge']} epochs")
    print(calculate_convergence_metrics(losses, 0.01)["reason"])

    timer = DetailedTimer("Training")
    timer.start_phase("forward")
    time.sleep(0.02)
    timer.start_phase("attention")
    time.sleep(0.01)
    timer.end_phase("attention")
    timer.end_phase("forward")
    timer.print_breakdown()

    print_warmup_analysis(track_warmup_timing(6, times), "MLP")

    found = benchmark_inference(sorted, list(range(1000)), num_iterations=50)
    print("figures:", ", ".join(found))
    print_inference_benchmark(sorted, list(range(1000)), model_name="sorted")

    export_timing_csv(timers, Path(folder) / "times.csv", "Section 1.1")
    export_timing_json(timers, Path(folder) / "times.json", "Section 1.1")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(folder)
