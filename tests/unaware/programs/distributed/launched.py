"""Two ranks as torchrun starts them: by variables in the environment; one fails at its end."""
# needs: torch

import os
import subprocess
import sys

WORK = """
import os, sys
import torch, torch.distributed as dist
dist.init_process_group("gloo", init_method="file://" + os.environ["TMPDIR"] + "/store",
                        rank=int(os.environ["RANK"]), world_size=2)
x = torch.full((2,), float(dist.get_rank() + 1))
dist.all_reduce(x)
gathered = [None, None]
dist.all_gather_object(gathered, {"rank": dist.get_rank(), "pid": None})
model = torch.nn.Linear(2, 1, bias=False)
torch.nn.init.ones_(model.weight)
with torch.no_grad():
    print(x.tolist(), gathered, model(x).item(), flush=True)
dist.barrier()
dist.destroy_process_group()
if os.environ["RANK"] == "1":
    raise SystemExit(7)
"""
ranks = []
for rank in range(2):
    variables = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
    ranks.append(
        subprocess.Popen(
            [sys.executable, "-c", WORK],
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    )
for process in ranks:
    out, err = process.communicate()
    print(out, process.returncode)
    print("\n".join(line for line in err.splitlines() if not line.startswith("laptime: ")))
store = os.path.join(os.environ["TMPDIR"], "store")
if os.path.exists(store):  # Its last user removes it, where there is one.
    os.remove(store)
