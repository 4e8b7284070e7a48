"""Lightning: its Trainer for two steps, with validation, a callback and a checkpoint."""
# needs: torch, lightning
# subset: no

import logging
import os
import pathlib
import shutil
import warnings

import lightning
import torch
from seen import digest, randomness
from torch import nn
from torch.utils.data import DataLoader

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
called = []


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 1)

    def training_step(self, batch, number):
        loss = self.inner(batch).square().mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, number):
        self.log("valid", self.inner(batch).mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)


class Tells(lightning.Callback):
    def on_before_optimizer_step(self, trainer, module, optimizer):
        called.append(("step", type(optimizer).__name__))

    def on_train_batch_end(self, trainer, module, outputs, batch, number):
        called.append(("batch", outputs["loss"].item().hex()))


lightning.seed_everything(0, verbose=False)
net = Net()
loader = DataLoader(torch.randn(8, 3), batch_size=4)
trainer = lightning.Trainer(
    max_steps=2,
    accelerator="cpu",
    devices=1,
    logger=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    callbacks=[Tells()],
    default_root_dir=os.getcwd(),
)
trainer.fit(net, loader, loader)
print(*called, sep="\n")
print(trainer.callback_metrics, trainer.global_step, digest(net.state_dict()), randomness())
# What it wrote names the folder that it ran in, which differs from run to run.
for path in sorted(pathlib.Path("checkpoints").iterdir()):
    print(path.name, digest(torch.load(path, weights_only=False)["state_dict"]))
shutil.rmtree("checkpoints")
