"""torch.package: a model and its code in an archive, imported again under a mangled name."""
# needs: torch

import sys

import torch
from seen import digest, seed
from torch.package import PackageExporter, PackageImporter

sys.path.insert(0, ".")
with open("own_net.py", "w") as file:
    file.write(
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.inner = torch.nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        return self.inner(x) + 1\n"
    )
import own_net

seed(0)
net = own_net.Net()
net(torch.ones(1, 2)).sum().backward()
with PackageExporter("package.pt") as exporter:
    exporter.intern("own_net")
    exporter.extern("torch.**")
    exporter.save_pickle("model", "model.pkl", net)
importer = PackageImporter("package.pt")
again = importer.load_pickle("model", "model.pkl")
print(type(again).__module__, digest(again(torch.ones(1, 2))) == digest(net(torch.ones(1, 2))))
print(sorted(line.strip() for line in str(importer.file_structure()).splitlines() if "own" in line))
