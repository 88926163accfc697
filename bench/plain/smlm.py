"""SMLM: a Transformer encoder that refills masked words (Narasimhan et al.), as torch.nn has it."""

import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from data import IGNORE, PAD, SPECIAL, source

LONGEST = 256


def sinusoids(n, dim):
    """The encoding of positions of Vaswani et al. 2017, section 3.5."""
    at = torch.arange(n, dtype=torch.float64).unsqueeze(1)
    rate = torch.exp(torch.arange(0, dim, 2, dtype=torch.float64) * (-math.log(10000.0) / dim))
    table = torch.zeros(n, dim, dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = torch.sin(at * rate), torch.cos(at * rate)
    return table.float()


class SMLM(nn.Module):
    def __init__(self, case):
        super().__init__()
        shape = case["smlm"]
        layer = nn.TransformerEncoderLayer(shape["dim"], shape["heads"], shape["ff"], dropout=shape["dropout"], batch_first=True)
        self.embedding = nn.Embedding(case["vocab"], shape["dim"])
        self.encoder = nn.TransformerEncoder(layer, shape["layers"])
        self.out = nn.Linear(shape["dim"], case["vocab"])
        self.dropout = nn.Dropout(shape["dropout"])
        self.register_buffer("positions", sinusoids(LONGEST, shape["dim"]), persistent=False)

    def place(self, ids):
        x = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)
        return self.dropout(x + self.positions[: ids.shape[1]])

    def forward(self, ids, pad=None):
        """States of all positions [B, T + 2, d]; pad is true where a position is only padding."""
        return self.encoder(self.place(ids), src_key_padding_mask=pad)


def padding(ids, padded):
    """The key padding mask, or none for sentences of one length."""
    return ids == PAD if padded else None


def reconstruction(model, states, target, padded):
    """Mean of -log q(x_t). In a padded batch targets reach over the codes and the padding, which are ignored."""
    if not padded:
        states = states[:, : target.shape[1]]
    return F.cross_entropy(model.out(states).flatten(0, 1), target.flatten(), ignore_index=IGNORE)


def pad(rows, value):
    return pad_sequence(rows, batch_first=True, padding_value=value)


class Task:
    """What the worker drives: batches, the loss of one, and the transfer of one."""

    def __init__(self, case, sentences):
        self.case, self.padded = case, case["padded"]
        self.model = self.build()
        self.items = [self.item(*s) for s in sentences]

    def build(self):
        return SMLM(self.case)

    def modules(self):
        return [self.model]

    def item(self, ids, mask, style):
        return source(ids, mask, style, style), source(ids, mask, style, 1 - style), ids, mask

    def collate(self, rows):
        """Inputs that ask for the same style and for the other, targets, ids, and which words are masked."""
        same, other, ids, mask = zip(*rows)
        if not self.padded:
            return tuple(torch.stack(t) for t in (same, other, ids, ids, mask))
        codes = torch.full((2,), IGNORE)
        target = [torch.cat([t, codes]) for t in ids]
        return pad(same, PAD), pad(other, PAD), pad(target, IGNORE), pad(ids, PAD), pad(mask, False)

    def loss(self, batch):
        same, _, target, _, _ = batch
        states = self.model(same, padding(same, self.padded))
        return reconstruction(self.model, states, target, self.padded)

    def step(self, player, batch, autocast):
        return player.step(lambda: self.loss(batch), autocast)

    def transfer(self, batch):
        """The likeliest word at every position, or with copy only where the mask is, with the opposite style asked for."""
        _, other, _, ids, mask = batch
        states = self.model(other, padding(other, self.padded))[:, : ids.shape[1]]
        if self.case["copy"]:
            words = ids.clone()
            words[mask] = self.model.out(states[mask])[:, SPECIAL:].argmax(1) + SPECIAL
        else:
            words = self.model.out(states)[..., SPECIAL:].argmax(2) + SPECIAL
        return [row[:n].tolist() for row, n in zip(words.cpu(), self.lengths(ids))]

    def lengths(self, ids):
        return (ids != PAD).sum(1).tolist()
