"""Transformers: a tiny model from a config, trained by its Trainer for two steps."""
# needs: torch, transformers, accelerate

import torch
from seen import digest, randomness
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(0)
config = BertConfig(64, 16, 2, 2, 32, max_position_embeddings=16)
model = BertForSequenceClassification(config)
data = [
    {"input_ids": torch.arange(n, n + 8), "attention_mask": torch.ones(8).long(), "labels": n % 2}
    for n in range(8)
]
arguments = TrainingArguments(
    "out",
    max_steps=2,
    per_device_train_batch_size=2,
    logging_steps=1,
    save_steps=2,
    report_to=[],
    disable_tqdm=True,
    use_cpu=True,
    eval_strategy="steps",
    eval_steps=1,
)
trainer = Trainer(model, arguments, train_dataset=data, eval_dataset=data[:4])
result = trainer.train()
print(result.global_step, result.training_loss.hex())
print([{k: v for k, v in e.items() if "loss" in k} for e in trainer.state.log_history])
print(digest(model.state_dict()), randomness())
