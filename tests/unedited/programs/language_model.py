"""A causal language model: gradients of four batches for one update, a perplexity per epoch.

After `run_clm_no_trainer.py` of huggingface/transformers (Apache-2.0), with its GPT-2.
"""

import math

import torch
from timers import begin, counted, end, fetched, timed
from torch.utils.data import DataLoader
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
torch.set_num_threads(1)
WORDS, LENGTH, BATCH, ACCUMULATED = 256, 64, 4, 4


def blocks(count):
    """Sentences that count up from any word."""
    first = torch.randint(WORDS, (count, 1))
    words = (first + torch.arange(LENGTH)) % WORDS
    return [{"input_ids": row, "labels": row} for row in words]


config = GPT2Config(
    vocab_size=WORDS, n_positions=LENGTH, n_embd=128, n_layer=2, n_head=4, use_cache=False
)
model = GPT2LMHeadModel(config)
decayed = [p for p in model.parameters() if p.dim() > 1]
others = [p for p in model.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-3
)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, 32)
train = DataLoader(blocks(160), batch_size=BATCH, shuffle=True)
held_out = DataLoader(blocks(32), batch_size=BATCH)
for _ in range(2):
    counted("epochs")
    model.train()
    for number, batch in enumerate(fetched(train), 1):
        with timed("forward"):
            output = model(**batch)
        loss = output.loss / ACCUMULATED
        with timed("backward"):
            loss.backward()
        if number % ACCUMULATED == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            with timed("optimizer"):
                optimizer.step()
            end("step")
            scheduler.step()
            begin("step")
            with timed("optimizer", counts=False):
                optimizer.zero_grad()
            end("step", counts=False)

    model.eval()
    losses = []
    for batch in fetched(held_out, "evaluation"):
        with torch.no_grad():
            output = model(**batch)
        losses.append(output.loss.repeat(BATCH))
    math.exp(torch.cat(losses).mean().item())
