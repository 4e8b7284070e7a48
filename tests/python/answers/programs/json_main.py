"""A simulation that writes its whole state as JSON after each turn."""

import json
import os


def main():
    state = {
        "turn": 0,
        "units": [{"id": n, "at": [n, n + 1], "name": f"u{n}"} for n in range(6000)],
    }
    for turn in range(60):
        state["turn"] = turn
        for unit in state["units"]:
            unit["at"][0] += 1
        with open(os.devnull, "w") as file:
            json.dump(state, file)  # cause


if __name__ == "__main__":
    main()
