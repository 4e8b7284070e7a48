"""Adds a column of distances, with a Python function for each row."""

import math

import numpy as np
import pandas as pd


def distance(row):
    a, b = math.radians(row["lat1"]), math.radians(row["lat2"])  # cause
    d = math.radians(row["lon2"] - row["lon1"])  # cause
    inner = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(d)
    return 6371 * math.acos(max(-1, min(1, inner)))


def main():
    numbers = np.random.default_rng(0)
    frame = pd.DataFrame(
        {name: numbers.uniform(-80, 80, 60_000) for name in ("lat1", "lon1", "lat2", "lon2")}
    )
    frame["km"] = frame.apply(distance, axis=1)  # cause
    print(frame["km"].mean())


if __name__ == "__main__":
    main()
