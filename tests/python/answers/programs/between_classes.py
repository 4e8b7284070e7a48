"""A trainer whose callback evaluates after each step."""

import torch


class Callback:
    def after_step(self, trainer):
        pass


class Evaluate(Callback):
    def __init__(self, data):
        self.data = data

    def after_step(self, trainer):
        right = 0
        for row, target in self.data:
            right += int(trainer.model(row).argmax() == target)  # cause
        trainer.log.append(right)


class Trainer:
    def __init__(self, callbacks):
        self.model = torch.nn.Linear(64, 10)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.callbacks = callbacks
        self.log = []

    def training_step(self, batch, target):
        loss = torch.nn.functional.cross_entropy(self.model(batch), target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def fit(self, batches):
        for batch, target in batches:
            self.training_step(batch, target)
            for callback in self.callbacks:
                callback.after_step(self)


torch.manual_seed(0)
torch.set_num_threads(1)
held_out = list(zip(torch.randn(400, 64), torch.randint(0, 10, (400,))))
batches = [(torch.randn(32, 64), torch.randint(0, 10, (32,))) for _ in range(150)]
Trainer([Callback(), Evaluate(held_out)]).fit(batches)
