"""Distributed tensors: what a rank runs, and not what they try out."""

import pytest

import laptime as lt

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def mesh():
    import torch.distributed as distributed
    from torch.distributed.device_mesh import init_device_mesh

    distributed.init_process_group("gloo", rank=0, world_size=1, store=distributed.HashStore())
    yield init_device_mesh("cpu", (1,))
    distributed.destroy_process_group()


@pytest.mark.parametrize("mode", ["fake", "real"])
@pytest.mark.parametrize("rows", [8, 12])
def test_the_first_call_of_an_operator_costs_what_the_second_does(mesh, mode, rows):
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    # Shapes that no other case has: what is known of them from before would hide it.
    rows += 100 * (mode == "real")

    def run(a, b):
        a = distribute_tensor(a, mesh, [Shard(0)])
        b = distribute_tensor(b, mesh, [Replicate()])
        return ((a @ b).relu() @ b.T).to_local().sum()

    forward = 2 * (2 * rows * 16 * 4)
    a, b = torch.randn(rows, 16), torch.randn(16, 4)
    for _ in range(2):
        counts = lt.count(run, a, b, mode=mode)
        assert (counts.flop, counts.by_op["aten::mm"].calls) == (forward, 2)
        assert counts.by_op["aten::relu"].calls == 1
    a, b = (torch.randn(rows + 1, 16, requires_grad=True), b.requires_grad_())
    forward = 2 * (2 * (rows + 1) * 16 * 4)
    for _ in range(2):
        counts = lt.count(run, a, b, mode=mode, backward=True)
        assert (counts.flop, counts.by_op["aten::mm"].calls) == (3 * forward, 6)
