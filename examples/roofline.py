"""How close a matrix product comes to the machine, told and counted.

    laptime run --ops examples/roofline.py

One product of two 4096 by 4096 matrices in float32, in a lap that is told its FLOP and once more
in a module whose operations Laptime counts by itself. Printed beside: the same by hand.
"""

import time

import torch

import laptime as lt

SIZE = 4096
FLOP = 2 * SIZE**3


class Product(torch.nn.Module):
    """A model of one product."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(SIZE, SIZE))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight


def main(rounds: int = 6) -> None:
    """Multiplies, and prints the rate by hand."""
    torch.manual_seed(0)
    x, model = torch.randn(SIZE, SIZE), Product()
    told = counted = 0.0
    with torch.no_grad():
        model(x)  # counted as it runs
        for _ in range(rounds):
            start = time.perf_counter()
            with lt.lap("gemm", flop=FLOP, bytes=3 * 4 * SIZE**2):
                x @ model.weight
            told += time.perf_counter() - start
            start = time.perf_counter()
            model(x)
            counted += time.perf_counter() - start
    print(f"{FLOP} FLOP a product")
    print(f"gemm by hand        {rounds * FLOP / told / 1e9:8.2f} GFLOP/s")
    print(f"evaluation by hand  {rounds * FLOP / counted / 1e9:8.2f} GFLOP/s")


if __name__ == "__main__":
    main()
