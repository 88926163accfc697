"""Records the language model: see make.py for how to run and read this.

A sentence w1 .. wn is read as <bos> w1 .. wn and predicted as w1 .. wn <eos>. The model has numbers of its own: <unk>, <eos>, the known
words, and <bos>, which is only read. expect.logprob is of the six sentences, of the first three words of each, and of the empty sentence.
"""

import torch
from torch import nn
from torch.nn import functional as F

from make import SPECIAL, VOCAB, Record, build, sentences, train

RARE = [15, 20, 22]  # words that are unknown
NUMBERS = torch.arange(VOCAB)  # the numbers that words get here: rare words come last
NUMBERS[sorted(range(SPECIAL, VOCAB), key=lambda w: w in RARE)] = torch.arange(SPECIAL, VOCAB)
KNOWN = range(SPECIAL, VOCAB - len(RARE))
UNK, EOS, FIRST = 0, 1, 2
CLASSES = FIRST + len(KNOWN)
BOS = CLASSES


class LanguageModel(nn.Module):
    """Embedding -> LSTM -> projection -> vocabulary layer, whose weights are those of the embedding."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(CLASSES + 1, 8)
        self.lstm = nn.ModuleList([nn.LSTM(8, 6, batch_first=True)])
        self.project = nn.Linear(6, 8, bias=False)
        self.out = nn.ParameterDict({"bias": nn.Parameter(torch.zeros(CLASSES))})

    def forward(self, read):
        states, _ = self.lstm[0](self.embedding(read))
        return F.linear(self.project(states), self.embedding.weight[:CLASSES], self.out["bias"])


def read_and_said(ids):
    classes = torch.full((VOCAB,), UNK)
    classes[list(KNOWN)] = torch.arange(FIRST, CLASSES)
    words, edge = classes[ids], torch.ones(len(ids), 1, dtype=torch.int64)
    return torch.cat([BOS * edge, words], dim=1), torch.cat([words, EOS * edge], dim=1)


def logprob(model, ids):
    read, said = read_and_said(ids)
    return F.log_softmax(model(read), dim=2).gather(2, said.unsqueeze(2)).sum(dim=(1, 2))


def make_lm():
    ids = NUMBERS[sentences(12)[0]]
    model, record = build(LanguageModel, 13, spread=0.5), Record(ids=ids)
    read, said = read_and_said(ids)
    with torch.no_grad():  # training starts from the words' frequencies
        counts = 1.0 + torch.bincount(said.flatten(), minlength=CLASSES).double()
        model.out["bias"].copy_((counts / counts.sum()).log())
    record.put("expect.bias", model.out["bias"])
    record.put("expect.logits", model(read).flatten(0, 1))
    record.put("expect.logprob", torch.cat([logprob(model, x) for x in (ids, ids[:, :3], ids[:1, :0])]))
    train(record, model, lambda: F.cross_entropy(model(read).flatten(0, 1), said.flatten()))
    record.save("lm")


if __name__ == "__main__":
    torch.set_num_threads(1)
    make_lm()
