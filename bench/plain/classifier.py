"""The style classifier: embedding, Bi-LSTM, last states of both directions, linear."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from data import PAD


class Classifier(nn.Module):
    def __init__(self, case):
        super().__init__()
        shape = case["classifier"]
        self.embedding = nn.Embedding(case["vocab"], shape["embedding"])
        self.lstm = nn.LSTM(shape["embedding"], shape["hidden"], batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * shape["hidden"], 2)
        self.dropout = nn.Dropout(shape["dropout"])

    def forward(self, ids, lengths=None):
        x = self.dropout(self.embedding(ids))
        if lengths is not None:
            x = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(x)
        return self.out(self.dropout(torch.cat([last[0], last[1]], dim=1)))


class Task:
    def __init__(self, case, sentences):
        self.case, self.padded = case, case["padded"]
        self.model = self.build()
        self.items = [(ids, torch.tensor(style)) for ids, _, style in sentences]

    def build(self):
        return Classifier(self.case)

    def modules(self):
        return [self.model]

    def collate(self, rows):
        """Ids [B, T], lengths on the CPU or none, styles."""
        ids, style = zip(*rows)
        if not self.padded:
            return torch.stack(ids), None, torch.stack(style)
        lengths = torch.tensor([len(i) for i in ids])
        return pad_sequence(ids, batch_first=True, padding_value=PAD), lengths, torch.stack(style)

    def loss(self, batch):
        ids, lengths, style = batch
        return F.cross_entropy(self.model(ids, None if lengths is None else lengths.cpu()), style)

    def step(self, player, batch, autocast):
        return player.step(lambda: self.loss(batch), autocast)
