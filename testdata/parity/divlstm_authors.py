"""Records the Diversity-LSTM of the authors' code: latent vectors, a start token, conicity across the batch, attention never trained.

    OMP_NUM_THREADS=1 /tmp/parity/bin/python testdata/parity/divlstm_authors.py

It writes divlstm_authors.safetensors, in the form make.py describes, with the environment it describes. grad.* is of all weights, as they
stand in the graph; the ten steps are of those that the optimizer holds, so final.* of attention and latent maps is what they were. The
weights of latent.logvar are chosen so that the noise has a deviation of exactly 0 in float32: training then draws, but is reproducible.
"""

import torch
from make import BATCH, BOS, STEPS, VOCAB, Record, adam, build, sentences
from torch import nn
from torch.nn import functional as F

EMBEDDING, LATENT, HIDDEN, ATTENTION = 8, 7, 6, 5
LAMBDA_CON = 10.0


class AuthorsLSTM(nn.Module):
    """<bos> and words -> embedding -> latent vector -> Bi-LSTM -> additive attention -> linear."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, EMBEDDING)
        self.lstm = nn.LSTM(LATENT, HIDDEN, batch_first=True, bidirectional=True)
        self.attention = nn.ModuleDict(
            {"hidden": nn.Linear(2 * HIDDEN, ATTENTION), "query": nn.Linear(ATTENTION, 1, bias=False)}
        )
        self.out = nn.Linear(2 * HIDDEN, 2)
        self.latent = nn.ModuleDict({"mu": nn.Linear(EMBEDDING, LATENT), "logvar": nn.Linear(EMBEDDING, LATENT)})

    def inputs(self, ids):
        """What enters the LSTM, in training mode sampled."""
        begun = torch.cat([torch.full((ids.shape[0], 1), BOS), ids], dim=1)
        embedded = self.embedding(begun)
        mu = self.latent["mu"](embedded)
        if not self.training:
            return mu
        return mu + torch.exp(self.latent["logvar"](embedded) / 2) * torch.randn_like(mu)

    def rest(self, x):
        """Logits, attention and states from what enters the LSTM."""
        states, _ = self.lstm(x)
        scores = self.attention["query"](torch.tanh(self.attention["hidden"](states))).squeeze(2)
        alpha = F.softmax(scores, dim=1)
        context = torch.bmm(alpha.unsqueeze(1), states).squeeze(1)
        return self.out(context), alpha, states

    def forward(self, ids):
        return self.rest(self.inputs(ids))


def batch_conicity(states):
    """|mean cosine| of every state with the mean state of the batch at its position."""
    mean = states.mean(dim=0, keepdim=True).expand_as(states)
    return F.cosine_similarity(states, mean, dim=2).mean().abs()


def loss(outputs, styles):
    logits, _, states = outputs
    return F.cross_entropy(logits, styles, reduction="sum") + LAMBDA_CON * batch_conicity(states)


def quiet(model):
    """A deviation of exp(-500), which is 0 in float32."""
    with torch.no_grad():
        model.latent["logvar"].weight.zero_()
        model.latent["logvar"].bias.fill_(-1000.0)
    return model


def main():
    ids, _, _ = sentences(12)
    styles = (torch.arange(BATCH) > 0).long()
    model, record = quiet(build(AuthorsLSTM, 13, spread=1.0)), Record(ids=ids, styles=styles)
    logits, alpha, states = model(ids)
    record.put("expect.logits", logits)
    record.put("expect.attention", alpha)
    record.put("expect.states", states)
    record.put("expect.batch_conicity", batch_conicity(states))
    record.weights("", model)
    loss(model(ids), styles).backward()
    record.grads(model)
    for name, p in model.named_parameters():
        p.requires_grad = not name.startswith(("attention.", "latent."))
    optimizer = adam(model)
    for _ in range(STEPS):
        optimizer.zero_grad()
        value = loss(model(ids), styles)
        value.backward()
        record.loss("total", value)
        optimizer.step()
    record.weights("final.", model)
    record.save("divlstm_authors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
