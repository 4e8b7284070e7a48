"""Speech, short utterances first: every epoch has a loader of its own.

After the first, sorted epochs of SeanNaren/deepspeech.pytorch (MIT).
"""

import torch
from timers import counted, end, fetched, timed
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Subset

torch.manual_seed(0)
torch.set_num_threads(1)
LETTERS, BANDS, EPOCHS = 20, 24, 5


class Recognizer(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.listen = nn.LSTM(BANDS, width, batch_first=True, bidirectional=True)
        self.spell = nn.Linear(2 * width, LETTERS)

    def forward(self, sounds):
        return self.spell(self.listen(sounds)[0]).log_softmax(2)


def utterance(length):
    text = torch.randint(1, LETTERS, (length,))
    sound = nn.functional.one_hot(text, BANDS).float().repeat_interleave(4, 0)
    return sound + 0.2 * torch.randn(sound.shape), text


def collate(batch):
    sounds, texts = zip(*batch)
    heard = torch.tensor([len(sound) for sound in sounds])
    spelled = torch.tensor([len(text) for text in texts])
    return pad_sequence(sounds, batch_first=True), torch.cat(texts), heard, spelled


corpus = [utterance(4 + index // 32) for index in range(384)]
model = Recognizer()
criterion = nn.CTCLoss(zero_infinity=True)
optimizer = torch.optim.SGD(model.parameters(), lr=3e-3, momentum=0.9, nesterov=True)
for epoch in range(EPOCHS):
    counted("epochs")
    known = Subset(corpus, range(len(corpus) * (epoch + 1) // EPOCHS // 16 * 16))
    loader = DataLoader(known, batch_size=16, shuffle=epoch > 0, collate_fn=collate)
    for sounds, texts, heard, spelled in fetched(loader):
        with timed("forward"):
            output = model(sounds)
        output = output.transpose(0, 1)
        with timed("forward", counts=False):
            loss = criterion(output, texts, heard, spelled)
        if not loss.isfinite():
            raise ArithmeticError("the loss is not finite")
        with timed("optimizer", counts=False):
            optimizer.zero_grad()
        with timed("backward"):
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 400)
        with timed("optimizer"):
            optimizer.step()
        end("step")
    for group in optimizer.param_groups:
        group["lr"] /= 1.1
