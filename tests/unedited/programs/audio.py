"""Sound by its spectrogram, which the model computes; another process makes the clips.

After the loop of qiuqiangkong/audioset_tagging_cnn (MIT).
"""

import torch
from timers import counted, end, fetched, timed
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
RATE, KINDS = 8_000, 10


class Clips(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        kind = index % KINDS
        wave = torch.sin(torch.arange(RATE) * (0.05 + 0.02 * kind))
        return wave + 0.3 * torch.randn(RATE), torch.eye(KINDS)[kind]


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(256))
        self.first = nn.Conv2d(1, 16, 3, padding=1)
        self.second = nn.Conv2d(16, 32, 3, padding=1)
        self.out = nn.Linear(32, KINDS)

    def forward(self, waves):
        spectra = torch.stft(waves, 256, 128, window=self.window, return_complex=True)
        x = spectra.abs().clamp(min=1e-5).log()[:, None]
        x = nn.functional.avg_pool2d(self.first(x).relu(), 2)
        x = nn.functional.avg_pool2d(self.second(x).relu(), 2)
        return self.out(x.mean((2, 3))).sigmoid()


def evaluate(model, loader):
    model.eval()
    outputs = []
    for waves, _ in fetched(loader, "evaluation"):
        with torch.no_grad():
            outputs.append(model(waves))
    return torch.cat(outputs)


model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999), amsgrad=True)
train = DataLoader(Clips(256), batch_size=16, shuffle=True, num_workers=1)
test = DataLoader(Clips(64), batch_size=16, num_workers=1)
for _ in range(4):
    counted("epochs")
    for waves, targets in fetched(train):
        model.train()
        with timed("forward"):
            output = model(waves)
        loss = nn.functional.binary_cross_entropy(output, targets)
        with timed("backward"):
            loss.backward()
        with timed("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        end("step")
    evaluate(model, test)
