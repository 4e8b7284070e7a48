"""Two processes that share the weights of one model between them.

After `distributed/FSDP2` of pytorch/examples (BSD-3-Clause), on processors.
"""

import os

import torch
import torch.multiprocessing as mp
from timers import begin, end, timed, write
from torch import distributed, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

WORDS, LENGTH, WIDTH = 64, 32, 128


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, 0.0, batch_first=True) for _ in range(2)
        )
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        x = self.words(words)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def main(rank, world_size, meeting_point):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{meeting_point}", rank=rank, world_size=world_size
    )
    mesh = init_device_mesh("cpu", (world_size,))
    model = Language()
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    torch.manual_seed(rank)
    for _ in range(50):
        words = torch.randint(WORDS, (8, LENGTH))
        begin("step")
        with timed("forward"):
            output = model(words)
        loss = nn.functional.cross_entropy(output.flatten(0, 1), words.flatten())
        with timed("backward"):
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        with timed("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        end("step")
    distributed.destroy_process_group()
    write()


if __name__ == "__main__":
    mp.spawn(main, args=(2, os.path.abspath("meeting point")), nprocs=2)
