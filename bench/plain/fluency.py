"""Scores one system by what a study asks beside counting: NLTK's METEOR, sacrebleu's BLEU with its bootstrap interval, and the perplexity of a
plain PyTorch language model. What needs to be made once is kept."""

import json
import math

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

EOS, FIRST, PAD = 1, 2, -100  # the language model's classes: unknown, end, words, and last the beginning, which nothing goes on with
RESAMPLES = 1000


class LM(nn.Module):
    """The names of its weights are those of package lm's."""

    def __init__(self, case):
        super().__init__()
        shape = case["lm"]
        classes = FIRST + case["vocab"]
        self.embedding = nn.Embedding(classes + 1, shape["embedding"])
        self.lstm = nn.ModuleList([nn.LSTM(shape["embedding"], shape["hidden"], batch_first=True)])
        self.project = nn.Linear(shape["hidden"], shape["embedding"], bias=False)
        self.out = nn.ParameterDict({"bias": nn.Parameter(torch.zeros(classes))})

    def forward(self, classes):
        states, _ = self.lstm[0](self.embedding(classes))
        return self.project(states) @ self.embedding.weight[:-1].T + self.out["bias"]


@torch.no_grad()
def perplexity(model, rows):
    """Of all rows together, their ends counted, by batches of 64 of like length."""
    rows = sorted(rows, key=len)
    begin, total, n = model.embedding.num_embeddings - 1, 0.0, 0
    for i in range(0, len(rows), 64):
        batch = rows[i : i + 64]
        given = pad_sequence([torch.tensor([begin] + r) for r in batch], batch_first=True, padding_value=EOS)
        target = pad_sequence([torch.tensor(r + [EOS]) for r in batch], batch_first=True, padding_value=PAD)
        loss = nn.functional.cross_entropy(model(given).flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum")
        total, n = total + loss.item(), n + sum(len(r) + 1 for r in batch)
    return math.exp(total / n)


def full(case):
    import sacrebleu
    from nltk.translate.meteor_score import meteor_score
    from safetensors.torch import load_file
    from wordnet import reader

    if case.get("threads"):
        torch.set_num_threads(case["threads"])
    with open(case["data"], encoding="utf-8") as f:
        text = json.load(f)
    classes = {word: FIRST + i for i, word in enumerate(text["words"])}
    model = LM(case)
    model.load_state_dict(load_file(case["weights"][0]))
    model.eval()
    bleu = sacrebleu.BLEU(tokenize="none")
    outputs, sources = [" ".join(s) for s in text["outputs"]], [" ".join(s) for s in text["sources"]]
    wordnet = reader(case["wordnet"]) if case.get("wordnet") else None

    def once():
        if wordnet:
            _ = sum(meteor_score([s], o, wordnet=wordnet) for s, o in zip(text["sources"], text["outputs"])) / len(outputs)
        bleu.corpus_score(outputs, [sources], n_bootstrap=RESAMPLES)
        return perplexity(model, [[classes[w] for w in o] for o in text["outputs"]])

    return once
