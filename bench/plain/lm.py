"""The language model: embedding, LSTM, and a vocabulary layer that has the embedding's weights behind a projection."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from data import IGNORE, SPECIAL

# The classes that a sentence can go on with: unknown, end, and the words. The beginning is the one after them.
END, FIRST = 1, 2


class LM(nn.Module):
    def __init__(self, case):
        super().__init__()
        shape = case["lm"]
        self.classes = case["vocab"] - SPECIAL + FIRST
        self.embedding = nn.Embedding(self.classes + 1, shape["embedding"])
        self.lstm = nn.ModuleList([nn.LSTM(shape["embedding"], shape["hidden"], batch_first=True)])
        self.project = nn.Linear(shape["hidden"], shape["embedding"], bias=False)
        self.out = nn.ParameterDict({"bias": nn.Parameter(torch.zeros(self.classes))})
        self.dropout = nn.Dropout(shape["dropout"])

    def forward(self, classes):
        states, _ = self.lstm[0](self.dropout(self.embedding(classes)))
        return F.linear(self.project(self.dropout(states)), self.embedding.weight[:-1], self.out["bias"])


class Task:
    def __init__(self, case, sentences):
        self.padded = case["padded"]
        self.model = LM(case)
        begin, end = torch.tensor([self.model.classes]), torch.tensor([END])
        self.items = [(torch.cat([begin, ids - SPECIAL + FIRST]), torch.cat([ids - SPECIAL + FIRST, end])) for ids, _, _ in sentences]

    def modules(self):
        return [self.model]

    def collate(self, rows):
        given, target = zip(*rows)
        if not self.padded:
            return torch.stack(given), torch.stack(target)
        # What stands in the padding changes no state before it.
        return pad_sequence(given, batch_first=True), pad_sequence(target, batch_first=True, padding_value=IGNORE)

    def step(self, player, batch, autocast):
        given, target = batch
        return player.step(lambda: F.cross_entropy(self.model(given).flatten(0, 1), target.flatten(), ignore_index=IGNORE), autocast)
