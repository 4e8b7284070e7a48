"""Transformers without their Trainer: a tiny model from a config, trained and asked by hand."""
# needs: torch, transformers

import torch
from seen import digest, randomness, seed
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel

seed(0)
model = BertForMaskedLM(BertConfig(64, 16, 2, 2, 32, max_position_embeddings=16))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
tokens = torch.randint(0, 64, (2, 8))
for _ in range(2):
    optimizer.zero_grad()
    out = model(input_ids=tokens, labels=tokens, output_attentions=False)
    out.loss.backward()
    optimizer.step()
    print(out.loss.item().hex())
model.save_pretrained("saved")
print(digest(BertForMaskedLM.from_pretrained("saved").state_dict()) == digest(model.state_dict()))
writer = GPT2LMHeadModel(GPT2Config(64, 32, 16, 2, 2, bos_token_id=0, eos_token_id=1)).eval()
print(writer.generate(tokens[:, :3], max_new_tokens=4, do_sample=True, pad_token_id=1))
print(digest(model.state_dict()), randomness())
