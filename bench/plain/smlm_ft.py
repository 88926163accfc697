"""SMLM-FT: Algorithm 1's second loop in two passes, as one writes it down from the paper: the model is moved on reconstruction and on the
head's opinion of what it transfers, then the sentences go through the model again for the head's own step."""

import torch
from torch import nn
from torch.nn import functional as F

import smlm
from data import PAD
from smlm import padding, reconstruction


class Head(nn.Module):
    """A linear layer over the mean state of a sentence's words."""

    def __init__(self, dim):
        super().__init__()
        self.head = nn.Linear(dim, 2)

    def forward(self, states, words=None):
        """words [B, T] is 1 at a word and 0 at padding; without it all states are words."""
        if words is None:
            return self.head(states.mean(1))
        return self.head((states * words.unsqueeze(2)).sum(1) / words.sum(1, keepdim=True))


class Task(smlm.Task):
    def build(self):
        self.head = Head(self.case["smlm"]["dim"])
        return smlm.SMLM(self.case)

    def modules(self):
        return [self.model, self.head]

    def item(self, ids, mask, style):
        return super().item(ids, mask, style) + (torch.tensor(style),)

    def collate(self, rows):
        return super().collate([i[:-1] for i in rows]) + (torch.stack([i[-1] for i in rows]),)

    def judge(self, states, ids):
        """Style logits of the words' states: those of the codes and of the padding are left out."""
        states = states[:, : ids.shape[1]]
        return self.head(states, (ids != PAD).to(states.dtype) if self.padded else None)

    def loss(self, batch):
        same, other, target, ids, _, style = batch
        rec = self.model(same, padding(same, self.padded))
        inv = self.model(other, padding(other, self.padded))
        return self.case["style"] * F.cross_entropy(self.judge(inv, ids), 1 - style) + self.case[
            "reconstruct"
        ] * reconstruction(self.model, rec, target, self.padded)

    def head_loss(self, batch):
        same, _, _, ids, _, style = batch
        with torch.no_grad():
            states = self.model(same, padding(same, self.padded))
        return F.cross_entropy(self.judge(states, ids), style)

    def step(self, player, batch, autocast):
        value = player.step(lambda: self.loss(batch), autocast)
        player.second.step(lambda: self.head_loss(batch), autocast)
        return value
