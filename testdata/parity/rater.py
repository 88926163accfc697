"""Records a rater (package smlm, rater.go): see make.py for how to run this and for the files.

rater.safetensors holds outputs (input.ids, of which input.lengths words count), what stands in their sources (input.was), the
sentences they are outputs of (input.sentences) and the styles asked for (input.asked), with

    expect.logits   logits of the best score in style, content and fluency
    expect.rates    log of the product of the three probabilities
    expect.loss     cross-entropy and .3 times the loss of pairs

and ten steps of training to input.best, the number of two readers who gave the best score, and to the order of input.totals, the sums
of both readers' scores.
"""

import torch
from torch import nn
from torch.nn import functional as F

from make import BATCH, DIM, DST, SMLM, SPECIAL, VOCAB, Record, build, positions, train

WORDS = 7


class Rater(SMLM):
    """An SMLM's encoder over an output and the code of the style asked for; the vectors of words do not learn."""

    def __init__(self):
        super().__init__()
        del self.out
        self.was = nn.Linear(DIM, DIM)
        self.rating = nn.Linear(3 * DIM, 3)
        self.embedding.weight.requires_grad_(False)

    def forward(self, ids, was, asked):
        new = torch.cat([ids != was, torch.zeros(len(ids), 1, dtype=torch.bool)], dim=1).float().unsqueeze(2)
        words = torch.cat([ids, (DST + asked).unsqueeze(1)], dim=1)
        before = torch.cat([was, torch.zeros(len(was), 1, dtype=torch.int64)], dim=1)
        x = (self.embedding(words) + self.was(self.embedding(before)) * new) * DIM**0.5 + positions(words.shape[1])
        states = self.encoder(x)
        changed = (states * new).sum(1) / new.sum(1).clamp(min=1)
        return self.rating(torch.cat([states[:, -1], states[:, :-1].mean(1), changed], dim=1))


def trained(model):
    """The parameters that learn, as Record and train ask for them."""
    return lambda *args: ((n, p) for n, p in nn.Module.named_parameters(model) if p.requires_grad)


def make_rater():
    torch.manual_seed(31)
    was = torch.randint(SPECIAL, VOCAB, (BATCH, WORDS))
    ids = torch.where(torch.rand(BATCH, WORDS) < 0.3, torch.randint(SPECIAL, VOCAB, (BATCH, WORDS)), was)
    ids[0], ids[1] = was[0], (was[1] - SPECIAL + 1) % (VOCAB - SPECIAL) + SPECIAL  # nothing is new, and all is
    lengths, sentences = torch.tensor([7, 7, 5, 7, 6, 5]), torch.tensor([0, 0, 0, 1, 1, 1])
    asked, best = torch.tensor([0, 0, 1, 1, 1, 1]), torch.randint(0, 3, (BATCH, 3))
    totals = torch.tensor([9, 4, 11, 7, 8, 3])  # 7 and 8 are half a point apart, and 2 is in another style: three pairs
    model = build(Rater, 34)
    record = Record(ids=ids, was=was, lengths=lengths, sentences=sentences, asked=asked, best=best, totals=totals)

    def all_logits():
        return torch.cat([model(i[:n].unsqueeze(0), w[:n].unsqueeze(0), a.unsqueeze(0)) for i, w, n, a in zip(ids, was, lengths, asked)])

    def loss():
        logits = all_logits()
        rates = F.logsigmoid(logits).sum(1)
        pairs = [
            F.softplus(rates[j] - rates[i])
            for i in range(BATCH)
            for j in range(BATCH)
            if sentences[i] == sentences[j] and asked[i] == asked[j] and totals[i] - totals[j] >= 2
        ]
        return F.binary_cross_entropy_with_logits(logits, best / 2) + 0.3 * torch.stack(pairs).mean()

    logits = all_logits()
    record.put("expect.logits", logits.flatten())
    record.put("expect.rates", F.logsigmoid(logits).sum(1))
    record.put("expect.loss", loss().reshape(1))
    record.put("embedding.weight", model.embedding.weight)
    model.named_parameters = trained(model)
    model.parameters = lambda: (p for _, p in model.named_parameters())
    train(record, model, loss)
    record.put("final.embedding.weight", model.embedding.weight)
    record.save("rater")


if __name__ == "__main__":
    make_rater()
