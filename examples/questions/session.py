"""What a notebook's cell measures: a recording inside a program, as often as the cell is run."""

import time

import laptime as lt

for _run in range(2):
    lt.reset()
    for _ in lt.track(range(40), "step"):
        with lt.lap("load"):
            time.sleep(0.002)
        with lt.lap("fit"):
            time.sleep(0.01)
