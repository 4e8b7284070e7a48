"""A compiled language model: no loader, micro-batches, the next batch fetched before the backward.

After `train.py` of karpathy/nanoGPT (MIT).
"""

import torch
from timers import begin, end, timed
from torch import nn
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
torch.set_num_threads(1)
WORDS, LENGTH, BATCH, WIDTH, HEADS, MICRO_BATCHES = 64, 64, 6, 128, 4, 2


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                WIDTH, HEADS, 4 * WIDTH, 0.0, batch_first=True, norm_first=True
            )
            for _ in range(2)
        )
        self.head = nn.Linear(WIDTH, WORDS)
        self.register_buffer("later", torch.ones(LENGTH, LENGTH).triu(1).bool())

    def forward(self, words, following):
        x = self.words(words) + self.places.weight
        for block in self.blocks:
            x = block(x, self.later, is_causal=True)
        logits = self.head(x)
        return logits, cross_entropy(logits.flatten(0, 1), following.flatten())


text = torch.randint(WORDS, (20_000,)).sort().values


def get_batch():
    starts = torch.randint(len(text) - LENGTH - 1, (BATCH,)).tolist()
    words = torch.stack([text[start : start + LENGTH] for start in starts])
    return words, torch.stack([text[start + 1 : start + LENGTH + 1] for start in starts])


@torch.no_grad()
def estimate_loss():
    model.eval()
    for _ in range(6):
        words, following = get_batch()
        with timed("evaluation"):
            _, loss = model(words, following)
        loss.item()
    model.train()


model = torch.compile(Language(), backend="aot_eager")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
scaler = torch.amp.GradScaler("cpu", enabled=False)
words, following = get_batch()
for iteration in range(30):
    if iteration % 10 == 0:
        estimate_loss()
    for _ in range(MICRO_BATCHES):
        begin("step")
        with timed("forward"):
            logits, loss = model(words, following)
        loss = loss / MICRO_BATCHES
        words, following = get_batch()
        scaled = scaler.scale(loss)
        with timed("backward"):
            scaled.backward()
    with timed("optimizer", counts=False):
        scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    with timed("optimizer"):
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
    end("step")
