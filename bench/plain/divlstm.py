"""The Diversity-LSTM (Mohankumar et al. 2020): LSTM, additive attention, and a loss on the conicity of the states."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import classifier


class DiversityLSTM(nn.Module):
    def __init__(self, case):
        super().__init__()
        shape = case["divlstm"]
        width = 2 * shape["hidden"]
        self.embedding = nn.Embedding(case["vocab"], shape["embedding"])
        self.lstm = nn.LSTM(shape["embedding"], shape["hidden"], batch_first=True, bidirectional=True)
        self.attention = nn.ModuleDict({"hidden": nn.Linear(width, shape["attention"]), "query": nn.Linear(shape["attention"], 1, bias=False)})
        self.out = nn.Linear(width, 2)
        self.dropout = nn.Dropout(shape["dropout"])

    def forward(self, ids, lengths=None):
        """Logits [B, 2], states [B, T, H], and which states are words [B, T], or none."""
        x, words = self.dropout(self.embedding(ids)), None
        if lengths is None:
            states, _ = self.lstm(x)
        else:
            packed, _ = self.lstm(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
            states, _ = pad_packed_sequence(packed, batch_first=True)
            words = torch.arange(states.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
            words = words.to(states.device)
        scores = self.attention["query"](torch.tanh(self.attention["hidden"](states))).squeeze(2)
        if words is not None:
            scores = scores.masked_fill(~words, float("-inf"))
        alpha = F.softmax(scores, dim=1)
        context = torch.bmm(alpha.unsqueeze(1), states).squeeze(1)
        return self.out(context), states, words


def conicity(states, words):
    """Mean over the sentences of the mean |cosine| of a state with the sentence's mean state. States of padding are zero."""
    if words is None:
        mean = states.mean(dim=1, keepdim=True)
        return F.cosine_similarity(states, mean, dim=2).abs().mean()
    n = words.sum(1)
    mean = states.sum(dim=1, keepdim=True) / n.view(-1, 1, 1)
    cosines = F.cosine_similarity(states, mean, dim=2).abs() * words
    return (cosines.sum(1) / n).mean()


class Task(classifier.Task):
    def build(self):
        return DiversityLSTM(self.case)

    def loss(self, batch):
        ids, lengths, style = batch
        logits, states, words = self.model(ids, None if lengths is None else lengths.cpu())
        return F.cross_entropy(logits, style) + self.case["lambda_con"] * conicity(states, words)
